"""Words to the numbers a token encoder reads: rows of its tables."""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from ..characters import (
    BOUNDARIES,
    PADDING,
    UNICODE_BOUNDARIES,
    UnicodeTable,
    check_word,
    row_numbers,
    words_to_ids,
)
from .config import BiLMConfig

#: What vocabularies call sentence begin, sentence end and an unknown word.
MARKS = (("<S>", "</S>", "<UNK>"), ("<bos>", "<eos>", "<oov>"))

Ids = NDArray[np.int64]


class WordTable:
    """The row of each word; an unknown word gets the row of <UNK> or <oov>.

    vocabulary (Sequence[str]): The words, one a row. An empty entry is a row that no
        word leads to.
    max_length (Optional[int]): Words are cut to so many characters first.
    boundaries (Tuple[str, str]): What this vocabulary calls a sentence's begin and end.
    RAISES (ValueError): The vocabulary lacks a mark.
    """

    def __init__(self, vocabulary: Sequence[str], max_length: int | None) -> None:
        self._rows = row_numbers(vocabulary)
        self._max_length = max_length
        for begin, end, unknown in MARKS:
            if all(mark in self._rows for mark in (begin, end, unknown)):
                self.boundaries = (begin, end)
                self._unknown_row = self._rows[unknown]
                return
        expected = " or ".join(", ".join(marks) for marks in MARKS)
        raise ValueError(
            "vocabulary: no words for sentence begin, sentence end and unknown words; "
            f"expected {expected}."
        )

    def ids(self, words: Iterable[str]) -> Ids:
        """RETURNS (NDArray[np.int64]): (W, 1) rows."""
        return np.fromiter(map(self._row, words), np.int64).reshape(-1, 1)

    def _row(self, word: str) -> int:
        check_word(word)
        return self._rows.get(word[: self._max_length], self._unknown_row)


class Lexicon:
    """The words and characters that a biLM has rows for.

    vocabulary (Optional[Sequence[str]]): The words of the word table, if there is one.
    characters (Optional[Sequence[str]]): The characters of the table for Unicode.
    boundaries (Tuple[str, str]): The words that stand for a sentence's begin and end.
    padding (int): The character after a word's end.
    RAISES (ValueError): A list is missing, of another length than the config says,
        lacks a mark, or names the boundaries otherwise than the characters do.
    """

    def __init__(
        self,
        config: BiLMConfig,
        vocabulary: Sequence[str] | None = None,
        characters: Sequence[str] | None = None,
    ) -> None:
        self._reads = config.characters
        self.padding = PADDING
        self._max_characters = config.max_characters
        self._words: WordTable | None = None
        self._unicode: UnicodeTable | None = None
        names = {"bytes": tuple(BOUNDARIES), "unicode": UNICODE_BOUNDARIES}
        if config.n_words:
            words = _checked("vocabulary", vocabulary, config.n_words)
            cut = None if self._reads == "bytes" else config.max_characters - 2
            self._words = WordTable(words, cut)
            names["none"] = self._words.boundaries
        if self._reads == "unicode":
            listed = _checked("characters", characters, config.n_characters)
            self._unicode = UnicodeTable(listed)
            self.padding = self._unicode.padding
        begin, end = names[self._reads]
        self.boundaries = begin, end
        if self._words is not None and self._words.boundaries != self.boundaries:
            raise ValueError(
                f"vocabulary: the boundaries are called {self._words.boundaries}; "
                f"expected {self.boundaries}, as among the characters."
            )

    def ids(self, words: Sequence[str]) -> Ids:
        """Encode words one a row.

        RETURNS (NDArray[np.int64]): (W, columns): the row of the word table, if there
            is one, then the characters, if they are read.
        """
        columns = []
        if self._words is not None:
            columns.append(self._words.ids(words))
        if self._unicode is not None:
            columns.append(self._unicode.ids(words, self._max_characters))
        elif self._reads == "bytes":
            columns.append(words_to_ids(words, self._max_characters))
        return columns[0] if len(columns) == 1 else np.concatenate(columns, axis=1)


def needs_lists(config: BiLMConfig) -> bool:
    """Whether a biLM of these sizes has to be told its words or characters."""
    return config.n_words > 0 or config.characters == "unicode"


def _checked(name: str, entries: Sequence[str] | None, size: int) -> Sequence[str]:
    if entries is None:
        raise ValueError(f"{name}: this biLM needs a list of {size}, found none.")
    if len(entries) != size:
        raise ValueError(
            f"{name}: expected {size} entries, one for each row of the table, found "
            f"{len(entries)}. Is the list of another model?"
        )
    if not all(isinstance(entry, str) for entry in entries):
        raise ValueError(f"{name}: expected strings alone.")
    try:
        "".join(entries).encode("utf8")
    except UnicodeEncodeError as error:
        raise ValueError(f"{name}: an entry is not text ({error}).") from error
    return entries
