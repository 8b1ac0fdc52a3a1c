"""Our own form: written, read back, refused."""

import json
from pathlib import Path

import pytest
import torch

from spacy_elmo.weights.native import (
    CONFIG_NAME,
    WEIGHTS_NAME,
    read_native,
    write_native,
)
from tests.golden_elmo import MODELS, GoldenModel


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_native(GoldenModel("relu_hw2").weights, tmp_path / "native")
    return tmp_path / "native"


@pytest.mark.parametrize("name", MODELS)
def test_round_trip(name: str, tmp_path: Path) -> None:
    weights = GoldenModel(name).weights
    write_native(weights, tmp_path)
    again = read_native(tmp_path)
    assert again.config == weights.config
    assert again.state.keys() == weights.state.keys()
    for key, tensor in again.state.items():
        assert torch.equal(tensor, weights.state[key])


def test_float16_is_float32_when_read(tmp_path: Path) -> None:
    weights = GoldenModel("relu_hw2").weights
    write_native(weights, tmp_path, torch.float16)
    for key, tensor in read_native(tmp_path).state.items():
        assert torch.equal(tensor, weights.state[key].half().float())


def test_a_moved_folder_is_read(folder: Path) -> None:
    """ELMoForManyLangs issues 19, 55, 77, 84: no path is written."""
    moved = folder.rename(folder.parent / "moved")
    assert read_native(moved).provenance["source"] == "moved"
    assert str(folder.parent) not in (moved / CONFIG_NAME).read_text()


@pytest.mark.parametrize("n_bytes", [0, 7, 1000, -1])
def test_truncated_file(folder: Path, n_bytes: int) -> None:
    path = folder / WEIGHTS_NAME
    path.write_bytes(path.read_bytes()[:n_bytes])
    with pytest.raises(ValueError, match="weights.safetensors: not a complete"):
        read_native(folder)


@pytest.mark.parametrize(
    "change, message",
    [
        ({"format": "other"}, "not written by spacy-elmo"),
        ({"bilm": None}, "not written by spacy-elmo"),
        ({"format_version": 99}, "format version 99; this spacy-elmo reads 1"),
        ({"bilm": {"n_layers": 0}}, "n_layers"),
        ({"bilm": {"depth": 2}}, "depth"),
        ({"bilm": {"n_layers": 1}}, "is unknown"),
    ],
)
def test_bad_header(folder: Path, change: dict, message: str) -> None:
    path = folder / CONFIG_NAME
    header = {**json.loads(path.read_text()), **change}
    path.write_text(json.dumps(header))
    with pytest.raises(ValueError, match=message):
        read_native(folder)


def test_missing_files(folder: Path) -> None:
    (folder / WEIGHTS_NAME).unlink()
    with pytest.raises(FileNotFoundError, match=WEIGHTS_NAME):
        read_native(folder)
    (folder / CONFIG_NAME).unlink()
    with pytest.raises(FileNotFoundError, match=r"config\.json.*folder holds \[\]"):
        read_native(folder)
