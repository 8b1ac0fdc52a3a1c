"""Which reader a folder gets, and that loaders wait until they are called."""

import pickle
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from spacy.util import registry

import spacy_elmo
from spacy_elmo.bilm import BiLMConfig, Loader
from spacy_elmo.weights.loaders import (
    allennlp_weights_v1,
    efml_weights_v1,
    folder_weights_v1,
    native_weights_v1,
    read_weights,
)
from spacy_elmo.weights.native import write_native
from tests.golden_elmo import GOLDEN, GoldenModel


def test_allennlp_folder() -> None:
    weights = read_weights(GOLDEN / "clip")
    assert weights.config == GoldenModel("clip").weights.config


def test_native_folder(tmp_path: Path) -> None:
    write_native(GoldenModel("clip").weights, tmp_path)
    assert read_weights(tmp_path).config == GoldenModel("clip").weights.config


@pytest.mark.parametrize("name", ["char_clip", "word_char", "word_only"])
def test_efml_folder(name: str) -> None:
    weights = read_weights(GOLDEN.parent / "efml" / name)
    assert weights.provenance["format"] == "ELMoForManyLangs"


def test_other_folders_say_what_they_hold(tmp_path: Path) -> None:
    (tmp_path / "model.bin").touch()
    with pytest.raises(ValueError, match=r"\['model.bin'\].*options\.json.*hdf5"):
        read_weights(tmp_path)
    with pytest.raises(FileNotFoundError, match="No folder of weights"):
        read_weights(tmp_path / "nowhere")


@pytest.mark.parametrize(
    "name, looks",
    [
        ("config.cfg", "a spaCy pipeline: open it with spacy.load"),
        ("saved_model.pb", "a TensorFlow Hub module"),
        ("model.ckpt-93.index", "a TensorFlow checkpoint"),
        ("pytorch_model.bin", "a transformers model"),
        ("193.zip", "a packed archive"),
        ("glove.6B.50d.txt", "word vectors"),
    ],
)
def test_wrong_folders_are_recognised(tmp_path: Path, name: str, looks: str) -> None:
    (tmp_path / name).touch()
    with pytest.raises(
        ValueError, match=f"It looks like {looks}.*Expected config.json"
    ):
        read_weights(tmp_path)


@pytest.mark.parametrize(
    "start, looks",
    [
        (b"\x89HDF\r\n", "an hdf5 file: name the folder"),
        (b"PK\x03\x04", "a packed archive or a pickled model"),
        (b"version https://git-lfs.github.com/spec/v1", "a Git LFS pointer"),
        (b"<html>", "a web page"),
        (b"", "a file"),
    ],
)
def test_files_are_recognised(tmp_path: Path, start: bytes, looks: str) -> None:
    path = tmp_path / "weights"
    path.write_bytes(start)
    with pytest.raises(ValueError, match=f"weights is {looks}.*Expected a folder with"):
        read_weights(path)


@pytest.mark.parametrize(
    "make", [folder_weights_v1, native_weights_v1, efml_weights_v1]
)
def test_loaders_of_folders(make: Callable[..., Loader], tmp_path: Path) -> None:
    loader = make(path=str(tmp_path / "nowhere"))
    for waiting in (loader, pickle.loads(pickle.dumps(loader))):
        with pytest.raises(FileNotFoundError, match="nowhere"):
            waiting()
    weights = read_weights(GOLDEN.parent / "efml" / "word_char")
    folder = GOLDEN.parent / "efml" / "word_char"
    if make is native_weights_v1:
        folder = tmp_path
        write_native(weights, folder)
    assert make(path=str(folder))().config == weights.config


def test_the_loader_of_files_takes_a_vocabulary(tmp_path: Path) -> None:
    (tmp_path / "options.json").write_text(
        '{"lstm": {"dim": 3, "projection_dim": 2, "n_layers": 1}, "n_tokens_vocab": 3}'
    )
    loader = allennlp_weights_v1(
        options=str(tmp_path / "options.json"),
        weights=str(tmp_path / "weights.hdf5"),
        vocabulary=str(tmp_path / "words.txt"),
    )
    with pytest.raises(FileNotFoundError, match="words.txt"):
        loader()


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
