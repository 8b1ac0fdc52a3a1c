"""The biLM's step length under Adam, layer by layer."""

from typing import Any

import numpy as np
import pytest
import spacy
from spacy.tokens import Doc
from thinc.api import Adam, Model

from spacy_elmo.layers.context import DocumentContext
from spacy_elmo.layers.encoder import build_encoder, get_shim
from spacy_elmo.layers.fine_tuning import FineTuning
from tests.golden_elmo import SENTENCES, GoldenModel

GOLDEN = GoldenModel("relu_hw2")
DOC = Doc(spacy.blank("en").vocab, words=SENTENCES[0])


def encoder(**settings: Any) -> Model:
    model = build_encoder(
        GOLDEN.weights.config,
        context=DocumentContext(),
        frozen=False,
        fine_tuning=FineTuning(**settings),
    )
    get_shim(model).set_weights(GOLDEN.weights)
    return model


def steps(model: Model, n_updates: int = 1) -> dict[str, float]:
    """The longest step of each parameter in the last of some updates."""
    sgd, bilm = Adam(0.01, L2=0.0, grad_clip=0.0), get_shim(model).bilm
    for _ in range(n_updates):
        before = {name: p.detach().clone() for name, p in bilm.named_parameters()}
        outputs, backprop = model.begin_update([DOC])
        backprop([np.ones_like(y) for y in outputs])
        model.finish_update(sgd)
    return {
        name: float((p.detach() - before[name]).abs().max())
        for name, p in bilm.named_parameters()
    }


@pytest.mark.parametrize("scale", [0.5, 0.1])
def test_the_step_scales_and_not_the_gradient(scale: float) -> None:
    """reports G2: under Adam a smaller gradient makes no smaller step."""
    whole, part = steps(encoder()), steps(encoder(learn_rate_scale=scale))
    for name, length in part.items():
        assert whole[name] == pytest.approx(0.01, rel=0.01)
        assert length == pytest.approx(scale * whole[name], rel=0.01)


@pytest.mark.parametrize(
    "n_updates, learning",
    [(1, {"1"}), (2, {"1"}), (3, {"0", "1"}), (5, {"0", "1", "encoder"})],
)
def test_layers_start_from_the_top(n_updates: int, learning: set[str]) -> None:
    last = steps(encoder(unfreeze_every=2), n_updates)
    for name, length in last.items():
        layer = name.split(".")[2] if ".layers." in name else "encoder"
        assert (length > 0) == (layer in learning), name


def test_a_layer_that_waits_stays_bitwise() -> None:
    model = encoder(unfreeze_every=10)
    steps(model, 5)
    state = get_shim(model).bilm.state_dict()
    for name, tensor in GOLDEN.weights.state.items():
        if ".layers.1." not in name:
            assert np.array_equal(state[name].numpy(), tensor.numpy()), name


def test_averages_are_used_and_given_back() -> None:
    """thinc's own shim looks for other keys, so that averages had no effect."""
    model = encoder()
    shim, sgd = get_shim(model), Adam(0.01, use_averages=True)
    for _ in range(3):
        outputs, backprop = model.begin_update([DOC])
        backprop([np.ones_like(y) for y in outputs])
        model.finish_update(sgd)
    name = "forward_lstm.layers.1.bias"
    last = dict(shim.bilm.named_parameters())[name].detach().numpy().copy()
    with model.use_params(sgd.averages):
        used = dict(shim.bilm.named_parameters())[name].detach().numpy().copy()
    assert np.array_equal(used, sgd.averages[(shim.id, f"bilm.{name}")])
    assert not np.array_equal(used, last)
    assert np.array_equal(dict(shim.bilm.named_parameters())[name].detach(), last)


def test_the_schedule_counts_updates_with_gradients_and_starts_anew() -> None:
    model = encoder(unfreeze_every=2)
    for _ in range(5):
        model.finish_update(Adam(0.01))  # nothing to learn from
    last = steps(model)
    assert last["forward_lstm.layers.0.bias"] == 0
    assert steps(model, 2)["forward_lstm.layers.0.bias"] > 0
    get_shim(model).set_weights(GOLDEN.weights)
    assert steps(model)["forward_lstm.layers.0.bias"] == 0


@pytest.mark.parametrize("settings", [{"learn_rate_scale": -1}, {"unfreeze_every": -1}])
def test_bad_settings(settings: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=f"{next(iter(settings))}: expected 0 or more"):
        FineTuning(**settings)


def test_every_gradient_through_thinc_matches_finite_differences() -> None:
    """Along a random direction of each parameter, in float64."""
    model = encoder()
    bilm = get_shim(model).bilm
    outputs, backprop = model.begin_update([DOC])
    random = np.random.RandomState(0)
    wanted = random.standard_normal(outputs[0].shape).astype("f")
    backprop([wanted])
    slopes = {name: p.grad.double() for name, p in bilm.named_parameters()}
    twin = GOLDEN.bilm().double().requires_grad_(False)
    batch = twin.collate([SENTENCES[0]])

    def loss() -> float:
        return float((twin(batch)[0][:, 1:-1].numpy() * wanted).sum())

    for name, parameter in twin.named_parameters():
        direction = slopes[name] / (slopes[name].norm() + 1e-30)
        step = 1e-6
        parameter += step * direction
        above = loss()
        parameter -= 2 * step * direction
        below = loss()
        parameter += step * direction
        expected = (above - below) / (2 * step)
        found = float((slopes[name] * direction).sum())
        assert found == pytest.approx(expected, rel=1e-3, abs=1e-3), name
