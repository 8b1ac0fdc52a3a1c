"""How far a word sees: which tokens of a Doc the biLM reads together."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from spacy.pipeline import Sentencizer
from spacy.tokens import Doc

from .types import Docs


class Stretch(NamedTuple):
    """The biLM reads the tokens `start:end` and gives vectors to `first:last`."""

    start: int
    end: int
    first: int
    last: int


#: Cuts each Doc into stretches that give every token exactly one vector.
Context = Callable[[Docs], list[list[Stretch]]]


@dataclass(frozen=True)
class SentenceContext:
    """A word sees its sentence, as in the biLM's training.

    Sentences are `doc.sents` where they are annotated. Elsewhere a rule splits at
    sentence-final punctuation; it writes nothing on the Doc, so that training and
    prediction see the same contexts and no other component notices.
    """

    def __call__(self, docs: Docs) -> list[list[Stretch]]:
        splitter = Sentencizer()
        return [
            _sentences(doc)
            if doc.has_annotation("SENT_START")
            else _starts_to_stretches(splitter.predict([doc])[0])
            for doc in docs
        ]


@dataclass(frozen=True)
class DocumentContext:
    """A word sees its whole Doc: for Docs of one sentence, or short texts."""

    def __call__(self, docs: Docs) -> list[list[Stretch]]:
        return [[Stretch(0, len(doc), 0, len(doc))] for doc in docs]


@dataclass(frozen=True)
class WindowContext:
    """A word sees a window of its Doc: for long texts without sentences.

    size (int): Tokens the biLM reads at once.
    overlap (int): Tokens at each inner edge of a window that serve as context only;
        their vectors come from the neighbouring window.
    RAISES (ValueError): The overlaps leave nothing of a window.
    """

    size: int = 512
    overlap: int = 64

    def __post_init__(self) -> None:
        if self.overlap < 0 or self.size <= 2 * self.overlap:
            raise ValueError(
                f"WindowContext: expected size > 2 * overlap and overlap >= 0, found "
                f"size {self.size} and overlap {self.overlap}."
            )

    def __call__(self, docs: Docs) -> list[list[Stretch]]:
        return [self._windows(len(doc)) for doc in docs]

    def _windows(self, n_tokens: int) -> list[Stretch]:
        windows, start = [], 0
        while True:
            end = min(start + self.size, n_tokens)
            first = start + self.overlap if start else 0
            last = end - self.overlap if end < n_tokens else n_tokens
            windows.append(Stretch(start, end, first, last))
            if end == n_tokens:
                return windows
            start = last - self.overlap


def _sentences(doc: Doc) -> list[Stretch]:
    return [Stretch(s.start, s.end, s.start, s.end) for s in doc.sents]


def _starts_to_stretches(is_start: list[bool]) -> list[Stretch]:
    starts = [i for i, starts_here in enumerate(is_start) if starts_here]
    ends = [*starts[1:], len(is_start)]
    return [Stretch(i, j, i, j) for i, j in zip(starts, ends)]
