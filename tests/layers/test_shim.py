"""Weights are set once, and clearly refused where they do not fit."""

import copy
import pickle
from collections.abc import Callable

import numpy as np
import pytest
import torch
from thinc.api import Adam

from spacy_elmo.bilm import BiLM, BiLMConfig, Weights
from spacy_elmo.layers.shim import BiLMShim
from spacy_elmo.weights.loaders import BUNDLED
from tests.golden_elmo import GoldenModel


def test_bundled_weights_on_first_use() -> None:
    shim = BiLMShim(BiLM(BiLMConfig()))
    assert not shim.has_weights
    shim.require_weights()
    assert shim.has_weights
    assert shim.cfg["provenance"]["source"] == BUNDLED.name


def test_no_weights_of_these_sizes() -> None:
    shim = BiLMShim(BiLM(BiLMConfig(n_layers=1)))
    with pytest.raises(ValueError, match=r"n_layers: 1, 2.*initialize\.components"):
        shim.to_bytes()


def test_weights_of_other_sizes_change_nothing() -> None:
    shim = BiLMShim(BiLM(BiLMConfig()))
    with pytest.raises(ValueError, match="do not fit.*cell_dim: .*, 40"):
        shim.set_weights(GoldenModel("relu_hw2").weights)
    assert not shim.has_weights


def test_bytes_of_other_sizes_change_nothing() -> None:
    golden = GoldenModel("relu_hw2")
    source = BiLMShim(golden.bilm())
    source.has_weights = True
    shim = BiLMShim(BiLM(BiLMConfig()))
    with pytest.raises(ValueError, match="bias: expected .*found"):
        shim.from_bytes(source.to_bytes())
    assert not shim.has_weights


def test_provenance_holds_no_path() -> None:
    weights = GoldenModel("relu_hw2").weights
    assert isinstance(weights, Weights)
    names = [record["name"] for record in weights.provenance["files"]]
    assert names == ["options.json", "weights.hdf5"]
    assert "/" not in str(weights.provenance)


def loaded(name: str = "relu_hw2") -> BiLMShim:
    golden = GoldenModel(name)
    shim = BiLMShim(golden.bilm())
    shim.has_weights = True
    return shim


def predict(shim: BiLMShim) -> torch.Tensor:
    engine = shim.engine(kept_words=10, precision="float32")
    return engine.layers([["cat"]], [0, 1, 2])


def take_a_step(shim: BiLMShim) -> None:
    predict(shim)
    shim.bilm.requires_grad_()
    shim.bilm(shim.bilm.collate([["cat"]]))[0].sum().backward()
    shim.finish_update(Adam(0.1))


def take_weights(shim: BiLMShim) -> None:
    weights = GoldenModel("relu_hw2").weights
    state = {name: 2 * tensor for name, tensor in weights.state.items()}
    shim.set_weights(Weights(weights.config, state))


def take_bytes(shim: BiLMShim) -> None:
    other = loaded()
    take_weights(other)
    shim.from_bytes(other.to_bytes())


@pytest.mark.parametrize("change", [take_a_step, take_weights, take_bytes])
def test_new_weights_are_predicted_with(change: Callable[[BiLMShim], None]) -> None:
    shim = loaded()
    before = predict(shim)
    change(shim)
    fresh = BiLMShim(shim.bilm)
    assert not torch.allclose(predict(shim), before)
    assert torch.equal(predict(shim), predict(fresh))


def test_other_parameters_are_predicted_with_for_a_while() -> None:
    shim = loaded()
    before = predict(shim)
    name, weight = next(iter(shim.bilm.named_parameters()))
    with shim.use_params({(shim.id, f"bilm.{name}"): 2 * weight.detach().numpy()}):
        during = predict(shim)
    assert not torch.allclose(during, before)
    assert torch.equal(predict(shim), before)


@pytest.mark.parametrize(
    "duplicate", [copy.deepcopy, lambda s: pickle.loads(pickle.dumps(s))]
)
def test_an_engine_is_made_once_and_not_copied(
    duplicate: Callable[[BiLMShim], BiLMShim],
) -> None:
    shim = loaded()
    expected = predict(shim)
    engine = shim.engine(kept_words=10, precision="float32")
    assert shim.engine(kept_words=10, precision="float32") is engine
    other = duplicate(shim)
    assert other.engine(kept_words=10, precision="float32") is not engine
    np.testing.assert_array_equal(predict(other), expected)
