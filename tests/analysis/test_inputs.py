"""What classifiers read."""

import numpy as np

from spacy_elmo.analysis.inputs import LayerInputs, one_hot, read_layers
from spacy_elmo.analysis.labelled import Labelled, Split
from spacy_elmo.analysis.layer_reader import combinations
from tests.analysis.util import make_reader

TRAIN = Split([Labelled(["a", "b", "a"], ["X"] * 3), Labelled(["b"], ["X"])])
TEST = Split([Labelled(["b", "c"], ["X"] * 2)])


def test_one_hot_words() -> None:
    known, tested = one_hot(TRAIN, TEST, 0)
    assert known.rows.tolist() == [[1], [2], [1], [2]]
    assert tested.rows.tolist() == [[2], [0]]
    assert known.n_rows == tested.n_rows == 3


def test_one_hot_neighbours_tell_left_from_right() -> None:
    known, tested = one_hot(TRAIN, TEST, 1)
    assert known.rows.shape == (4, 3)
    (_, a, right_of_a), (left_of_b, b, _), *_ = known.rows.tolist()
    assert len({a, b, right_of_a, left_of_b}) == 4
    # In the test set b opens a sentence, as in the second of training; c is unknown.
    (left_of_first, first, _), (left_of_c, c, right_of_c) = tested.rows.tolist()
    assert [left_of_first, first] == known.rows[3, :2].tolist()
    assert c == 0
    assert left_of_c == known.rows[2, 0]
    assert right_of_c == known.rows[3, 2]


def test_layers_of_all_words() -> None:
    reader = make_reader()
    layers = read_layers(reader, TRAIN)
    assert layers.dtype == np.float16
    expected = np.concatenate([x for _, x in reader.read(TRAIN.sentences)], axis=1)
    assert np.array_equal(layers, expected.astype(np.float16))


def test_a_batch_is_computed_in_float32() -> None:
    layers = np.full((3, 4, 2), 40_000, dtype=np.float16)
    mix = combinations(3)[3]
    found = LayerInputs(layers, mix)(np.asarray([1, 3]))
    assert found.tolist() == [[40_000, 40_000]] * 2
