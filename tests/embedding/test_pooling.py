"""Vectors of tokens to one of a sentence or document."""

import math
from pathlib import Path

import numpy as np
import pytest

from spacy_elmo.embedding.pooling import WordWeights, pool, read_word_weights

X = np.arange(12, dtype=np.float32).reshape(6, 1, 2) - 5  # rows of (-5, -4), (-3, -2) …


@pytest.mark.parametrize(
    "spans, weights, expected",
    [
        ([(0, 6)], [1] * 6, [[0, 1]]),
        ([(0, 2), (2, 6)], [1] * 6, [[-4, -3], [2, 3]]),
        # Whitespace does not count; a stretch without words, or without tokens, is 0.
        ([(0, 3), (3, 3), (3, 6)], [0, 1, 1, 0, 0, 0], [[-2, -1], [0, 0], [0, 0]]),
        ([(0, 0), (0, 6), (6, 6)], [0, 0, 0, 1, 0, 3], [[0, 0], [4, 5], [0, 0]]),
    ],
)
def test_the_mean_counts_tokens_by_their_weights(spans, weights, expected):
    found = pool(X, spans, np.asarray(weights, dtype=np.float32))
    assert found[:, 0].tolist() == expected


def test_the_maximum_leaves_whitespace_out():
    """Whose vectors are zero, and so larger than negative ones."""
    vectors = np.array([[[-3.0, 2.0]], [[0.0, 0.0]], [[-1.0, 1.0]]], dtype=np.float32)
    weights = np.array([1, 0, 1], dtype=np.float32)
    spans = [(0, 3), (3, 3)]
    found = pool(vectors, spans, weights, maximum=True)
    assert found[:, 0].tolist() == [[-1, 2], [0, 0]]
    none = pool(vectors, [(0, 3)], np.zeros(3, dtype=np.float32), maximum=True)
    assert none[:, 0].tolist() == [[0, 0]]


@pytest.mark.parametrize("maximum", [False, True])
def test_nothing_is_pooled_to_nothing(maximum: bool):
    empty, weights = X[:0], np.zeros(0, dtype=np.float32)
    assert pool(empty, [], weights, maximum=maximum).shape == (0, 1, 2)
    assert pool(empty, [(0, 0)], weights, maximum=maximum).tolist() == [[[0, 0]]]


def test_weights_follow_the_formulas():
    counts = {"the": 50, "bank": 4}
    idf, sif = (WordWeights(counts, 100, kind) for kind in ("idf", "sif"))
    assert idf("the") == pytest.approx(math.log(101 / 51))
    assert idf("bank") == pytest.approx(math.log(101 / 5))
    assert idf("never") == pytest.approx(math.log(101))
    assert sif("the") == pytest.approx(0.001 / 0.501)
    assert sif("bank") == pytest.approx(0.001 / 0.041)
    assert sif("never") == 1


def test_counts_are_read_from_the_file_of_spacy_elmo_vocab(tmp_path: Path):
    """Its sentence marks are no words; words it left out were words of the text."""
    path = tmp_path / "vocab.txt"
    path.write_text("<S>\t9\n</S>\t9\n<UNK>\t10\nthe\t80\nbank\t10\n", encoding="utf8")
    weights = read_word_weights(path, "idf")
    assert weights("the") == pytest.approx(math.log(101 / 81))
    assert weights("<S>") == weights("never") == pytest.approx(math.log(101))


def test_a_file_without_counts_is_refused(tmp_path: Path):
    path = tmp_path / "vocab.txt"
    path.write_text("<S>\n</S>\n<UNK>\nthe\n", encoding="utf8")
    with pytest.raises(ValueError, match="vocab.txt: expected a tab and a count"):
        read_word_weights(path, "sif")
