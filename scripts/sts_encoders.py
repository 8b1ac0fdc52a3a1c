"""What turns texts into vectors: ELMo, and what `sts.py` compares it with."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from spacy.language import Language
from spacy.tokens import Doc

from spacy_elmo.embedding.embedder import Embedder
from spacy_elmo.embedding.options import BY_FREQUENCY, Options
from spacy_elmo.embedding.pooling import pool, read_word_weights
from spacy_elmo.pipeline.elmo import Elmo
from spacy_elmo.pretraining.corpus import Corpus

Vectors = NDArray[np.float32]  # (n texts, width)
#: Texts to one or several kinds of vectors, by their names.
Encode = Callable[[Sequence[str]], dict[str, Vectors]]

BATCH_TEXTS = 256
BAG, WORD_VECTORS = "bag of words", "word2vec"


def encode_elmo(nlp: Language, pooling: str, frequencies: Path) -> Encode:
    """Every layer and the uniform mix, as `spacy elmo embed` pools them."""
    n_layers = len(elmo_of(nlp).layers)
    names = [*map(str, range(n_layers)), "mix"]
    embedder = Embedder(nlp, _options(pooling, frequencies, layers=",".join(names)))
    labels = ["token layer", *(f"biLSTM layer {k}" for k in range(1, n_layers)), "mix"]

    def encode(texts: Sequence[str]) -> dict[str, Vectors]:
        batches = range(0, len(texts), BATCH_TEXTS)
        parts = [embedder.vectors(texts[i : i + BATCH_TEXTS]) for i in batches]
        vectors = np.concatenate(parts)  # (n, K, width)
        return {label: vectors[:, k] for k, label in enumerate(labels)}

    return encode


def encode_bag(nlp: Language, pooling: str, frequencies: Path) -> Encode:
    """A column for each word, whatever its case: its count, times its weight."""
    weigh = _word_weights(pooling, frequencies)

    def encode(texts: Sequence[str]) -> dict[str, Vectors]:
        columns: dict[str, int] = {}
        cells = []
        for row, doc in enumerate(nlp.pipe(texts)):
            for token in _words(doc):
                column = columns.setdefault(token.lower_, len(columns))
                cells.append((row, column, weigh(token.text)))
        vectors = np.zeros((len(texts), len(columns)), dtype=np.float32)
        for row, column, weight in cells:
            vectors[row, column] += weight
        return {BAG: vectors}

    return encode


def encode_words(table: Any, nlp: Language, pooling: str, frequencies: Path) -> Encode:
    """The vectors of words, pooled. table (KeyedVectors): gensim's."""
    weigh = _word_weights(pooling, frequencies)
    nothing = np.zeros(table.vector_size, dtype=np.float32)

    def encode(texts: Sequence[str]) -> dict[str, Vectors]:
        rows = []
        for doc in nlp.pipe(texts):
            words = [t.text for t in _words(doc) if t.text in table]
            found = np.array([nothing, *(table[word] for word in words)])[1:, None]
            weights = np.array([weigh(word) for word in words], dtype=np.float32)
            rows.append(
                pool(found, [(0, len(words))], weights, maximum=pooling == "max")
            )
        return {WORD_VECTORS: np.concatenate(rows)[:, 0]}

    return encode


def train_words(sentences: Iterable[list[str]], width: int) -> Any:
    """Train word2vec (skip-gram). RETURNS (KeyedVectors): Of gensim."""
    from gensim.models import Word2Vec

    options = {"sg": 1, "window": 5, "min_count": 2, "epochs": 5, "workers": 1}
    return Word2Vec(sentences, vector_size=width, seed=0, **options).wv


class Sentences:
    """The sentences of a corpus, as often as gensim asks for them."""

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus

    def __iter__(self) -> Iterator[list[str]]:
        return self.corpus.sentences()


def _words(doc: Doc) -> list[Any]:
    return [token for token in doc if not token.is_space]


def _options(pooling: str, frequencies: Path, layers: str = "mix") -> Options:
    path = frequencies if pooling in BY_FREQUENCY else None
    return Options(pooling=pooling, frequencies=path, layers=layers)


def _word_weights(pooling: str, frequencies: Path) -> Callable[[str], float]:
    if pooling in BY_FREQUENCY:
        return read_word_weights(frequencies, pooling)
    return _one


def _one(word: str) -> float:
    return 1.0


def elmo_of(nlp: Language) -> Elmo:
    """The ELMo component of a pipeline."""
    pipe = nlp.get_pipe("elmo")
    assert isinstance(pipe, Elmo)
    return pipe
