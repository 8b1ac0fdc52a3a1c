"""What a training writes: read back, by us and by others' format."""

from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
import torch

import spacy_elmo
from spacy_elmo.bilm import BiLM, BiLMConfig, Weights
from spacy_elmo.pretraining.folder import (
    read_language_model,
    weights_of,
    write_language_model,
)
from spacy_elmo.pretraining.language_model import LanguageModel
from spacy_elmo.pretraining.softmax import AdaptiveSoftmax, LinearSoftmax
from spacy_elmo.weights.allennlp import read_allennlp
from spacy_elmo.weights.allennlp_export import write_allennlp

from ..golden_elmo import GOLDEN, MODELS
from .util import SIZES, make_model, make_vocabulary

SENTENCE = ["the", "cat", "zzz"]


def make_adaptive_model() -> LanguageModel:
    vocabulary = make_vocabulary()
    softmax = AdaptiveSoftmax(len(vocabulary), 8, [4, 8], 2.0)
    return LanguageModel(BiLM(BiLMConfig(**SIZES)), softmax, vocabulary)


@pytest.mark.parametrize("model", [make_model(), make_adaptive_model()])
def test_a_language_model_reads_back(tmp_path: Path, model: LanguageModel):
    write_language_model(model, tmp_path / "model")
    read = read_language_model(tmp_path / "model")
    assert read.vocabulary.words == model.vocabulary.words
    assert read.score(SENTENCE) == model.score(SENTENCE)


def test_the_folder_works_in_a_pipeline_without_the_softmax(tmp_path: Path):
    model = make_model()
    write_language_model(model, tmp_path / "model")
    (tmp_path / "model" / "softmax.safetensors").unlink()
    doc = spacy_elmo.blank("en", weights=tmp_path / "model")("the cat sat")
    layers, _ = model.bilm(model.bilm.collate([["the", "cat", "sat"]]))
    expected = layers[:, 1:-1].detach().numpy()
    assert np.allclose(doc._.elmo, expected, atol=1e-5)


def test_without_a_softmax_the_error_says_where_to_get_one(tmp_path: Path):
    """AllenNLP 1725, bilm-tf issue 62: the published files predict no words."""
    write_language_model(make_model(), tmp_path)
    (tmp_path / "softmax.safetensors").unlink()
    with pytest.raises(FileNotFoundError, match="No softmax .* spacy elmo pretrain"):
        read_language_model(tmp_path)


def test_a_softmax_of_another_width_is_refused(tmp_path: Path):
    write_language_model(make_model(), tmp_path / "a")
    write_language_model(make_model(projection_dim=4), tmp_path / "b")
    softmax = (tmp_path / "b" / "softmax.safetensors").read_bytes()
    (tmp_path / "a" / "softmax.safetensors").write_bytes(softmax)
    with pytest.raises(ValueError, match="does not fit its biLM"):
        read_language_model(tmp_path / "a")


@pytest.mark.parametrize("form", ["npz", "hdf5"])
def test_a_softmax_of_another_form_is_read(tmp_path: Path, form: str):
    model = make_model()
    softmax = model.softmax
    assert isinstance(softmax, LinearSoftmax)
    arrays = softmax.weight.detach(), softmax.bias.detach()
    weights = weights_of(model)
    if form == "npz":
        write_allennlp(weights, tmp_path)
        np.savez(tmp_path / "softmax.npz", W=arrays[0].half(), b=arrays[1])
    else:
        write_allennlp(weights, tmp_path, arrays)
    model.vocabulary.write(tmp_path / "vocab.txt")
    read = read_language_model(tmp_path)
    found = read.score(SENTENCE).forward
    assert found == pytest.approx(model.score(SENTENCE).forward, abs=0.01)


@pytest.mark.parametrize("name", MODELS)
def test_allennlp_files_are_written_as_they_were_read(tmp_path: Path, name: str):
    folder = GOLDEN / name
    weights = read_allennlp(folder / "options.json", folder / "weights.hdf5")
    write_allennlp(weights, tmp_path)
    with (
        h5py.File(folder / "weights.hdf5") as theirs,
        h5py.File(tmp_path / "weights.hdf5") as ours,
    ):
        assert_same_datasets(ours, theirs)
    read = read_allennlp(tmp_path / "options.json", tmp_path / "weights.hdf5")
    assert read.config == weights.config
    assert_same_state(read, weights)


def assert_same_datasets(ours: h5py.File, theirs: h5py.File) -> None:
    names: list[str] = []

    def visit(name: str, item: Any) -> None:
        if isinstance(item, h5py.Dataset):
            names.append(name)

    ours.visititems(visit)
    assert "char_embed" in names
    for name in names:
        assert np.array_equal(ours[name][...], theirs[name][...]), name


def assert_same_state(ours: Weights, theirs: Weights) -> None:
    for name, tensor in theirs.state.items():
        assert torch.equal(ours.state[name], tensor), name


def test_exported_options_are_for_inference(tmp_path: Path):
    write_allennlp(weights_of(make_model()), tmp_path)
    assert '"n_characters": 262' in (tmp_path / "options.json").read_text()


def test_a_forget_bias_that_the_format_lacks_is_refused(tmp_path: Path):
    weights = weights_of(make_model(forget_bias=0.5))
    with pytest.raises(ValueError, match="this biLM adds 0.5"):
        write_allennlp(weights, tmp_path)
