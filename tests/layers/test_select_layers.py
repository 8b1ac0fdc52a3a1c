"""Chosen layers: which, how joined, and what is refused."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from thinc.api import Model

from spacy_elmo.layers.mix import bind_mix
from spacy_elmo.layers.select_layers import Selection, build_select_layers

X = [np.arange(3 * n * 2, dtype="f").reshape(3, n, 2) for n in (4, 0, 1)]


def select(
    layers: list[int] | None, combine: str = "concatenate", kept: tuple = (0, 1, 2)
) -> Model:
    model = build_select_layers(Selection(layers, combine))
    bind_mix(model, kept, 2)
    model.initialize(X=X)
    return model


@pytest.mark.parametrize("layers, row", [([-1], 2), ([0], 0), ([1], 1)])
def test_one_layer(layers: list[int], row: int) -> None:
    model = select(layers)
    assert model.get_dim("nO") == 2
    for x, y in zip(X, model.predict(X), strict=True):
        assert np.array_equal(y, x[row])


def test_concatenation() -> None:
    model = select(None)
    assert model.get_dim("nO") == 6
    assert np.array_equal(model.predict(X)[0], np.concatenate(list(X[0]), axis=1))


def test_average() -> None:
    model = select([0, 2], "average")
    assert model.get_dim("nO") == 2
    assert_allclose(model.predict(X)[0], (X[0][0] + X[0][2]) / 2)


@pytest.mark.parametrize("combine", ["concatenate", "average"])
def test_gradients_go_where_they_came_from(combine: str) -> None:
    model = select([2, 0], combine)
    Y, backprop = model.begin_update(X)
    (dx, *_) = backprop([np.ones_like(y) for y in Y])
    share = 1.0 if combine == "concatenate" else 0.5
    assert_allclose(dx[[0, 2]], share)
    assert_allclose(dx[1], 0)


def test_layers_are_called_by_their_numbers() -> None:
    """Of the kept layers 0 and 2, number 2 is the second row, and 1 is not there."""
    assert np.array_equal(select([2], kept=(0, 2)).predict(X)[0], X[0][1])
    with pytest.raises(ValueError, match=r"asks for layer 1.*\[0, 2\]"):
        select([1], kept=(0, 2))


@pytest.mark.parametrize("layers, combine", [([], "average"), (None, "sum")])
def test_bad_settings(layers: list[int] | None, combine: str) -> None:
    with pytest.raises(ValueError, match="SelectLayers"):
        Selection(layers, combine)
