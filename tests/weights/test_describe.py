"""Weights as figures and as settings."""

import json

import pytest
from thinc.api import Config

from spacy_elmo.bilm import BiLMConfig
from spacy_elmo.weights.describe import describe, fill_config
from spacy_elmo.weights.detect import read_weights
from tests.golden_elmo import GOLDEN, GoldenModel

EFML = GOLDEN.parent / "efml"

BASE = """
[components]

[components.elmo]
factory = "elmo"

[components.elmo.model]
@architectures = "spacy-elmo.Elmo.v1"
frozen = false
n_layers = 7

[components.tagger]
factory = "tagger"
"""


def test_figures() -> None:
    figures = describe(read_weights(EFML / "word_char"))
    assert (figures["width"], figures["n_layers"]) == (16, 3)
    assert (figures["vocabulary"], figures["characters"]) == (17, 58)
    assert figures["sizes"]["word_dim"] == 5
    assert figures["provenance"]["source"] == "word_char"
    assert json.loads(json.dumps(figures)) == figures


def test_parameters_are_counted() -> None:
    golden = GoldenModel("tanh_hw1")
    expected = sum(parameter.numel() for parameter in golden.bilm().parameters())
    assert describe(golden.weights)["n_parameters"] == expected
    assert describe(golden.weights)["vocabulary"] is None


@pytest.mark.parametrize("folder", [GOLDEN / "clip", EFML / "word_only"], ids=str)
def test_a_filled_config_has_the_sizes_and_the_loader(folder) -> None:
    weights = read_weights(folder)
    base = Config().from_str(BASE)
    filled = fill_config(base, weights, folder)
    filled = Config().from_str(filled.to_str())
    model = filled["components"]["elmo"]["model"]
    assert model.pop("@architectures") == "spacy-elmo.Elmo.v1"
    assert model.pop("frozen") is False
    assert BiLMConfig(**model) == weights.config
    assert filled["initialize"]["components"]["elmo"]["loader"] == {
        "@misc": "spacy-elmo.FolderWeights.v1",
        "path": str(folder),
    }
    assert filled["components"]["tagger"] == base["components"]["tagger"]
    assert base["components"]["elmo"]["model"]["n_layers"] == 7


def test_filling_again_leaves_nothing_of_other_weights() -> None:
    base = Config().from_str(BASE)
    words = read_weights(EFML / "word_only")
    letters = read_weights(GOLDEN / "clip")
    again = fill_config(fill_config(base, words, "a"), letters, "b")
    assert again == fill_config(base, letters, "b")


def test_a_component_without_a_model_gets_one() -> None:
    base = Config({"components": {"context": {"factory": "elmo"}}})
    weights = GoldenModel("clip").weights
    filled = fill_config(base, weights, "folder", component="context")
    model = filled["components"]["context"]["model"]
    assert model["@architectures"] == "spacy-elmo.Elmo.v1"
    assert model["cell_clip"] == weights.config.cell_clip


def test_a_config_without_the_component() -> None:
    with pytest.raises(
        ValueError, match=r"No block \[components.elmo\]; found \['ner'\]"
    ):
        fill_config(
            Config({"components": {"ner": {}}}), GoldenModel("clip").weights, "folder"
        )
