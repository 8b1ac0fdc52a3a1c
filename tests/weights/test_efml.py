"""ELMoForManyLangs: equal to its own outputs; what is read, and what is refused."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose

from spacy_elmo.bilm import BiLM, BiLMState
from spacy_elmo.weights.efml import PUBLISHED, PUBLISHED_SETTINGS, read_efml
from spacy_elmo.weights.native import read_native, write_native

GOLDEN = Path(__file__).parent.parent / "golden" / "efml"
MODELS = ["char_clip", "word_char", "word_only"]
_FILE = json.loads((GOLDEN / "sentences.json").read_text("utf8"))
SENTENCES: list[list[str]] = _FILE["sentences"]

#: The files of `char_clip` are themselves 5.1e-6 away from float64, as ours are.
TOLERANCES = {"char_clip": 1.5e-5}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copytree(GOLDEN / "word_char", tmp_path / "model", copy_function=shutil.copy)
    for file in (tmp_path / "model").iterdir():
        file.chmod(0o644)
    return tmp_path / "model"


def run(
    bilm: BiLM, sentences: list[list[str]], state: BiLMState | None = None
) -> tuple[list[np.ndarray], BiLMState]:
    """The layers of each sentence without its boundaries, and the states."""
    batch = bilm.collate(sentences)
    with torch.no_grad():
        layers, end = bilm(batch, state=state)
    parts = layers.split(batch.lengths.tolist(), dim=1)
    return [part[:, 1:-1].numpy() for part in parts], end


def close(ours: np.ndarray, theirs: np.ndarray, name: str) -> None:
    assert ours.shape == theirs.shape
    assert_allclose(ours, theirs, rtol=0, atol=TOLERANCES.get(name, 5e-6))


@pytest.mark.parametrize("name", MODELS)
def test_layers_of_a_batch_and_of_single_sentences(name: str) -> None:
    bilm = read_efml(GOLDEN / name).to_model()
    expected = np.load(GOLDEN / name / "expected.npz")
    together, _ = run(bilm, SENTENCES)
    for i, words in enumerate(SENTENCES):
        close(together[i], expected[f"all_{i}"], name)
        (alone,), _ = run(bilm, [words])
        close(alone, expected[f"single_{i}"], name)
        if words:
            close(alone.mean(axis=0), expected[f"avg_{i}"], name)


def test_a_second_call_goes_on_from_the_state_of_the_first() -> None:
    bilm = read_efml(GOLDEN / "word_char").to_model()
    expected = np.load(GOLDEN / "word_char" / "expected.npz")
    _, state = run(bilm, SENTENCES)
    again, _ = run(bilm, SENTENCES, state)
    for i, ours in enumerate(again):
        close(ours, expected[f"second_call_{i}"], "word_char")


@pytest.mark.parametrize("name", MODELS)
def test_native_round_trip(name: str, tmp_path: Path) -> None:
    weights = read_efml(GOLDEN / name)
    write_native(weights, tmp_path)
    again = read_native(tmp_path)
    assert again.config == weights.config
    assert again.vocabulary == weights.vocabulary
    assert again.characters == weights.characters
    assert again.state.keys() == weights.state.keys()
    assert all(torch.equal(t, weights.state[k]) for k, t in again.state.items())


def test_a_gate_of_theirs_is_one_minus_ours() -> None:
    theirs = torch.load(GOLDEN / "word_char" / "token_embedder.pkl", weights_only=True)
    ours = read_efml(GOLDEN / "word_char").state
    name = "token_encoder.highways.0.{}.bias"
    transform, carry = theirs["highways._layers.0.bias"].chunk(2)
    assert torch.equal(ours[name.format("transform")], transform)
    assert torch.equal(ours[name.format("carry")], -carry)


def test_the_word_marks_are_exchanged() -> None:
    characters = read_efml(GOLDEN / "char_clip").characters
    assert characters is not None
    assert (characters.index("<bow>"), characters.index("<eow>")) == (57, 56)


def test_long_words_are_equal_after_48_characters() -> None:
    bilm = read_efml(GOLDEN / "word_char").to_model()
    (layers,), _ = run(bilm, [["x" * 48, "x" * 49, "x" * 47]])
    a, b, c = layers[0]  # the token layer
    assert np.allclose(a, b) and not np.allclose(a, c)


def test_a_whitespace_entry_is_the_ideographic_space(folder: Path) -> None:
    path = folder / "char.dic"
    lines = path.read_text("utf8").replace("\u3000\t44", " \t44")
    path.write_text(lines, "utf8")
    assert read_efml(folder).characters == read_efml(GOLDEN / "word_char").characters


def test_published_folders_lack_their_settings(folder: Path) -> None:
    """ELMoForManyLangs issues 19, 55, 77, 84: a path of the author's machine."""
    home = f"/home/somebody/configs/{PUBLISHED}"
    (folder / "config.json").write_text(json.dumps({"config_path": home}))
    with pytest.raises(
        ValueError, match=r"tensors do not fit.*convolutions.6.*highways"
    ):
        read_efml(folder)  # these tensors are of a tiny model
    (folder / PUBLISHED).write_text((folder / "cnn_tiny.json").read_text())
    assert read_efml(folder).config.projection_dim == 8
    assert PUBLISHED_SETTINGS["encoder"]["projection_dim"] == 512


def change_settings(block: str, **changes: Any) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        path = folder / "cnn_tiny.json"
        settings = json.loads(path.read_text())
        settings[block].update(changes)
        path.write_text(json.dumps(settings))

    return change


def change_tensors(name: str, tensor: Any) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        path = folder / "token_embedder.pkl"
        tensors = torch.load(path, weights_only=True)
        tensors[name] = tensor
        torch.save(tensors, path)

    return change


def write(name: str, text: str) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        (folder / name).write_text(text, "utf8")

    return change


def remove(name: str) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        (folder / name).unlink()

    return change


@pytest.mark.parametrize(
    "change, message",
    [
        (change_settings("encoder", n_layers=1), "unknown.*forward_layer_1"),
        (change_settings("encoder", n_layers=3), "Missing.*forward_layer_2"),
        (change_settings("encoder", dim=25), r"expected \(100, 8\), found \(96, 8\)"),
        (change_settings("encoder", name="lstm"), r"cnn_tiny.json.*\('lstm', 'cnn'\)"),
        (change_settings("token_embedder", char_dim="6"), "cnn_tiny.json: not the"),
        (change_settings("token_embedder", n_highway=1), "unknown.*_layers.1"),
        (change_tensors("projection.bias", torch.zeros(9)), r"\(8,\), found \(9,\)"),
        (change_tensors("projection.bias", torch.zeros(8).long()), "not a tensor of"),
        (change_tensors("projection.bias", torch.full((8,), torch.nan)), "not finite"),
        (change_tensors("more", torch.zeros(1)), "unknown: .'more'"),
        (change_tensors("projection.bias", [0.0] * 8), "not a tensor of floats"),
        (
            change_tensors("projection.bias", torch.zeros(1).expand(10**12)),
            "projection.bias is larger than the file",
        ),
        (
            write("char.dic", "a\t0\nb 1\n"),
            "char.dic, line 2: expected an entry, a tab",
        ),
        (write("char.dic", "a\t99\n"), "char.dic, line 1: .*below 58"),
        (write("word.dic", "cat\t4\n"), "no words for sentence begin"),
        (write("config.json", "{}"), "config.json: expected a config_path"),
        (write("encoder.pkl", "PK"), "encoder.pkl: not a file of tensors"),
    ],
)
def test_bad_files(folder: Path, change: Callable, message: str) -> None:
    change(folder)
    with pytest.raises(ValueError, match=message):
        read_efml(folder)


@pytest.mark.parametrize(
    "name", ["char.dic", "word.dic", "encoder.pkl", "cnn_tiny.json", "config.json"]
)
def test_missing_files(folder: Path, name: str) -> None:
    remove(name)(folder)
    with pytest.raises(FileNotFoundError, match=name):
        read_efml(folder)


def test_pickles_run_no_code(folder: Path) -> None:
    marker = folder / "ran"
    torch.save({"a": _Evil(str(marker))}, folder / "encoder.pkl")
    with pytest.raises(ValueError, match="encoder.pkl: not a file of tensors alone"):
        read_efml(folder)
    assert not marker.exists()


class _Evil:
    """Creates a file when it is unpickled."""

    def __init__(self, path: str) -> None:
        self.path = path

    def __reduce__(self) -> tuple:
        return open, (self.path, "w")
