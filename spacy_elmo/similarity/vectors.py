"""Vectors of documents in a folder of Parquet files, read a batch at a time."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..embedding.optional import require

Floats = NDArray[np.float32]  # (n, width)

MANIFEST = "manifest.json"
VECTOR = "vector"
BATCH_ROWS = 8192


class Batch(NamedTuple):
    """Some rows of a folder of vectors.

    documents (pyarrow.RecordBatch): Their columns `id` and, where there are texts,
        `text`.
    vectors (NDArray): (n, width) float32; zero for a document that has none.
    """

    documents: Any
    vectors: Floats


@dataclass(frozen=True)
class VectorFolder:
    """What `spacy elmo embed` wrote: `part-*.parquet` and a manifest.

    path (Path): The folder, or one Parquet file.
    column (str): The column of the vectors; `vector_<layers>` where the folder has
        those of several choices of layers.
    RAISES (FileNotFoundError): There is no Parquet file.
    """

    path: Path
    column: str = VECTOR

    def __post_init__(self) -> None:
        if not self.files:
            raise FileNotFoundError(
                f"{self.path}: expected a folder with part-*.parquet, as "
                "`python -m spacy elmo embed` writes it; found none. (--format parquet "
                "is its default.)"
            )

    @cached_property
    def files(self) -> list[Path]:
        """The Parquet files, in order."""
        if self.path.is_file():
            return [self.path]
        return sorted(self.path.glob("part-*.parquet"))

    @cached_property
    def manifest(self) -> dict[str, Any]:
        """What the writer noted of how the vectors were made; empty if it did not."""
        path = self.files[0].parent / MANIFEST
        if not path.is_file():
            return {}
        try:
            manifest = json.loads(path.read_text(encoding="utf8"))
        except ValueError as error:
            raise ValueError(f"{path}: not JSON: {error}.") from error
        if not isinstance(manifest, dict):
            raise ValueError(f"{path}: expected a JSON object, found {manifest!r:.40}.")
        return manifest

    @cached_property
    def width(self) -> int:
        """The width of a vector."""
        return _width(self.files[0], self.column)

    @cached_property
    def n_rows(self) -> int:
        """How many documents there are, those without a vector included."""
        parquet = require("pyarrow.parquet", "Reading vectors", "search")
        return sum(parquet.read_metadata(path).num_rows for path in self.files)

    def batches(self, size: int = BATCH_ROWS) -> Iterator[Batch]:
        """All rows in order, at most `size` at a time.

        RAISES (ValueError): A file is damaged, or lacks a column; names it.
        """
        parquet = require("pyarrow.parquet", "Reading vectors", "search")
        pyarrow = require("pyarrow", "Reading vectors", "search")
        for path in self.files:
            if (width := _width(path, self.column)) != self.width:
                raise ValueError(
                    f"{path}: expected vectors {self.width} wide as in "
                    f"{self.files[0].name}, found {width}."
                )
            names = parquet.read_schema(path).names
            columns = [n for n in ("id", self.column, "text") if n in names]
            try:
                for rows in parquet.ParquetFile(path).iter_batches(size, None, columns):
                    documents = rows.select([n for n in columns if n != self.column])
                    yield Batch(documents, _to_array(rows.column(self.column), width))
            except pyarrow.ArrowException as error:
                raise ValueError(f"{path}: not a whole Parquet file: {error}") from None


def _width(path: Path, column: str) -> int:
    """RAISES (ValueError): The file has no ids, or no vectors of one width."""
    parquet = require("pyarrow.parquet", "Reading vectors", "search")
    pyarrow = require("pyarrow", "Reading vectors", "search")
    try:
        schema = parquet.read_schema(path)
    except pyarrow.ArrowException as error:
        raise ValueError(f"{path}: not a whole Parquet file: {error}") from None
    kinds = {field.name: field.type for field in schema}
    width = _list_size(pyarrow, kinds.get(column))
    if width is None or "id" not in kinds:
        found = ", ".join(f"{name}: {kind}" for name, kind in kinds.items())
        raise ValueError(
            f"{path}: expected the columns 'id' and {column!r} (fixed_size_list of "
            f"float32 or float16), found {found}. `column` chooses another."
        )
    return width


def _list_size(pyarrow: Any, kind: Any) -> int | None:
    """The length of lists of floats; None if that is not what the column holds."""
    floats = (pyarrow.float16(), pyarrow.float32())
    is_list = kind is not None and pyarrow.types.is_fixed_size_list(kind)
    return kind.list_size if is_list and kind.value_type in floats else None


def _to_array(column: Any, width: int) -> Floats:
    vectors = np.zeros((len(column), width), dtype=np.float32)
    is_there = column.is_valid().to_numpy(zero_copy_only=False)
    values = column.flatten().to_numpy(zero_copy_only=False)  # leaves null rows out
    vectors[is_there] = values.reshape(-1, width)
    return vectors
