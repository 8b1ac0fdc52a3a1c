"""Words to ids, equal to AllenNLP's."""

import json

import numpy as np
import pytest

from spacy_elmo.characters import check_sentences, word_to_ids, words_to_ids
from tests.golden_elmo import GOLDEN, SENTENCES

CASES = json.loads((GOLDEN / "char_cases.json").read_text(encoding="utf8"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: repr(case["token"][:12]))
def test_golden_words(case: dict) -> None:
    ids = word_to_ids(case["token"], tokens_to_add=case.get("tokens_to_add"))
    assert ids == case["ids"]


def test_golden_batch() -> None:
    expected = np.load(GOLDEN / "char_ids.npz")["batch"]
    for i, words in enumerate(SENTENCES):
        assert (words_to_ids(words) == expected[i, : len(words)]).all()
        assert not expected[i, len(words) :].any()


def test_max_characters_is_honoured() -> None:
    expected = np.load(GOLDEN / "maxchars16" / "expected.npz")["char_ids_with_bos_eos"]
    for i, words in enumerate(SENTENCES):
        ours = words_to_ids(["<S>", *words, "</S>"], max_characters=16)
        assert (ours == expected[i, : len(words) + 2]).all()


@pytest.mark.parametrize(
    "word", ["", " ", "a", "é" * 40, "x" * 10_000, "👩‍👩‍👧‍👦", "हिन्दी", "\x00"]
)
def test_ids_are_in_range_and_end(word: str) -> None:
    ids = word_to_ids(word)
    assert len(ids) == 50
    assert min(ids) >= 1 and max(ids) <= 261
    assert ids[0] == 259 and ids.count(260) == 1


def test_words_equal_in_48_bytes_are_equal() -> None:
    assert word_to_ids("a" * 48 + "b") == word_to_ids("a" * 48 + "c")


def test_no_normalization() -> None:
    assert word_to_ids("é") != word_to_ids("e\u0301")


def test_a_byte_is_one_less_than_its_id() -> None:
    assert word_to_ids("A")[1] == ord("A") + 1


@pytest.mark.parametrize("added", [{"x": 256}, {"x": -1}, {"x": 7, "y": 7}])
def test_bad_tokens_to_add(added: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="tokens_to_add"):
        word_to_ids("x", tokens_to_add=added)


@pytest.mark.parametrize("word", [b"bytes", 7, None, ["a"]])
def test_words_must_be_str(word: object) -> None:
    with pytest.raises(TypeError, match="Expected a word as str"):
        word_to_ids(word)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "sentences", ["a sentence", ["a", "sentence"], [b"a"], [["a"], "b"]]
)
def test_sentences_must_be_lists_of_words(sentences: object) -> None:
    """allennlp issue 2260: a flat list was read letter by letter."""
    with pytest.raises(TypeError, match="list"):
        check_sentences(sentences)
