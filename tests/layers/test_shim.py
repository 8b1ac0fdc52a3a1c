"""Weights are set once, and clearly refused where they do not fit."""

import pytest

from spacy_elmo.bilm import BiLM, BiLMConfig, Weights
from spacy_elmo.layers.shim import BiLMShim
from tests.golden_elmo import GoldenModel


def test_bundled_weights_on_first_use() -> None:
    shim = BiLMShim(BiLM(BiLMConfig()))
    assert not shim.has_weights
    shim.require_weights()
    assert shim.has_weights
    assert shim.cfg["provenance"]["source"] == "en_prototype"


def test_no_weights_of_these_sizes() -> None:
    shim = BiLMShim(BiLM(BiLMConfig(n_layers=1)))
    with pytest.raises(ValueError, match=r"n_layers: 1, 2.*initialize\.components"):
        shim.to_bytes()


def test_weights_of_other_sizes_change_nothing() -> None:
    shim = BiLMShim(BiLM(BiLMConfig()))
    with pytest.raises(ValueError, match="do not fit.*cell_dim: 512, 40"):
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
