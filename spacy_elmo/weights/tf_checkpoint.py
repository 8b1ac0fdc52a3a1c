"""bilm-tf's training folder: `options.json` and a TensorFlow checkpoint.

A checkpoint (V2) is an index, a sorted table of names with the place of each tensor,
and files of plain numbers. Both are read here without TensorFlow.
"""

import re
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from ..bilm import BiLMConfig, Weights
from .allennlp import check_words, read_options, read_words
from .allennlp_layout import dataset_shapes, from_datasets
from .files import file_record, read_text, require_file
from .tf_index import Place, read_index

#: The kind of numbers that the index calls 1.
FLOAT = 1


def read_tf_checkpoint(path: str | Path) -> Weights:
    """Read the folder that a training of bilm-tf left.

    RAISES (FileNotFoundError, ValueError): Names the file or tensor, what was found and
        what was expected.
    """
    folder = Path(path)
    config = read_options(folder / "options.json")
    words = None
    if config.n_words:
        vocabularies = sorted(folder.glob("*vocab*.txt"))
        vocabulary = vocabularies[0] if len(vocabularies) == 1 else None
        words = read_words(folder / "options.json", vocabulary)
        check_words(vocabulary, words, config)
    index = find_index(folder)
    files = [folder / "options.json", index, *folder.glob(f"{index.stem}.data-*")]
    return Weights(
        config=config,
        state=from_datasets(_read_tensors(index, config), config),
        vocabulary=words,
        provenance={
            "source": index.stem,
            "format": "TensorFlow checkpoint",
            "files": [file_record(file) for file in sorted(files)],
        },
    )


def find_index(folder: Path) -> Path:
    """The index of the newest checkpoint, as the file `checkpoint` has it."""
    if (folder / "checkpoint").is_file():
        latest = re.search(
            r'^model_checkpoint_path: "(?:.*[/\\])?([^"/\\]+)"',
            read_text(folder / "checkpoint"),
            flags=re.MULTILINE,
        )
        if latest is not None:
            return require_file(folder / f"{latest[1]}.index")
    found = sorted(folder.glob("*.index"))
    if len(found) != 1:
        names = [file.name for file in found]
        raise ValueError(
            f"{folder}: expected a file `checkpoint` that names the newest, or one "
            f"*.index; found {names}."
        )
    return found[0]


def variable_of(dataset: str, config: BiLMConfig) -> str:
    """The variable that bilm-tf dumps to a dataset of `weights.hdf5`."""
    match = re.fullmatch(r"(RNN_\d)/RNN/MultiRNNCell/Cell(\d+)/LSTMCell/(\w+)", dataset)
    if match is None:
        return f"lm/{dataset}"
    direction, layer, last = match.groups()
    cell = f"multi_rnn_cell/cell_{layer}/" if config.n_layers > 1 else ""
    ends = {"W_0": "kernel", "B": "bias", "W_P_0": "projection/kernel"}
    return f"lm/{direction}/rnn/{cell}lstm_cell/{ends[last]}"


def _read_tensors(index: Path, config: BiLMConfig) -> dict[str, Tensor]:
    """The tensors by the names of their datasets in `weights.hdf5`."""
    places, n_shards = read_index(index)
    tensors = {}
    for dataset, shape in dataset_shapes(config).items():
        name = variable_of(dataset, config)
        place = places.get(name)
        if place is None or (place.dtype, place.shape) != (FLOAT, shape):
            found = "none" if place is None else f"{place.shape} (type {place.dtype})"
            raise ValueError(
                f"{index}: variable {name}: expected floats of shape {shape}, found "
                f"{found}."
            )
        data = index.with_suffix(f".data-{place.shard:05d}-of-{n_shards:05d}")
        tensors[dataset] = _read_tensor(require_file(data), name, place)
    return tensors


def _read_tensor(data: Path, name: str, place: Place) -> Tensor:
    n_values = int(np.prod(place.shape))
    if place.size != 4 * n_values or place.offset + place.size > data.stat().st_size:
        raise ValueError(
            f"{data}: variable {name} needs {4 * n_values} bytes at {place.offset}; "
            f"the file has {data.stat().st_size}. Was it cut short?"
        )
    array = np.fromfile(data, "<f4", n_values, offset=place.offset)
    if not np.isfinite(array).all():
        raise ValueError(f"{data}: variable {name} holds values that are not finite.")
    return torch.from_numpy(array.reshape(place.shape).astype(np.float32))
