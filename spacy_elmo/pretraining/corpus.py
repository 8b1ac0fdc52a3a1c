"""A corpus as a stream of pools of sentences, from any position in it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from spacy.language import Language

from .sources import Record, file_size, find_files, read_records
from .splitting import Sentence, Splitter

#: Records read from one file before another has its turn.
BLOCK = 64
#: Files read side by side.
OPEN_FILES = 32


class Pool(NamedTuple):
    """Sentences that are shuffled together.

    start (Dict[str, Any]): JSON-ready; `Corpus.pools(start=start)` begins with this
        very pool again. `number` counts the pools.
    sentences (List[Sentence]): In the order they were read.
    is_last (bool): The corpus ends here.
    read (Tuple[float, float]): About the share of the corpus that is read at its
        beginning and at its end.
    """

    start: dict[str, Any]
    sentences: list[Sentence]
    is_last: bool
    read: tuple[float, float]


@dataclass(eq=False)
class OpenFile:
    """A file that is being read.

    index (int): Its place in the order of this epoch.
    records (Iterator[Record]): What is left of it.
    size (int): About how much text it holds.
    since (float): The share at which the others stood when it was opened.
    n_records (int): Records taken. n_read (int): Their length.
    """

    index: int
    records: Iterator[Record]
    size: int
    since: float
    n_records: int = 0
    n_read: int = 0

    @property
    def share(self) -> float:
        """How far it is read; the file with the lowest share has the next turn."""
        return self.since + self.n_read / self.size

    def take(self, n: int) -> list[Record]:
        """Read on."""
        records = list(islice(self.records, n))
        self.n_records += len(records)
        self.n_read += sum(record.size for record in records)
        return records


@dataclass(frozen=True)
class Corpus:
    """Files of text as sentences of words, streamed.

    Files are read side by side, each as fast as its size asks, so that every pool is a
    sample of all of them. Whitespace tokens are left out, as in prediction; nothing
    else is, and no sentence is cut.

    patterns (Sequence[str]): Paths, globs, or "-" for the standard input.
    nlp (Language): Tokenizes raw text; sentences are those it sets, else a rule's.
    tokenized (bool): Lines of text files are sentences with spaces between tokens.
    pool_tokens (int): Tokens to shuffle together; bounds the memory.
    RAISES (FileNotFoundError, ValueError): Names the pattern or file, and the line.
    """

    patterns: Sequence[str]
    nlp: Language
    tokenized: bool = False
    pool_tokens: int = 500_000
    files: list[str] = field(init=False)
    splitter: Splitter = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "files", find_files(self.patterns))
        object.__setattr__(self, "splitter", Splitter(self.nlp))

    def sentences(self) -> Iterator[Sentence]:
        """Every sentence once, in the files' order."""
        for path in self.files:
            records = self._read(path)
            while block := list(islice(records, BLOCK)):
                yield from self.splitter.sentences(block)

    def pools(
        self, *, seed: int | None = None, start: dict[str, Any] | None = None
    ) -> Iterator[Pool]:
        """Every sentence once, in pools of about `pool_tokens` tokens.

        seed (Optional[int]): Decides the files' order; the given order by default.
        start (Optional[Dict[str, Any]]): The pool to begin with; the first by default.
        """
        order = self.files
        if seed is not None:
            order = [
                order[i] for i in np.random.default_rng(seed).permutation(len(order))
            ]
        opened = [self._reopen(order, at) for at in (start or {}).get("open", [])]
        following = (start or {}).get("next", 0)
        number = (start or {}).get("number", 0)
        position = _position(opened, following, number)
        sentences: list[Sentence] = []
        n_tokens = 0
        read = self._share_read(order, opened, following)
        while True:
            while len(opened) < OPEN_FILES and following < len(order):
                share = min((file.share for file in opened), default=0.0)
                opened.append(self._open(order, following, share))
                following += 1
            if not opened:
                break
            file = min(opened, key=_share)
            records = file.take(BLOCK)
            if len(records) < BLOCK:
                opened.remove(file)
            for sentence in self.splitter.sentences(records):
                sentences.append(sentence)
                n_tokens += len(sentence)
            if n_tokens >= self.pool_tokens and (opened or following < len(order)):
                read_now = self._share_read(order, opened, following)
                yield Pool(position, sentences, False, (read, read_now))
                number += 1
                position = _position(opened, following, number)
                sentences, n_tokens, read = [], 0, read_now
        yield Pool(position, sentences, True, (read, 1.0))

    def _share_read(
        self, order: list[str], opened: list[OpenFile], following: int
    ) -> float:
        sizes = [file_size(path) for path in order]
        left = sum(max(0, file.size - file.n_read) for file in opened)
        return 1 - (left + sum(sizes[following:])) / sum(sizes)

    def _open(self, order: list[str], index: int, since: float) -> OpenFile:
        path = order[index]
        return OpenFile(index, self._read(path), file_size(path), since)

    def _reopen(self, order: list[str], at: dict[str, Any]) -> OpenFile:
        file = self._open(order, at["index"], at["since"])
        while file.n_records < at["n_records"]:
            if not file.take(min(1024, at["n_records"] - file.n_records)):
                raise ValueError(
                    f"{order[at['index']]} is shorter than when training stopped: "
                    f"{file.n_records} records, expected over {at['n_records']}."
                )
        return file

    def _read(self, path: str) -> Iterator[Record]:
        return read_records(path, tokenized=self.tokenized, vocab=self.nlp.vocab)


def _share(file: OpenFile) -> float:
    return file.share


def _position(opened: list[OpenFile], following: int, number: int) -> dict[str, Any]:
    files = [
        {"index": f.index, "n_records": f.n_records, "since": f.since} for f in opened
    ]
    return {"number": number, "open": files, "next": following}
