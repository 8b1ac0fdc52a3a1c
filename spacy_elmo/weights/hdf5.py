"""hdf5 files, read with suspicion: a damaged one is named, never half read."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from .files import require_file

#: The most that deflate, the filter of hdf5, can shrink.
MAX_DEFLATE = 1100

Shape = tuple[int, ...]


class BadFileError(ValueError):
    """A file that does not hold what it should; the message names it."""


def read_tensors(path: Path, shapes: Mapping[str, Shape]) -> dict[str, Tensor]:
    """Read datasets of floats as float32.

    shapes (Mapping[str, Shape]): The datasets to read and the shapes they must have.
    RAISES (FileNotFoundError, ValueError): Names the file and dataset, what was found
        and what was expected. (ImportError): h5py is missing.
    """
    h5py = import_h5py(f"Reading {path.name}")
    require_file(path)
    try:
        with h5py.File(path, "r") as file:
            return {
                name: torch.from_numpy(_read_array(path, file, name, shape))
                for name, shape in shapes.items()
            }
    except BadFileError:
        raise
    except Exception as error:  # h5py raises whatever the library trips over
        raise BadFileError(
            f"{path}: not a complete hdf5 file ({error}). Was the download cut short?"
        ) from error


def write_tensors(path: Path, tensors: Mapping[str, Tensor]) -> None:
    """Write datasets of float32. RAISES (ImportError): h5py is missing."""
    h5py = import_h5py(f"Writing {path.name}")
    with h5py.File(path, "w") as file:
        for name, tensor in tensors.items():
            array = tensor.detach().to("cpu", torch.float32).numpy()
            file.create_dataset(name, data=array)


def import_h5py(purpose: str) -> Any:
    """RAISES (ImportError): h5py is missing; says how to get it."""
    try:
        import h5py
    except ImportError as error:
        raise ImportError(
            f"{purpose} needs h5py: pip install 'spacy-elmo[hdf5]'."
        ) from error
    return h5py


def _read_array(path: Path, file: Any, name: str, shape: Shape) -> Any:
    dataset = file.get(name)
    if dataset is None or not hasattr(dataset, "dtype"):
        raise BadFileError(
            f"{path}: dataset {name} is missing; expected shape {shape}."
        )
    if dataset.shape != shape:
        raise BadFileError(
            f"{path}: dataset {name}: expected shape {shape} after the options, "
            f"found {dataset.shape}."
        )
    if dataset.dtype.kind != "f":
        raise BadFileError(
            f"{path}: dataset {name}: expected floats, found {dataset.dtype}."
        )
    _check_storage(path, file, name, dataset)
    return np.asarray(dataset[...], dtype=np.float32)


def _check_storage(path: Path, file: Any, name: str, dataset: Any) -> None:
    """Refuse data that lie in other files, or that are not there at all."""
    if dataset.file.filename != file.filename or dataset.is_virtual or dataset.external:
        raise BadFileError(f"{path}: dataset {name} points to another file.")
    stored = dataset.id.get_storage_size()
    ratio = 1 if dataset.chunks is None else MAX_DEFLATE
    if dataset.nbytes > ratio * min(stored, path.stat().st_size):
        raise BadFileError(
            f"{path}: dataset {name}: shape {dataset.shape} needs {dataset.nbytes} "
            f"bytes, found {stored}."
        )
