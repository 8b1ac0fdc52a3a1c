"""Which rows a word leads to, and which lists are refused."""

from typing import Any

import numpy as np
import pytest

from spacy_elmo.bilm import BiLMConfig
from spacy_elmo.bilm.lexicon import Lexicon, WordTable, needs_lists
from spacy_elmo.characters import words_to_ids

WORDS = ["cat", "<UNK>", "<S>", "</S>", ""]
CHARACTERS = ["a", "é", "我", "<bos>", "<eos>", "<oov>", "<pad>", "<bow>", "<eow>"]
WORD_SIZES: dict[str, Any] = {"n_words": 5, "word_dim": 2}


def unicode_sizes(**changes: Any) -> dict[str, Any]:
    size = len(CHARACTERS)
    filters = ((1, 2),)
    return {
        "characters": "unicode",
        "n_characters": size,
        "max_characters": 6,
        "filters": filters,
        **changes,
    }


def rows(words: list[str], max_length: int | None = None) -> list[int]:
    return WordTable(WORDS, max_length).ids(words)[:, 0].tolist()


def test_rows_of_words() -> None:
    assert rows(["cat", "</S>", "<S>", "bird", "Cat", "", "cats"]) == [
        0,
        3,
        2,
        *[1] * 4,
    ]
    assert rows(["cats", "ca"], max_length=3) == [0, 1]
    assert WordTable(WORDS, None).ids([]).shape == (0, 1)


def test_both_families_of_marks() -> None:
    assert WordTable(WORDS, None).boundaries == ("<S>", "</S>")
    assert WordTable(["<oov>", "<eos>", "<bos>"], None).boundaries == ("<bos>", "<eos>")


def test_of_equal_words_the_last_counts() -> None:
    table = WordTable(["<S>", "</S>", "<UNK>", "cat", "cat"], None)
    assert table.ids(["cat"]).tolist() == [[4]]


def test_bytes_are_as_they_were() -> None:
    lexicon = Lexicon(BiLMConfig())
    assert np.array_equal(lexicon.ids(["word", "<S>"]), words_to_ids(["word", "<S>"]))
    assert lexicon.boundaries == ("<S>", "</S>")


def test_words_beside_bytes() -> None:
    lexicon = Lexicon(BiLMConfig(**WORD_SIZES), WORDS)
    ids = lexicon.ids(["cat", "c" * 60])
    assert ids[:, 0].tolist() == [0, 1]
    assert np.array_equal(ids[:, 1:], words_to_ids(["cat", "c" * 60]))


@pytest.mark.parametrize(
    "word, expected",
    [
        ("a", [7, 0, 8, 6, 6, 6]),
        ("", [7, 8, 6, 6, 6, 6]),
        ("é我", [7, 1, 2, 8, 6, 6]),
        ("e\u0301", [7, 5, 5, 8, 6, 6]),  # no normalization
        ("aaaa", [7, 0, 0, 0, 0, 8]),
        ("aaaaé", [7, 0, 0, 0, 0, 8]),  # cut at four characters, not bytes
        ("🙂a", [7, 5, 0, 8, 6, 6]),
        ("<bos>", [7, 3, 8, 6, 6, 6]),
        ("<eos>", [7, 4, 8, 6, 6, 6]),
        ("<S>", [7, 5, 5, 5, 8, 6]),
        ("<pad>", [7, 5, 5, 0, 5, 8]),  # only the boundaries are read as one
    ],
)
def test_unicode_characters(word: str, expected: list[int]) -> None:
    lexicon = Lexicon(BiLMConfig(**unicode_sizes()), characters=CHARACTERS)
    assert lexicon.ids([word]).tolist() == [expected]
    assert lexicon.boundaries == ("<bos>", "<eos>")


@pytest.mark.parametrize(
    "sizes, lists, message",
    [
        (WORD_SIZES, {}, "vocabulary: this biLM needs a list of 5, found none"),
        (WORD_SIZES, {"vocabulary": WORDS[:4]}, "vocabulary: expected 5.*found 4"),
        (WORD_SIZES, {"vocabulary": list("abcde")}, "no words for sentence begin"),
        (WORD_SIZES, {"vocabulary": [*WORDS[:4], 7]}, "expected strings alone"),
        (
            WORD_SIZES,
            {"vocabulary": ["<bos>", "<eos>", "<oov>", "a", "b"]},
            r"boundaries are called \('<bos>', '<eos>'\); expected \('<S>', '</S>'\)",
        ),
        (unicode_sizes(), {}, "characters: this biLM needs a list of 9, found none"),
        (
            unicode_sizes(),
            {"characters": [*CHARACTERS[:-1], "b"]},
            "list of characters lacks <eow>",
        ),
    ],
)
def test_bad_lists(sizes: dict, lists: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Lexicon(BiLMConfig(**sizes), **lists)


@pytest.mark.parametrize("word", [b"bytes", None, 7])
@pytest.mark.parametrize(
    "sizes",
    [{}, WORD_SIZES, {**WORD_SIZES, "characters": "none"}, unicode_sizes()],
    ids=["bytes", "bytes and words", "words", "unicode"],
)
def test_words_must_be_str(sizes: dict, word: Any) -> None:
    with pytest.raises(TypeError, match="Expected a word as str"):
        Lexicon(BiLMConfig(**sizes), WORDS, CHARACTERS).ids([word])


def test_who_needs_lists() -> None:
    assert not needs_lists(BiLMConfig())
    assert needs_lists(BiLMConfig(**WORD_SIZES))
    assert needs_lists(BiLMConfig(**unicode_sizes()))
