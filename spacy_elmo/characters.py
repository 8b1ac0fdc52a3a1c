"""Words to character ids: the first station of the road. Needs numpy alone.

A word is its UTF-8 bytes between a begin- and an end-of-word mark, padded to a fixed
width (bilm-tf and AllenNLP use 50). Every id is one more than the byte it stands for,
so that 0 is left to mean "no word here". A longer word is cut at the byte limit, which
may fall inside a character: the published weights were trained that way.

`UnicodeTable` reads characters from a list instead, as ELMoForManyLangs does.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

BEGIN_SENTENCE = 257
END_SENTENCE = 258
BEGIN_WORD = 259
END_WORD = 260
PADDING = 261
N_CHARACTERS = 262

#: Words that stand for a sentence boundary; they get the boundary's character.
BOUNDARIES = {"<S>": BEGIN_SENTENCE, "</S>": END_SENTENCE}

#: The same where words are read by Unicode characters, and all marks of their list.
UNICODE_BOUNDARIES = ("<bos>", "<eos>")
UNICODE_MARKS = (*UNICODE_BOUNDARIES, "<oov>", "<pad>", "<bow>", "<eow>")


def word_to_ids(
    word: str,
    max_characters: int = 50,
    tokens_to_add: Mapping[str, int] | None = None,
) -> list[int]:
    """Encode one word as `max_characters` character ids.

    word (str): Any text, also empty or whitespace. Lone surrogates have no UTF-8 form
        and are left out.
    max_characters (int): Width of the encoding, the two word marks included.
    tokens_to_add (Optional[Mapping[str, int]]): Whole tokens that get a byte value
        (0-255) of their own, as AllenNLP's indexer option of that name.
    RETURNS (List[int]): Ids from 1 to 261.
    RAISES (TypeError): The word is not a str. (ValueError): Bad `tokens_to_add`.
    """
    check_word(word)
    if tokens_to_add and word in tokens_to_add:
        inside = [_added_id(tokens_to_add, word)]
    elif word in BOUNDARIES:
        inside = [BOUNDARIES[word]]
    else:
        content = word.encode("utf8", "ignore")[: max_characters - 2]
        inside = [byte + 1 for byte in content]
    ids = [BEGIN_WORD, *inside, END_WORD]
    return ids + [PADDING] * (max_characters - len(ids))


def words_to_ids(words: Sequence[str], max_characters: int = 50) -> NDArray[np.int64]:
    """Encode words one a row.

    RETURNS (NDArray[np.int64]): (n_words, max_characters), ids from 1 to 261.
    """
    ids = [word_to_ids(word, max_characters) for word in words]
    return np.asarray(ids, dtype=np.int64).reshape(len(words), max_characters)


class UnicodeTable:
    """Encodes words by the characters of a list; the id is the place in the list.

    characters (Sequence[str]): Single characters and the marks in `UNICODE_MARKS`.
    RAISES (ValueError): A mark is missing.
    """

    def __init__(self, characters: Sequence[str]) -> None:
        self._ids = row_numbers(characters)
        missing = [mark for mark in UNICODE_MARKS if mark not in self._ids]
        if missing:
            raise ValueError(f"The list of characters lacks {', '.join(missing)}.")
        self.padding = self._ids["<pad>"]

    def ids(self, words: Sequence[str], max_characters: int) -> NDArray[np.int64]:
        """Encode words one a row; a character that is not listed becomes <oov>.

        RETURNS (NDArray[np.int64]): (n_words, max_characters).
        """
        rows = np.full((len(words), max_characters), self.padding, np.int64)
        for row, word in zip(rows, words):
            ids = self._word_ids(word, max_characters)
            row[: len(ids)] = ids
        return rows

    def _word_ids(self, word: str, max_characters: int) -> list[int]:
        check_word(word)
        get, unknown = self._ids.get, self._ids["<oov>"]
        letters = [word] if word in UNICODE_BOUNDARIES else word[: max_characters - 2]
        inside = [get(letter, unknown) for letter in letters]
        return [self._ids["<bow>"], *inside, self._ids["<eow>"]]


def row_numbers(entries: Sequence[str]) -> dict[str, int]:
    """The row of each entry of a list; an empty entry is a row that nothing leads to.

    Of equal entries the last counts.
    """
    return {entry: row for row, entry in enumerate(entries) if entry}


def check_word(word: Any) -> None:
    """RAISES (TypeError): The word is not a str."""
    if not isinstance(word, str):
        raise TypeError(
            f"Expected a word as str, found {type(word).__name__}: {word!r}. "
            "Pass `token.text` for a spaCy token and `.decode('utf8')` for bytes."
        )


def check_sentences(sentences: Any) -> None:
    """Refuse what is not a sequence of token sequences.

    A flat list of strings would otherwise be read letter by letter.
    RAISES (TypeError): Says what was found and how to write it.
    """
    if isinstance(sentences, str):
        raise TypeError(
            f"Expected sentences as lists of tokens, found the str {sentences[:40]!r}. "
            "Split it first: [['One', 'sentence', '.']]."
        )
    for index, sentence in enumerate(sentences):
        if isinstance(sentence, (str, bytes)):
            raise TypeError(
                f"Expected sentence {index} as a list of tokens, found the "
                f"{type(sentence).__name__} {sentence[:40]!r}. One sentence alone is "
                "written [['One', 'sentence', '.']], with two pairs of brackets."
            )


def _added_id(tokens_to_add: Mapping[str, int], word: str) -> int:
    value = tokens_to_add[word]
    if not 0 <= value <= 255:
        raise ValueError(
            f"tokens_to_add[{word!r}] is {value}; expected a byte value from 0 to 255 "
            "(256 and more are the sentence, word and padding marks)."
        )
    if list(tokens_to_add.values()).count(value) > 1:
        raise ValueError(f"tokens_to_add gives the value {value} to several tokens.")
    return value + 1
