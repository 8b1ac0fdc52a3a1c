"""bilm-tf's models of words: a dataset `embedding` and a vocabulary."""

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
from spacy_elmo.weights.allennlp_export import write_allennlp
from spacy_elmo.weights.detect import read_weights
from tests.golden_elmo import GoldenModel

VOCABULARY = ["<S>", "</S>", "<UNK>", "The", "cat", "sat", "我", "naïve", "x" * 60]
SENTENCE = ["The", "cat", "sat", "我", "naïve", "x" * 60]


@pytest.fixture
def golden() -> GoldenModel:
    return GoldenModel("relu_hw2")


@pytest.fixture
def folder(tmp_path: Path, golden: GoldenModel) -> Path:
    """The golden model with the token vectors of a vocabulary in place of its CNN."""
    options = json.loads((golden.folder / "options.json").read_text())
    del options["char_cnn"]
    options["n_tokens_vocab"] = len(VOCABULARY)
    (tmp_path / "options.json").write_text(json.dumps(options))
    text = "".join(f"{word}\n" for word in VOCABULARY)
    (tmp_path / "vocab.txt").write_text(text, "utf8")
    encoder = golden.bilm().token_encoder
    with torch.no_grad():
        table = encoder(encoder.to_ids(VOCABULARY)).numpy()
    with h5py.File(tmp_path / "weights.hdf5", "w") as file:
        file["embedding"] = table
        with h5py.File(golden.folder / "weights.hdf5") as source:
            for name in ("RNN_0", "RNN_1"):
                source.copy(name, file)
    return tmp_path


def layers_of(weights: Any, words: list[str]) -> np.ndarray:
    bilm = weights.to_model()
    with torch.no_grad():
        layers, _ = bilm(bilm.collate([words]))
    return layers.numpy()


def test_equal_to_the_characters_it_was_dumped_from(
    folder: Path, golden: GoldenModel
) -> None:
    weights = read_weights(folder)
    assert weights.vocabulary == VOCABULARY
    assert weights.config.characters == "none"
    expected = layers_of(golden.weights, SENTENCE)
    ours = layers_of(weights, SENTENCE)
    np.testing.assert_allclose(ours, expected, rtol=0, atol=1e-6)


def test_unknown_words_are_one(folder: Path) -> None:
    layers = layers_of(read_weights(folder), ["bird", "<UNK>", "Cat"])[0, 1:-1]
    assert np.array_equal(layers[0], layers[1])
    assert np.array_equal(layers[0], layers[2])


def test_dumped_embeddings_in_a_file_of_their_own(
    folder: Path, golden: GoldenModel
) -> None:
    """bilm-tf's dump_token_embeddings, beside options and weights of characters."""
    weights = read_allennlp(
        golden.folder / "options.json",
        golden.folder / "weights.hdf5",
        vocabulary=folder / "vocab.txt",
        embedding=folder / "weights.hdf5",
    )
    expected = layers_of(golden.weights, SENTENCE)
    ours = layers_of(weights, SENTENCE)
    np.testing.assert_allclose(ours, expected, rtol=0, atol=1e-6)
    assert len(weights.provenance["files"]) == 3


def test_counts_in_the_vocabulary_are_ignored(folder: Path) -> None:
    text = "".join(f"{word}\t7\n" for word in VOCABULARY)
    (folder / "vocab.txt").write_text(text, "utf8")
    assert read_weights(folder).vocabulary == VOCABULARY


def test_characters_need_neither_dump_nor_vocabulary(
    folder: Path, golden: GoldenModel
) -> None:
    """simple_elmo: an archive without a vocabulary, or with a broken one."""
    (folder / "weights.hdf5").rename(folder / "token_embeddings.hdf5")
    (folder / "vocab.txt").write_text("broken")
    for name in ("options.json", "weights.hdf5"):
        shutil.copy(golden.folder / name, folder)
    weights = read_weights(folder)
    assert weights.config == golden.weights.config
    assert weights.vocabulary is None


def test_written_and_read_again(folder: Path, tmp_path: Path) -> None:
    weights = read_weights(folder)
    write_allennlp(weights, tmp_path / "out")
    again = read_weights(tmp_path / "out")
    assert again.config == weights.config and again.vocabulary == VOCABULARY
    assert all(torch.equal(t, weights.state[k]) for k, t in again.state.items())


def replace(name: str, text: str | None) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        if text is None:
            (folder / name).unlink()
        else:
            (folder / name).write_text(text, "utf8")

    return change


def drop_table(folder: Path) -> None:
    with h5py.File(folder / "weights.hdf5", "r+") as file:
        del file["embedding"]


def shrink_table(folder: Path) -> None:
    with h5py.File(folder / "weights.hdf5", "r+") as file:
        table = file["embedding"][1:]
        del file["embedding"]
        file["embedding"] = table


@pytest.mark.parametrize(
    "change, message",
    [
        (replace("vocab.txt", None), "token-input model; char_cnn is missing.*vocab"),
        (replace("vocab.txt", "a\nb\n"), "vocabulary: expected 9 entries.*found 2"),
        (replace("vocab.txt", "a\n" * 9), "no words for sentence begin"),
        (drop_table, r"dataset embedding is missing; expected shape \(9, 12\)"),
        (shrink_table, r"embedding: expected shape \(9, 12\).*found \(8, 12\)"),
    ],
)
def test_bad_folders(folder: Path, change: Callable, message: str) -> None:
    change(folder)
    with pytest.raises(ValueError, match=message):
        read_weights(folder)
