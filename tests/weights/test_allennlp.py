"""AllenNLP's and bilm-tf's files: what is read, and what is refused how."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
import torch

from spacy_elmo.weights.allennlp import read_allennlp
from tests.golden_elmo import GOLDEN, MODELS, GoldenModel

CELL = "RNN_0/RNN/MultiRNNCell/Cell0/LSTMCell"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copytree(GOLDEN / "relu_hw2", tmp_path / "model")
    return tmp_path / "model"


def read(folder: Path) -> Any:
    return read_allennlp(folder / "options.json", folder / "weights.hdf5")


def change_options(folder: Path, change: Callable[[dict], Any]) -> None:
    path = folder / "options.json"
    options = json.loads(path.read_text())
    change(options)
    path.write_text(json.dumps(options))


def change_dataset(folder: Path, name: str, value: np.ndarray | None) -> None:
    with h5py.File(folder / "weights.hdf5", "r+") as file:
        del file[name]
        if value is not None:
            file[name] = value


@pytest.mark.parametrize("name", MODELS)
def test_sizes_are_those_of_the_options(name: str) -> None:
    options = json.loads((GOLDEN / name / "options.json").read_text())
    config = GoldenModel(name).weights.config
    lstm, cnn = options["lstm"], options["char_cnn"]
    assert config.cell_dim == lstm["dim"]
    assert config.width == 2 * lstm["projection_dim"]
    assert config.n_layers == lstm["n_layers"]
    assert config.cell_clip == lstm["cell_clip"]
    assert [list(pair) for pair in config.filters] == cnn["filters"]
    assert config.max_characters == cnn["max_characters_per_token"]


def test_byte_b_is_row_b_of_the_file() -> None:
    """bilm-tf issue 145: the ids are shifted by one, the table is not."""
    with h5py.File(GOLDEN / "relu_hw2" / "weights.hdf5") as file:
        table = file["char_embed"][...]
    ours = GoldenModel("relu_hw2").weights.state["token_encoder.embedding.weight"]
    assert torch.equal(ours[1:], torch.from_numpy(table))
    assert not ours[0].any()


@pytest.mark.parametrize("n_characters", [261, 262])
def test_both_numbers_of_characters(folder: Path, n_characters: int) -> None:
    """bilm-tf issues 51, 144, 156, 181."""
    change_options(folder, lambda o: o["char_cnn"].update(n_characters=n_characters))
    expected = GoldenModel("relu_hw2").weights.state
    for name, tensor in read(folder).state.items():
        assert torch.equal(tensor, expected[name])


def test_training_keys_are_ignored(folder: Path) -> None:
    change_options(folder, lambda o: o.update(all_clip_norm_val=10, n_gpus=3))
    assert read(folder).config == GoldenModel("relu_hw2").weights.config


def test_an_absent_n_highway_is_none(folder: Path) -> None:
    change_options(folder, lambda o: o["char_cnn"].pop("n_highway"))
    assert read(folder).config.n_highway == 0


def test_more_layers_in_the_file_than_in_the_options(folder: Path) -> None:
    """Weights cut to fewer layers by their options alone."""
    change_options(folder, lambda o: o["lstm"].update(n_layers=1))
    weights = read(folder)
    assert weights.config.n_layers == 1
    assert not any(".layers.1." in name for name in weights.state)


@pytest.mark.parametrize(
    "change, message",
    [
        (lambda o: o["char_cnn"].update(n_characters=300), "300; expected 261.*262"),
        (lambda o: o.pop("char_cnn"), "not the options of a biLM.*n_tokens_vocab"),
        (
            lambda o: o.update(o.pop("char_cnn") and {"n_tokens_vocab": 3}),
            "token-input model; char_cnn is missing.*vocabulary",
        ),
        (lambda o: o.pop("lstm"), "not the options of a biLM.*lstm"),
        (lambda o: o["lstm"].pop("dim"), "not the options of a biLM.*dim"),
        (lambda o: o["lstm"].update(n_layers=0), "n_layers.*expected.*found 0"),
        (lambda o: o["lstm"].update(dim="4096"), "cell_dim.*found '4096'"),
        (lambda o: o["char_cnn"].update(activation="gelu"), "activation.*gelu"),
        (lambda o: o["char_cnn"].update(filters=7), "filters.*expected pairs.*found 7"),
        (lambda o: o.update(lstm=[]), "not the options of a biLM"),
    ],
)
def test_bad_options(folder: Path, change: Callable, message: str) -> None:
    change_options(folder, change)
    with pytest.raises(ValueError, match=rf"options\.json: .*{message}"):
        read(folder)


@pytest.mark.parametrize(
    "name, value, message",
    [
        ("char_embed", None, r"char_embed is missing; expected shape \(261, 4\)"),
        ("char_embed", np.zeros((262, 4), "f"), r"\(261, 4\).*found \(262, 4\)"),
        (f"{CELL}/W_0", np.zeros((24, 3), "f"), r"W_0: expected shape .*\(24, 3\)"),
        ("CNN_proj/b_proj", np.zeros(12, "i"), "b_proj: expected floats, found int"),
        ("CNN_proj/b_proj", np.full(12, np.nan, "f"), "projection.bias .*not finite"),
    ],
)
def test_bad_datasets(
    folder: Path, name: str, value: np.ndarray | None, message: str
) -> None:
    change_dataset(folder, name, value)
    with pytest.raises(ValueError, match=rf"weights\.hdf5: .*{message}"):
        read(folder)


@pytest.mark.parametrize("n_bytes", [0, 10, 1000, 100_000])
def test_truncated_file(folder: Path, n_bytes: int) -> None:
    path = folder / "weights.hdf5"
    path.write_bytes(path.read_bytes()[:n_bytes])
    with pytest.raises(ValueError, match=r"weights\.hdf5: not a complete hdf5 file"):
        read(folder)


def test_options_that_are_not_json(folder: Path) -> None:
    (folder / "options.json").write_text("{")
    with pytest.raises(ValueError, match=r"options\.json: not JSON"):
        read(folder)


@pytest.mark.parametrize("name", ["options.json", "weights.hdf5"])
def test_missing_file(folder: Path, name: str) -> None:
    (folder / name).unlink()
    with pytest.raises(FileNotFoundError, match=name):
        read(folder)
