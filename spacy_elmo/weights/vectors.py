"""Word vectors as the word table of a biLM: word2vec, GloVe and spaCy's Vectors.

They are no biLM: `start_from_vectors` makes an untrained one that reads its words
through them.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from spacy.vocab import Vocab

from ..bilm import BiLM, BiLMConfig, Weights
from ..bilm.lexicon import MARKS
from .files import require_file

Rows = Iterator[tuple[str, NDArray[np.float32]]]


@dataclass(frozen=True)
class WordVectors:
    """A vocabulary and its vectors.

    words (List[str]): Distinct words, the marks <S>, </S> and <UNK> among them.
    table (NDArray): (V, D) float32, one word a row.
    source (str): A name to call them by.
    """

    words: list[str]
    table: NDArray[np.float32]
    source: str


def read_vectors(path: str | Path, max_words: int | None = None) -> WordVectors:
    """Read word2vec's text or binary form, or GloVe's text without a header.

    Of a word's several rows the first counts. Marks that are missing are added: zeros
    for the boundaries <S> and </S>, the mean of all vectors for the unknown <UNK>.

    max_words (Optional[int]): Words to read at most, from the top of the file.
    RAISES (FileNotFoundError, ValueError): Names the file and row, what was found and
        what was expected.
    """
    path = require_file(Path(path))
    with path.open("rb") as file:
        try:
            return _collect(_read_rows(file, path.stat().st_size), path.name, max_words)
        except ValueError as error:
            raise ValueError(f"{path}: not word vectors: {error}") from error


def vectors_of(vocab: Vocab) -> WordVectors:
    """The vectors of a spaCy pipeline: `vectors_of(nlp.vocab)`.

    RAISES (ValueError): There are none, or they are of subwords (floret).
    """
    vectors = vocab.vectors
    if vectors.mode != "default" or vectors.n_keys == 0:
        raise ValueError(
            f"Expected a vocab with vectors of words, found {vectors.n_keys} keys in "
            f"mode {vectors.mode!r}."
        )
    table = np.asarray(vectors.data)
    keys = vectors.key2row.items()
    rows = ((vocab.strings[key], table[row]) for key, row in keys if row >= 0)
    return _collect(rows, vectors.name or "spaCy vectors", None)


def start_from_vectors(vectors: WordVectors, *, seed: int = 0, **sizes: Any) -> Weights:
    """Make an untrained biLM that reads its words through these vectors.

    Vectors as wide as `projection_dim` are the token vectors themselves; others go
    through a projection, untrained like the LSTMs.

    sizes (Any): The other sizes of `BiLMConfig`. With `characters` "none" the vectors
        are read alone, else beside the CNN's output.
    RAISES (TypeError, ValueError): Names the size.
    """
    n_words, word_dim = vectors.table.shape
    config = BiLMConfig(n_words=n_words, word_dim=word_dim, **sizes)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        state = BiLM(config).state_dict()
    state["token_encoder.word_embedding.weight"] = torch.from_numpy(vectors.table)
    provenance = {"source": vectors.source, "format": "word vectors", "seed": seed}
    return Weights(config, state, vectors.words, provenance)


def _collect(rows: Rows, source: str, max_words: int | None) -> WordVectors:
    table: dict[str, NDArray[np.float32]] = {}
    for word, vector in rows:
        if word and word not in table:
            table[word] = vector
        if max_words is not None and len(table) >= max_words:
            break
    if not table:
        raise ValueError("no words were found.")
    stacked = np.stack(list(table.values())).astype(np.float32)
    if not np.isfinite(stacked).all():
        bad = next(
            word for word, vector in table.items() if not np.isfinite(vector).all()
        )
        raise ValueError(f"the vector of {bad!r} holds values that are not finite.")
    words = list(table)
    if not any(set(marks) <= table.keys() for marks in MARKS):
        added = [mark for mark in MARKS[0] if mark not in table]
        zeros, mean = np.zeros_like(stacked[0]), stacked.mean(axis=0)
        rows_added = [mean if mark == MARKS[0][2] else zeros for mark in added]
        words, stacked = [*added, *words], np.stack([*rows_added, *stacked])
    return WordVectors(words, np.ascontiguousarray(stacked, np.float32), source)


def _read_rows(file: Any, n_bytes: int) -> Rows:
    first = file.readline(1 << 20)
    size = _header(first)
    if size is None:
        file.seek(0)
        return _text_rows(file, len(first.split()) - 1)
    n_words, dim = size
    if n_words * (2 * dim + 1) > n_bytes:  # a digit and a blank a value, at least
        raise ValueError(f"{n_words} vectors of {dim} do not fit in {n_bytes} bytes.")
    start = file.tell()
    is_text = _is_text_row(file.readline(1 << 20), dim)
    file.seek(start)
    if is_text:
        return _text_rows(file, dim, n_words)
    return _binary_rows(file, n_words, dim)


def _header(line: bytes) -> tuple[int, int] | None:
    fields = line.split()
    if len(fields) == 2 and all(f.isdigit() and len(f) < 12 for f in fields):
        return int(fields[0]), int(fields[1])
    return None


def _is_text_row(line: bytes, dim: int) -> bool:
    try:
        _text_row(line, dim)
    except ValueError:
        return False
    return True


def _text_row(line: bytes, dim: int) -> tuple[str, NDArray[np.float32]]:
    word, *values = line.rstrip().rsplit(b" ", dim)  # a word may hold blanks
    if len(values) != dim or dim < 1:
        raise ValueError(f"expected a word and {dim} values, found {line[:60]!r}.")
    return word.decode("utf8"), np.asarray(values).astype(np.float32)


def _text_rows(file: Any, dim: int, n_words: int | None = None) -> Rows:
    """n_words (Optional[int]): What the header promises, on a line of its own."""
    number = 0
    for number, line in enumerate(file, 1):
        try:
            yield _text_row(line, dim)
        except ValueError as error:
            raise ValueError(f"row {number}: {error}") from error
    if n_words is not None and number < n_words:
        raise ValueError(f"cut short: {n_words} words promised, {number} found.")


def _binary_rows(file: Any, n_words: int, dim: int) -> Rows:
    for number in range(1, n_words + 1):
        word = bytearray()
        while (byte := file.read(1)) not in (b" ", b""):
            word += byte
        values = file.read(4 * dim)
        if len(values) != 4 * dim:
            raise ValueError(
                f"cut short: {n_words} words promised, {number - 1} found."
            )
        yield word.lstrip(b"\n").decode("utf8"), np.frombuffer(values, "<f4")
