"""Which reader a folder gets, and that loaders wait until they are called."""

from pathlib import Path

import pytest
import torch
from spacy.util import registry

import spacy_elmo
from spacy_elmo.bilm import BiLMConfig
from spacy_elmo.weights.loaders import read_weights
from spacy_elmo.weights.native import write_native
from tests.golden_elmo import GOLDEN, GoldenModel


def test_allennlp_folder() -> None:
    weights = read_weights(GOLDEN / "clip")
    assert weights.config == GoldenModel("clip").weights.config


def test_native_folder(tmp_path: Path) -> None:
    write_native(GoldenModel("clip").weights, tmp_path)
    assert read_weights(tmp_path).config == GoldenModel("clip").weights.config


def test_other_folders_say_what_they_hold(tmp_path: Path) -> None:
    (tmp_path / "model.bin").touch()
    with pytest.raises(ValueError, match=r"\['model.bin'\].*options\.json.*hdf5"):
        read_weights(tmp_path)
    with pytest.raises(FileNotFoundError, match="No folder of weights"):
        read_weights(tmp_path / "nowhere")


def test_bundled_weights_have_the_default_sizes() -> None:
    weights = registry.misc.get("spacy-elmo.BundledWeights.v1")()()
    assert weights.config == BiLMConfig()
    assert all(t.dtype == torch.float32 for t in weights.state.values())


def test_loaders_read_nothing_before_they_are_called() -> None:
    loader = registry.misc.get("spacy-elmo.AllenNLPWeights.v1")(
        options="nowhere/options.json", weights="nowhere/weights.hdf5"
    )
    with pytest.raises(FileNotFoundError, match="nowhere"):
        loader()


def test_blank_with_weights_equals_allennlp() -> None:
    golden = GoldenModel("noskip")
    nlp = spacy_elmo.blank("en", weights=golden.folder)
    doc = nlp("The cat sat on the mat.")
    expected = golden.expected["single_0"]
    assert doc._.elmo.shape == expected.shape
    assert abs(doc._.elmo - expected).max() <= golden.tolerance
    assert nlp.get_pipe("elmo").provenance["source"] == "weights.hdf5"


def test_blank_without_weights_is_the_bundled_model() -> None:
    nlp = spacy_elmo.blank("en")
    assert nlp("One word")._.elmo.shape == (3, 2, 256)
