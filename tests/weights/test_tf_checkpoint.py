"""Checkpoints of bilm-tf's training, read without TensorFlow.

The files were written by TensorFlow 2.21's `Saver` from the golden `bilm_train`
weights, under bilm-tf's names, with a slot of Adagrad and a step beside them.
"""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from spacy_elmo.bilm import BiLMConfig
from spacy_elmo.weights.allennlp import read_allennlp
from spacy_elmo.weights.detect import read_weights
from spacy_elmo.weights.tf_checkpoint import read_tf_checkpoint, variable_of
from tests.golden_elmo import GOLDEN

FOLDER = Path(__file__).parent / "tf_checkpoint"
DUMPED = GOLDEN.parent / "bilm_train"
INDEX, DATA = "model.ckpt-7.index", "model.ckpt-7.data-00000-of-00001"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(FOLDER, tmp_path / "model"))


def test_equal_to_what_bilm_tf_dumps_of_it() -> None:
    weights = read_weights(FOLDER)
    dumped = read_allennlp(DUMPED / "options.json", DUMPED / "weights.hdf5")
    assert weights.config == dumped.config
    assert weights.state.keys() == dumped.state.keys()
    assert all(torch.equal(t, dumped.state[k]) for k, t in weights.state.items())
    names = [file["name"] for file in weights.provenance["files"]]
    assert names == [DATA, INDEX, "options.json"]


def test_the_newest_of_several(folder: Path) -> None:
    shutil.copy(folder / INDEX, folder / "model.ckpt-8.index")
    assert read_tf_checkpoint(folder).provenance["source"] == "model.ckpt-7"
    (folder / "checkpoint").unlink()
    with pytest.raises(ValueError, match=r"names the newest.*ckpt-7.*ckpt-8"):
        read_tf_checkpoint(folder)


@pytest.mark.parametrize(
    "dataset, n_layers, variable",
    [
        ("char_embed", 2, "lm/char_embed"),
        ("CNN_high_0/W_carry", 2, "lm/CNN_high_0/W_carry"),
        (
            "RNN_1/RNN/MultiRNNCell/Cell1/LSTMCell/W_0",
            2,
            "lm/RNN_1/rnn/multi_rnn_cell/cell_1/lstm_cell/kernel",
        ),
        (
            "RNN_0/RNN/MultiRNNCell/Cell0/LSTMCell/W_P_0",
            1,
            "lm/RNN_0/rnn/lstm_cell/projection/kernel",
        ),
    ],
)
def test_names_of_variables(dataset: str, n_layers: int, variable: str) -> None:
    assert variable_of(dataset, BiLMConfig(n_layers=n_layers)) == variable


def cut(name: str, n_bytes: int) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        (folder / name).write_bytes((folder / name).read_bytes()[:n_bytes])

    return change


def other_layers(folder: Path) -> None:
    path = folder / "options.json"
    path.write_text(path.read_text().replace('"n_layers": 2', '"n_layers": 3'))


def other_width(folder: Path) -> None:
    path = folder / "options.json"
    path.write_text(
        path.read_text().replace('"projection_dim": 8', '"projection_dim": 9')
    )


@pytest.mark.parametrize(
    "change, message",
    [
        (cut(INDEX, 1000), f"{INDEX}: not the index of a TensorFlow checkpoint.*cut"),
        (cut(INDEX, 0), f"{INDEX}: not the index of a TensorFlow checkpoint"),
        (cut(DATA, 5000), f"{DATA}: variable lm/.* needs .* the file has 5000"),
        (other_layers, r"lm/RNN_0/rnn/multi_rnn_cell/cell_2/.*found none"),
        (other_width, r"lm/CNN_proj/W_proj: expected floats of shape .*found \("),
    ],
)
def test_bad_files(folder: Path, change: Callable, message: str) -> None:
    change(folder)
    with pytest.raises(ValueError, match=message):
        read_weights(folder)


@pytest.mark.parametrize("name", [INDEX, DATA])
def test_missing_files(folder: Path, name: str) -> None:
    (folder / name).unlink()
    with pytest.raises(FileNotFoundError, match=f"No file .*{name}"):
        read_tf_checkpoint(folder)
