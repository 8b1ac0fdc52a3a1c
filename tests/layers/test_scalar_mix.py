"""The weighted sum of layers, its gradients and its settings."""

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from thinc.api import Adam, Model, fix_random_seed

from spacy_elmo.bilm.mix import mix_layers
from spacy_elmo.layers.scalar_mix import (
    ScalarMixSettings,
    build_scalar_mix,
    mix_weights,
)

SCALARS = np.asarray([0.3, -0.5, 1.2], dtype="f")


def layers(*lengths: int) -> list[np.ndarray]:
    random = np.random.RandomState(0)
    return [random.standard_normal((3, n, 5)).astype("f") for n in lengths]


def mix(**settings: Any) -> Model:
    model = build_scalar_mix(ScalarMixSettings(**settings))
    model.initialize(X=layers(2))
    return model


def softmax(scalars: np.ndarray) -> list[float]:
    exponentials = np.exp(scalars)
    return (exponentials / exponentials.sum()).tolist()


def test_it_starts_as_the_average() -> None:
    X = layers(4, 0, 2)
    for x, y in zip(X, mix().predict(X), strict=True):
        assert_allclose(y, x.mean(axis=0), atol=1e-6)


def test_effective_weights_and_gamma() -> None:
    """Golden scalars are before the softmax; the setting is after it."""
    import torch

    model, X = mix(weights=softmax(SCALARS), gamma=1.7), layers(4)
    expected = mix_layers(torch.from_numpy(X[0]), SCALARS.tolist(), 1.7)
    assert_allclose(model.predict(X)[0], expected.numpy(), atol=1e-6)
    weights, gamma = mix_weights(model)
    assert_allclose(weights, softmax(SCALARS), atol=1e-6)
    assert gamma == pytest.approx(1.7)


def test_zero_weights_select_when_they_are_fixed() -> None:
    model, X = mix(weights=[0, 1, 0], train_weights=False), layers(4)
    assert np.array_equal(model.predict(X)[0], X[0][1])


@pytest.mark.parametrize("layer_norm", ["none", "token"])
def test_gradients_match_finite_differences(layer_norm: str) -> None:
    model = mix(weights=softmax(SCALARS), gamma=1.3, layer_norm=layer_norm)
    X, wanted = layers(3, 0, 2), [x[0] for x in layers(3, 0, 2)]

    def loss() -> float:
        pairs = zip(model.predict(X), wanted, strict=True)
        return sum(float((y.astype("d") * w).sum()) for y, w in pairs)

    def slope(array: np.ndarray, place: Any, step: float = 1e-2) -> float:
        before = array[place]
        array[place] = before + step
        above = loss()
        array[place] = before - step
        below = loss()
        array[place] = before
        return (above - below) / (2 * step)

    _, backprop = model.begin_update(X)
    dX = backprop(wanted)
    for name in ("scalars", "gamma"):
        parameter = model.get_param(name)
        expected = [slope(parameter, i) for i in range(len(parameter))]
        assert_allclose(model.get_grad(name), expected, rtol=2e-3, atol=2e-3)
    for place in [(0, 0, 0), (1, 2, 4), (2, 1, 3)]:
        assert dX[0][place] == pytest.approx(slope(X[0], place), rel=5e-3, abs=5e-3)


def test_token_norm_is_of_one_token() -> None:
    """reports F7: the peers normalize over the batch, so that batch mates matter."""
    model, X = mix(layer_norm="token"), layers(4, 3)
    alone = model.predict([X[1]])[0]
    assert np.array_equal(model.predict(X)[1], alone)
    single = mix(weights=[0, 1, 0], train_weights=False, layer_norm="token")
    y = single.predict(X)[0]
    assert_allclose(y.mean(axis=1), 0, atol=1e-6)
    assert_allclose(y.std(axis=1), 1, atol=1e-5)


@pytest.mark.parametrize("train_weights", [True, False])
@pytest.mark.parametrize("train_gamma", [True, False])
def test_only_what_is_trained_changes(train_weights: bool, train_gamma: bool) -> None:
    model = mix(train_weights=train_weights, train_gamma=train_gamma)
    before = mix_weights(model)
    X = layers(3)
    _, backprop = model.begin_update(X)
    backprop([x[0] for x in X])
    model.finish_update(Adam(0.1))
    weights, gamma = mix_weights(model)
    assert (weights != before[0]) == train_weights
    assert (gamma != before[1]) == train_gamma


def test_dropout_is_active_in_training_alone() -> None:
    fix_random_seed(0)
    model, X = mix(dropout=0.5), layers(50)
    trained, _ = model.begin_update(X)
    zeros = (trained[0] == 0).mean()
    assert 0.4 < zeros < 0.6
    assert not (model.predict(X)[0] == 0).any()


def test_layer_dropout_leaves_layers_out() -> None:
    fix_random_seed(0)
    model, X = mix(layer_dropout=0.5), layers(2)
    seen = set()
    for _ in range(100):
        (y,), backprop = model.begin_update(X)
        kept = [k for k in range(3) if backprop([y])[0][k].any()]
        assert_allclose(y, X[0][kept].mean(axis=0), atol=1e-5)
        seen.add(tuple(kept))
    assert seen == {(0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2)}


def test_l2_pulls_the_weights_together() -> None:
    model, X = mix(weights=[0.6, 0.3, 0.1], l2=1.0), layers(2)
    _, backprop = model.begin_update(X)
    backprop([np.zeros_like(X[0][0])])
    scalars = model.get_param("scalars")
    expected = 2 * (scalars - scalars.mean())
    assert_allclose(model.get_grad("scalars"), expected, atol=1e-6)


def test_the_pull_does_not_notice_layers_that_are_left_out() -> None:
    fix_random_seed(0)
    model, X = mix(weights=[0.6, 0.3, 0.1], l2=1.0, layer_dropout=0.5), layers(2)
    scalars = model.get_param("scalars")
    expected = 2 * (scalars - scalars.mean())
    for _ in range(10):
        _, backprop = model.begin_update(X)
        backprop([np.zeros_like(X[0][0])])
        assert_allclose(model.get_grad("scalars"), expected, atol=1e-6)
        model.set_grad("scalars", np.zeros_like(scalars))


@pytest.mark.parametrize(
    "settings, message",
    [
        ({"weights": [0.5, 0.6]}, "sum to 1.1"),
        ({"weights": [1.5, -0.5]}, "0 or more"),
        ({"weights": []}, "weights"),
        ({"weights": [float("nan"), 1.0]}, "weights"),
        ({"gamma": float("inf")}, "gamma"),
        ({"weights": [0.0, 1.0]}, "train_weights"),
        ({"layer_norm": "batch"}, "layer_norm"),
        ({"dropout": 1.0}, "dropout"),
        ({"layer_dropout": -0.1}, "layer_dropout"),
        ({"l2": -1}, "l2"),
    ],
)
def test_bad_settings_are_named(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=f"ScalarMix .*{message}"):
        ScalarMixSettings(**settings)


def test_wrong_number_of_weights() -> None:
    with pytest.raises(ValueError, match="2 weights but is given the 3 layers"):
        mix(weights=[0.5, 0.5])


def test_bytes_keep_the_weights_exactly() -> None:
    model = mix(weights=softmax(SCALARS), gamma=1.3)
    copy = build_scalar_mix(ScalarMixSettings()).from_bytes(model.to_bytes())
    assert mix_weights(copy) == mix_weights(model)
