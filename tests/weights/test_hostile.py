"""Damaged files of every form are refused by name, or read whole; nothing in between.

The mutations are random but the same in every run. The short run makes a few of each
form, the slow one a thousand.
"""

import json
import random
import resource
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import h5py
import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

from spacy_elmo.bilm import Weights
from spacy_elmo.weights.allennlp_export import write_allennlp
from spacy_elmo.weights.detect import read_weights
from spacy_elmo.weights.efml import read_efml
from spacy_elmo.weights.native import write_native
from spacy_elmo.weights.vectors import (
    WordVectors,
    read_vectors,
    start_from_vectors,
)
from tests.golden_elmo import GOLDEN, GoldenModel

EFML = GOLDEN.parent / "efml"
CHECKPOINT = Path(__file__).parent / "tf_checkpoint"
N_SHORT, N_LONG = 15, 1000
#: Megabytes that reading all damaged files of a form may add to the process's peak.
MAX_GROWTH = 200

pytestmark = pytest.mark.filterwarnings("ignore")


class Form(NamedTuple):
    """A form of weights: writes a valid folder, and reads one."""

    write: Callable[[Path], None]
    read: Callable[[Path], Any] = read_weights


def copy(source: Path, folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    for file in source.iterdir():
        if file.name != "expected.npz":
            (folder / file.name).write_bytes(file.read_bytes())


def word_weights() -> Weights:
    vectors = WordVectors(["<S>", "</S>", "<UNK>", "a"], np.eye(4, dtype="f"), "test")
    sizes = {"cell_dim": 6, "projection_dim": 4, "n_layers": 1}
    return start_from_vectors(vectors, characters="none", **sizes)


def write_vectors(folder: Path) -> None:
    rows = "".join(f"word{i} {i} 2.5 -1e-3\n" for i in range(20))
    (folder / "vectors").write_text(f"20 3\n{rows}")


def write_binary_vectors(folder: Path) -> None:
    row = np.arange(3, dtype="<f4").tobytes()
    rows = b"".join(f"word{i} ".encode() + row for i in range(20))
    (folder / "vectors").write_bytes(b"20 3\n" + rows)


def read_vectors_in(folder: Path) -> WordVectors:
    return read_vectors(folder / "vectors")


FORMS = {
    "native": Form(lambda folder: write_native(GoldenModel("hw0").weights, folder)),
    "native, words": Form(
        lambda folder: write_native(read_efml(EFML / "word_char"), folder)
    ),
    "allennlp": Form(lambda folder: copy(GOLDEN / "layers1", folder)),
    "allennlp, words": Form(lambda folder: write_allennlp(word_weights(), folder)),
    "tf checkpoint": Form(lambda folder: copy(CHECKPOINT, folder)),
    "efml, zip": Form(lambda folder: copy(EFML / "char_clip", folder)),
    "efml, legacy": Form(lambda folder: copy(EFML / "word_char", folder)),
    "word2vec, text": Form(write_vectors, read_vectors_in),
    "word2vec, binary": Form(write_binary_vectors, read_vectors_in),
}


@pytest.fixture(params=FORMS)
def form(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


def test_undamaged_files_are_read(form: str, tmp_path: Path) -> None:
    FORMS[form].write(tmp_path)
    assert_whole(FORMS[form].read(tmp_path))


def test_a_few_damaged_files(form: str, tmp_path: Path) -> None:
    check_mutations(form, tmp_path, N_SHORT)


@pytest.mark.slow
def test_thousands_of_damaged_files(form: str, tmp_path: Path) -> None:
    check_mutations(form, tmp_path, N_LONG)


def check_mutations(form: str, folder: Path, n_mutations: int) -> None:
    """Damage one file of a folder at a time, and read it."""
    FORMS[form].write(folder)
    files = sorted(folder.iterdir())
    peak = peak_megabytes()
    n_refused = 0
    for seed in range(n_mutations):
        rng = random.Random(f"{form} {seed}")
        file = rng.choice(files)
        content = file.read_bytes()
        file.write_bytes(damaged(content, rng))
        try:
            assert_whole(FORMS[form].read(folder))
        except (ValueError, FileNotFoundError) as error:
            assert folder.name in str(error) or file.name in str(error), str(error)
            n_refused += 1
        file.write_bytes(content)
    assert n_refused > 0
    assert peak_megabytes() - peak < MAX_GROWTH


def assert_whole(read: Any) -> None:
    """All there: every value finite, every list as long as its table."""
    if isinstance(read, WordVectors):
        assert read.table.shape[0] == len(read.words)
        assert np.isfinite(read.table).all()
    else:
        bilm = read.to_model()
        assert all(p.isfinite().all() for p in bilm.parameters())


def damaged(content: bytes, rng: random.Random) -> bytes:
    """Flip, overwrite, insert, repeat or cut off bytes, often near the start."""
    data = bytearray(content)
    end = len(data) if rng.random() < 0.7 else min(len(data), 1024)
    place, length = rng.randrange(end), rng.randint(1, 64)
    noise = bytes(rng.randrange(256) for _ in range(length))
    kind = rng.choice(["flip", "byte", "noise", "zeros", "ones", "insert", "cut"])
    if kind == "flip":
        data[place] ^= 1 << rng.randrange(8)
    elif kind == "byte":
        data[place] = rng.randrange(256)
    elif kind == "cut":
        del data[place:]
    elif kind == "insert":
        data[place:place] = noise
    else:
        filler = {"noise": noise, "zeros": b"\0" * length, "ones": b"\xff" * length}
        data[place : place + length] = filler[kind]
    return bytes(data)


def peak_megabytes() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


# ---- Damage with intent ------------------------------------------------------------

Change = Callable[[Path], None]


@pytest.mark.parametrize("first, second", [(a, b) for a in FORMS for b in FORMS])
def test_mislabelled_files(first: str, second: str, tmp_path: Path) -> None:
    """Every file of a form under the name of every file of another."""
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    for name, folder in ((first, ours), (second, theirs)):
        folder.mkdir()
        FORMS[name].write(folder)
    for file in sorted(ours.iterdir()):
        content = file.read_bytes()
        for other in sorted(theirs.iterdir()):
            file.write_bytes(other.read_bytes())
            try:
                assert_whole(FORMS[first].read(ours))
            except (ValueError, FileNotFoundError) as error:
                assert "ours" in str(error) or file.name in str(error), str(error)
        file.write_bytes(content)


def edit_json(name: str, *path: str, value: Any) -> Change:
    def change(folder: Path) -> None:
        content = json.loads((folder / name).read_text("utf8"))
        block = content
        for key in path[:-1]:
            block = block[key]
        block[path[-1]] = value
        (folder / name).write_text(json.dumps(content), "utf8")

    return change


def edit_hdf5(edit: Callable[[h5py.File, Path], None]) -> Change:
    def change(folder: Path) -> None:
        with h5py.File(folder / "weights.hdf5", "r+") as file:
            edit(file, folder)

    return change


def edit_safetensors(name: str, tensor: torch.Tensor | None) -> Change:
    def change(folder: Path) -> None:
        state = load_file(folder / "weights.safetensors")
        state.pop(name)
        if tensor is not None:
            state[name] = tensor
        save_file(state, folder / "weights.safetensors")

    return change


def no_data(file: h5py.File, folder: Path) -> None:
    """A shape of terabytes that no byte is stored for."""
    del file["CNN_proj/W_proj"]
    file.create_dataset("CNN_proj/W_proj", (24, 900_000), "f")


def external_data(file: h5py.File, folder: Path) -> None:
    (folder / "secret").write_bytes(bytes(4 * 8))
    del file["CNN_proj/b_proj"]
    stored = [(str(folder / "secret"), 0, h5py.h5f.UNLIMITED)]
    file.create_dataset("CNN_proj/b_proj", (8,), "f", external=stored)


def external_link(file: h5py.File, folder: Path) -> None:
    with h5py.File(folder / "other.bin", "w") as other:
        other["b"] = np.zeros(8, "f")
    del file["CNN_proj/b_proj"]
    file["CNN_proj/b_proj"] = h5py.ExternalLink(str(folder / "other.bin"), "b")


def virtual_data(file: h5py.File, folder: Path) -> None:
    with h5py.File(folder / "other.bin", "w") as other:
        other["b"] = np.zeros(8, "f")
    del file["CNN_proj/b_proj"]
    layout = h5py.VirtualLayout((8,), "f")
    layout[:] = h5py.VirtualSource(str(folder / "other.bin"), "b", (8,))
    file.create_virtual_dataset("CNN_proj/b_proj", layout)


def group_for_dataset(file: h5py.File, folder: Path) -> None:
    del file["CNN_proj/b_proj"]
    file.create_group("CNN_proj/b_proj")


def text_for_floats(file: h5py.File, folder: Path) -> None:
    del file["CNN_proj/b_proj"]
    file["CNN_proj/b_proj"] = np.asarray([b"text"] * 8)


HUGE = 10**12
BIAS = "token_encoder.projection.bias"


@pytest.mark.parametrize(
    "form, change, message",
    [
        ("allennlp", edit_json("options.json", "lstm", "dim", value=HUGE), "cell_dim"),
        (
            "allennlp",
            edit_json("options.json", "lstm", "dim", value=900_000),
            r"LSTMCell/W_0: expected shape \(.*3600000\)",
        ),
        (
            "allennlp",
            edit_json("options.json", "lstm", "n_layers", value=HUGE),
            "n_layers",
        ),
        (
            "allennlp",
            edit_json("options.json", "char_cnn", "filters", value=[[1, HUGE]]),
            "filters",
        ),
        ("allennlp", edit_hdf5(external_data), "b_proj points to another file"),
        ("allennlp", edit_hdf5(external_link), "b_proj points to another file"),
        ("allennlp", edit_hdf5(virtual_data), "b_proj points to another file"),
        ("allennlp", edit_hdf5(group_for_dataset), "b_proj is missing"),
        ("allennlp", edit_hdf5(text_for_floats), "b_proj: expected floats, found"),
        (
            "allennlp, words",
            edit_json("options.json", "n_tokens_vocab", value=90_000_000),
            "vocabulary: expected 90000000 entries|embedding: expected shape",
        ),
        (
            "native",
            edit_json("config.json", "bilm", "char_dim", value=HUGE),
            "config.json: .*char_dim",
        ),
        (
            "native",
            edit_json("config.json", "bilm", "char_dim", value=900_000),
            r"embedding.weight: expected \(262, 900000\)",
        ),
        ("native", edit_json("config.json", "provenance", value=7), "config.json"),
        ("native", edit_safetensors(BIAS, None), f"{BIAS} is missing"),
        ("native", edit_safetensors(BIAS, torch.ones(8).int()), f"{BIAS}: .*int32"),
        ("native", edit_safetensors(BIAS, torch.ones(8, 9)), f"{BIAS}: expected"),
        (
            "native",
            edit_safetensors(BIAS, torch.full((8,), torch.inf)),
            f"{BIAS} holds values that are not finite",
        ),
        (
            "native, words",
            edit_json("vocabulary.json", "characters", value="text"),
            "vocabulary.json: characters is not a list",
        ),
        (
            "native, words",
            edit_json("vocabulary.json", "vocabulary", value=["a"] * 17),
            "no words for sentence begin",
        ),
    ],
)
def test_damage_with_intent(
    form: str, change: Change, message: str, tmp_path: Path
) -> None:
    FORMS[form].write(tmp_path)
    change(tmp_path)
    peak = peak_megabytes()
    with pytest.raises(ValueError, match=message):
        read_weights(tmp_path)
    assert peak_megabytes() - peak < MAX_GROWTH


def test_a_shape_without_data_is_not_allocated(tmp_path: Path) -> None:
    FORMS["allennlp"].write(tmp_path)
    edit_hdf5(no_data)(tmp_path)
    edit_json("options.json", "lstm", "projection_dim", value=900_000)(tmp_path)
    peak = peak_megabytes()
    with pytest.raises(ValueError, match=r"W_proj: shape \(24, 900000\) needs"):
        read_weights(tmp_path)
    assert peak_megabytes() - peak < MAX_GROWTH


DEPTH = 100_000


@pytest.mark.parametrize(
    "text", ["[" * DEPTH, '{"a":' * DEPTH], ids=["lists", "objects"]
)
def test_deep_json(text: str, tmp_path: Path) -> None:
    FORMS["native"].write(tmp_path)
    (tmp_path / "config.json").write_text(text)
    with pytest.raises(ValueError, match="config.json: not JSON"):
        read_weights(tmp_path)


def test_a_pickle_that_promises_more_than_it_holds(tmp_path: Path) -> None:
    FORMS["efml, legacy"].write(tmp_path)
    file = tmp_path / "encoder.pkl"
    state = {"a": torch.arange(1000.0)}
    torch.save(state, file, _use_new_zipfile_serialization=False)
    content, size = file.read_bytes(), b"M" + struct.pack("<H", 1000)
    assert size in content
    promise = b"\x8a\x08" + struct.pack("<q", 3 * 10**9)  # 12 gigabytes
    file.write_bytes(content.replace(size, promise))
    peak = peak_megabytes()
    with pytest.raises(ValueError, match="encoder.pkl: not a file of tensors alone"):
        read_weights(tmp_path)
    assert peak_megabytes() - peak < MAX_GROWTH
