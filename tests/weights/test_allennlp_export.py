"""What was read is written back dataset by dataset, for us and for the others."""

import json
from pathlib import Path

import h5py
import numpy as np
import pytest
import torch

from spacy_elmo.bilm import BiLM, BiLMConfig, Weights
from spacy_elmo.weights.allennlp import read_allennlp
from spacy_elmo.weights.allennlp_export import write_allennlp
from spacy_elmo.weights.efml import read_efml
from tests.golden_elmo import GOLDEN, MODELS, GoldenModel

EFML = GOLDEN.parent / "efml"


def datasets_of(path: Path) -> dict[str, np.ndarray]:
    datasets = {}

    def visit(name: str, item: h5py.Group | h5py.Dataset) -> None:
        if isinstance(item, h5py.Dataset):
            datasets[name] = item[...]

    with h5py.File(path) as file:
        file.visititems(visit)
    return datasets


def read(folder: Path) -> Weights:
    return read_allennlp(folder / "options.json", folder / "weights.hdf5")


@pytest.mark.parametrize("name", MODELS)
def test_the_file_is_equal_dataset_by_dataset(name: str, tmp_path: Path) -> None:
    """allennlp issues 2101, 2403, 2904: orders, signs and offsets are the file's."""
    write_allennlp(GoldenModel(name).weights, tmp_path)
    theirs = datasets_of(GOLDEN / name / "weights.hdf5")
    ours = datasets_of(tmp_path / "weights.hdf5")
    assert ours.keys() == {key for key in theirs if not key.startswith("softmax")}
    for key, array in ours.items():
        assert array.dtype == np.float32
        assert np.array_equal(array, theirs[key])


@pytest.mark.parametrize("name", MODELS)
def test_the_options_are_equal(name: str, tmp_path: Path) -> None:
    """bilm-tf issues 51, 144: n_characters is written as inference wants it."""
    write_allennlp(GoldenModel(name).weights, tmp_path)
    theirs = json.loads((GOLDEN / name / "options.json").read_text())
    ours = json.loads((tmp_path / "options.json").read_text())
    assert ours["char_cnn"]["n_characters"] == 262
    for block in ("lstm", "char_cnn"):
        for key, value in ours[block].items():
            if key in theirs[block] and key != "n_characters":
                assert value == theirs[block][key]


@pytest.mark.parametrize("name", MODELS)
def test_read_write_read(name: str, tmp_path: Path) -> None:
    weights = GoldenModel(name).weights
    write_allennlp(weights, tmp_path)
    again = read(tmp_path)
    assert again.config == weights.config
    assert again.state.keys() == weights.state.keys()
    assert all(torch.equal(t, weights.state[k]) for k, t in again.state.items())


def test_a_fine_tuned_model_keeps_its_vectors(tmp_path: Path) -> None:
    bilm = GoldenModel("relu_hw2").bilm()
    batch = bilm.collate([["The", "cat", "sat"]])
    sgd = torch.optim.SGD(bilm.parameters(), lr=0.01)
    bilm(batch)[0].square().mean().backward()
    sgd.step()
    state = {name: p.detach() for name, p in bilm.state_dict().items()}
    write_allennlp(Weights(bilm.config, state), tmp_path)
    with torch.no_grad():
        assert torch.equal(read(tmp_path).to_model()(batch)[0], bilm(batch)[0])
    before = GoldenModel("relu_hw2").weights.state
    assert not torch.equal(
        before["token_encoder.embedding.weight"],
        read(tmp_path).state["token_encoder.embedding.weight"],
    )


def test_a_softmax_is_written_beside(tmp_path: Path) -> None:
    W, b = torch.randn(5, 12), torch.randn(5)
    write_allennlp(GoldenModel("relu_hw2").weights, tmp_path, (W, b))
    datasets = datasets_of(tmp_path / "weights.hdf5")
    assert np.array_equal(datasets["softmax/W"], W.numpy())
    assert np.array_equal(datasets["softmax/b"], b.numpy())
    assert read(tmp_path).config == GoldenModel("relu_hw2").weights.config


def test_what_the_format_cannot_say(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    with pytest.raises(ValueError, match="adds 1.0 to the forget gate.*adds 0.0"):
        write_allennlp(read_efml(EFML / "word_char"), folder)
    config = BiLMConfig(
        characters="none", n_words=3, word_dim=5, projection_dim=4, cell_dim=6
    )
    vocabulary = ["<S>", "</S>", "<UNK>"]
    weights = Weights(config, BiLM(config).state_dict(), vocabulary)
    with pytest.raises(ValueError, match=r"as wide as projection_dim \(4\).*word_dim"):
        write_allennlp(weights, folder)
    assert not folder.exists()
