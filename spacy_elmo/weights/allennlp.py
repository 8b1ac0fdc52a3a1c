"""AllenNLP's and bilm-tf's files: `options.json` and `weights.hdf5`.

Every dataset, its shape and its place in our model stand in `_mapping`. Matrices are
stored for `x · W`, gates in the order i, j, f, o, and the forget gate's bias without
the 1 that is added when it runs.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from ..bilm import BiLM, BiLMConfig, Weights
from .files import file_record, read_json

Array = NDArray[Any]


class Entry(NamedTuple):
    """One dataset: our parameter, theirs, and how an array gets from there to here."""

    parameter: str
    dataset: str
    convert: Callable[[Array], Array]


def read_allennlp(options: str | Path, weights: str | Path) -> Weights:
    """Read a biLM in the format of AllenNLP and bilm-tf.

    options (Union[str, Path]): `options.json`; keys that concern training are ignored.
    weights (Union[str, Path]): `weights.hdf5`; the first `n_layers` cells are read, a
        softmax is not.
    RAISES (FileNotFoundError, ValueError): Names the file or dataset, what was found
        and what was expected. (ImportError): h5py is missing.
    """
    options_path, weights_path = Path(options), Path(weights)
    config = read_options(options_path)
    arrays = _read_arrays(weights_path, config)
    state = {
        entry.parameter: torch.from_numpy(entry.convert(arrays[entry.dataset]))
        for entry in _mapping(config)
    }
    provenance = {
        "source": weights_path.name,
        "format": "AllenNLP",
        "files": [file_record(options_path), file_record(weights_path)],
    }
    return Weights(config=config, state=state, provenance=provenance)


def read_options(path: Path) -> BiLMConfig:
    """Translate `options.json` into sizes."""
    options = read_json(path)
    try:
        lstm = options["lstm"]
        if "char_cnn" not in options:
            raise ValueError(
                f"{path}: this is a token-input model; char_cnn is missing. Only "
                "models with a character CNN are read here."
            )
        cnn = options["char_cnn"]
        n_characters = cnn.get("n_characters", 262)
        if n_characters not in (261, 262):
            raise ValueError(
                f"{path}: n_characters is {n_characters}; expected 261 (training) or "
                "262 (inference)."
            )
        return BiLMConfig(
            char_dim=cnn["embedding"]["dim"],
            filters=tuple(tuple(pair) for pair in cnn["filters"]),
            activation=cnn["activation"],
            n_highway=cnn.get("n_highway") or 0,
            max_characters=cnn.get("max_characters_per_token", 50),
            n_layers=lstm["n_layers"],
            cell_dim=lstm["dim"],
            projection_dim=lstm["projection_dim"],
            cell_clip=lstm.get("cell_clip"),
            projection_clip=lstm.get("proj_clip"),
            skip_connections=lstm.get("use_skip_connections", False),
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(
            f"{path}: not the options of a biLM: {type(error).__name__} {error}. "
            "Expected the keys lstm {dim, projection_dim, n_layers} and char_cnn "
            "{activation, embedding {dim}, filters}."
        ) from error
    except ValueError as error:
        message = str(error)
        raise ValueError(
            message if message.startswith(str(path)) else f"{path}: {message}"
        ) from error


def _read_arrays(path: Path, config: BiLMConfig) -> dict[str, Array]:
    try:
        import h5py
    except ImportError as error:
        raise ImportError(
            f"Reading {path.name} needs h5py: pip install 'spacy-elmo[hdf5]'."
        ) from error
    if not path.is_file():
        raise FileNotFoundError(f"No weights file {path}.")
    shapes = _shapes(config)
    try:
        with h5py.File(path, "r") as file:
            return {
                name: _read_array(path, file, name, shape)
                for name, shape in shapes.items()
            }
    except OSError as error:
        raise ValueError(
            f"{path}: not a complete hdf5 file ({error}). Was the download cut short?"
        ) from error


def _read_array(path: Path, file: Any, name: str, shape: tuple[int, ...]) -> Array:
    import h5py

    dataset = file.get(name)
    if not isinstance(dataset, h5py.Dataset):
        raise ValueError(f"{path}: dataset {name} is missing; expected shape {shape}.")
    if dataset.shape != shape:
        raise ValueError(
            f"{path}: dataset {name}: expected shape {shape} after the options, "
            f"found {dataset.shape}."
        )
    if dataset.dtype.kind != "f":
        raise ValueError(
            f"{path}: dataset {name}: expected floats, found {dataset.dtype}."
        )
    return np.asarray(dataset[...], dtype=np.float32)


def _mapping(config: BiLMConfig) -> Iterator[Entry]:
    encoder = "token_encoder"
    yield Entry(f"{encoder}.embedding.weight", "char_embed", _with_padding_row)
    for i in range(len(config.filters)):
        yield Entry(f"{encoder}.convolutions.{i}.weight", f"CNN/W_cnn_{i}", _filters)
        yield Entry(f"{encoder}.convolutions.{i}.bias", f"CNN/b_cnn_{i}", _as_is)
    for i in range(config.n_highway):
        for gate in ("carry", "transform"):
            ours, theirs = f"{encoder}.highways.{i}.{gate}", f"CNN_high_{i}"
            yield Entry(f"{ours}.weight", f"{theirs}/W_{gate}", _transposed)
            yield Entry(f"{ours}.bias", f"{theirs}/b_{gate}", _as_is)
    if config.n_filters != config.projection_dim:
        yield Entry(f"{encoder}.projection.weight", "CNN_proj/W_proj", _transposed)
        yield Entry(f"{encoder}.projection.bias", "CNN_proj/b_proj", _as_is)
    for direction, name in enumerate(("forward_lstm.layers", "backward_lstm.layers")):
        for k in range(config.n_layers):
            cell = f"RNN_{direction}/RNN/MultiRNNCell/Cell{k}/LSTMCell"
            yield Entry(f"{name}.{k}.input_weight", f"{cell}/W_0", _input_rows)
            yield Entry(f"{name}.{k}.recurrent_weight", f"{cell}/W_0", _recurrent_rows)
            yield Entry(f"{name}.{k}.bias", f"{cell}/B", _gates)
            if config.cell_dim != config.projection_dim:
                yield Entry(f"{name}.{k}.projection", f"{cell}/W_P_0", _transposed)


def _shapes(config: BiLMConfig) -> dict[str, tuple[int, ...]]:
    """The shape each dataset must have, from the shapes of our own parameters."""
    with torch.device("meta"):
        parameters = BiLM(config).state_dict()
    shapes: dict[str, tuple[int, ...]] = {}
    for parameter, dataset, convert in _mapping(config):
        shape = tuple(parameters[parameter].shape)
        if convert is _with_padding_row:
            shape = (shape[0] - 1, shape[1])
        elif convert is _filters:
            shape = (1, shape[2], shape[1], shape[0])
        elif convert is _transposed:
            shape = shape[::-1]
        elif convert in (_input_rows, _recurrent_rows):
            shape = (2 * shape[1], shape[0])
        shapes[dataset] = shape
    return shapes


def _as_is(array: Array) -> Array:
    return array


def _transposed(array: Array) -> Array:
    return np.ascontiguousarray(array.T)


def _with_padding_row(array: Array) -> Array:
    return np.concatenate([np.zeros_like(array[:1]), array])


def _filters(array: Array) -> Array:
    return np.ascontiguousarray(
        array[0].transpose(2, 1, 0)
    )  # (number, char_dim, width)


def _gates(array: Array) -> Array:
    """Rows by gate, from the order i, j, f, o to i, f, g, o."""
    i, j, f, o = np.split(array, 4)
    return np.concatenate([i, f, j, o])


def _input_rows(array: Array) -> Array:
    return _gates(_transposed(array)[:, : len(array) // 2]).copy()


def _recurrent_rows(array: Array) -> Array:
    return _gates(_transposed(array)[:, len(array) // 2 :]).copy()
