"""Packed order: no padded step, every word encoded once."""

import numpy as np
import torch

from spacy_elmo.bilm.batch import collate

SENTENCES = [["a"], ["b", "a", "c"], [], ["a", "b"]]


def ids(words: list[str]) -> torch.Tensor:
    """One letter a word."""
    return torch.tensor([[ord(word[0])] for word in words])


def letters(places: torch.Tensor) -> str:
    batch = collate(SENTENCES, ids)
    rows = batch.ids[batch.words[places], 0]
    return "".join(chr(row) for row in rows)


def test_flat_order_has_boundaries() -> None:
    batch = collate(SENTENCES, ids)
    assert batch.lengths.tolist() == [3, 5, 2, 4]
    assert letters(torch.arange(14)) == "<a<<bac<<<<ab<"
    inner = np.flatnonzero(batch.inner)
    assert letters(torch.from_numpy(inner)) == "abacab"


def test_distinct_words_are_encoded_once() -> None:
    batch = collate(SENTENCES, ids)
    assert len(batch.ids) == len({"<S>", "</S>", "a", "b", "c"})


def test_packed_order_is_longest_first() -> None:
    batch = collate(SENTENCES, ids)
    assert batch.active == [4, 4, 3, 2, 1]
    assert batch.order.tolist() == [1, 3, 0, 2]
    assert letters(batch.forward) == "<<<<" + "baa<" + "ab<" + "c<" + "<"
    assert letters(batch.backward) == "<<<<" + "cba<" + "aa<" + "b<" + "<"


def test_no_sentences() -> None:
    batch = collate([], ids)
    assert batch.active == [] and len(batch.words) == 0


def test_other_boundaries() -> None:
    batch = collate([["a"], []], ids, ("[", "]"))
    rows = batch.ids[batch.words, 0]
    assert "".join(chr(row) for row in rows) == "[a][]"
