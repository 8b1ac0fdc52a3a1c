"""Folders of vectors as `spacy elmo embed` writes them."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
import pyarrow.parquet
from numpy.typing import NDArray

Row = Sequence[float] | NDArray | None


def write_vectors(
    folder: Path,
    rows: Sequence[Row],
    *,
    ids: Sequence[Any] | None = None,
    texts: Sequence[str | None] | None = None,
    dtype: str = "float32",
    shard_rows: int = 1000,
    manifest: dict[str, Any] | None = None,
) -> Path:
    """Write vectors in shards; ids are d0, d1, ... by default.

    rows (Sequence[Row]): None for a document that has no vector.
    """
    folder.mkdir(parents=True, exist_ok=True)
    width = next(len(row) for row in rows if row is not None)
    kind = pyarrow.list_(pyarrow.type_for_alias(dtype), width)
    ids = [f"d{i}" for i in range(len(rows))] if ids is None else ids
    values = [None if row is None else np.asarray(row, dtype) for row in rows]
    columns = {"id": pyarrow.array(ids), "vector": pyarrow.array(values, kind)}
    if texts is not None:
        columns["text"] = pyarrow.array(texts, pyarrow.string())
    table = pyarrow.table(columns)
    for number, start in enumerate(range(0, len(rows), shard_rows)):
        part = table.slice(start, shard_rows)
        pyarrow.parquet.write_table(part, folder / f"part-{number:05}.parquet")
    if manifest is not None:
        (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf8")
    return folder


def random_vectors(n: int, width: int = 16, seed: int = 0) -> NDArray:
    """(n, width) float32."""
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, width)).astype(np.float32)


def unit(vectors: NDArray) -> NDArray:
    """The same directions, of length 1."""
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
