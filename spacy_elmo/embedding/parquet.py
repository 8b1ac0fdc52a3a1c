"""Shards as Parquet: `id`, `vector`, and at other levels than "doc" `row`, `index`."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .layout import Entry, Layout, Row, part, partial, stack
from .optional import require

SUFFIX = ".parquet"


class ParquetWriter:
    """A row for each vector, and one without a vector for each bad row.

    `row` is the number of the document in the input, `index` the place of the sentence
    or token in it. Several choices of layers are columns `vector_0`, `vector_mix` …
    """

    def __init__(self, folder: Path, number: int, layout: Layout) -> None:
        self._pa = require("pyarrow", "Writing Parquet", "embed")
        parquet = require("pyarrow.parquet", "Writing Parquet", "embed")
        self._layout = layout
        self._schema = self._pa.schema(self._fields())
        self._writer = parquet.ParquetWriter(
            partial(folder, number, SUFFIX),
            self._schema,
            # Floats neither repeat nor shrink; trying costs time alone.
            use_dictionary=["id", "row"] if layout.is_nested else False,
            compression={"text": "zstd"} if layout.keep_text else "none",
        )

    def write(self, rows: list[Row]) -> None:
        """Append rows."""
        pa, layout = self._pa, self._layout
        values, counts = stack(rows, layout)
        documents = np.repeat(np.arange(len(rows)), counts)
        is_bad = np.asarray([row.embedding is None for row in rows])[documents]
        ids = pa.array([row.id for row in rows], self._schema.field("id").type)
        columns = {"id": ids.take(pa.array(documents))}
        if layout.is_nested:
            first = np.cumsum(counts) - counts
            index = np.arange(len(documents)) - first[documents]
            numbers = np.asarray([row.number for row in rows])
            columns["row"] = pa.array(numbers[documents])
            columns["index"] = pa.array(index, mask=is_bad)
        for k, name in enumerate(vector_columns(layout)):
            flat = pa.array(np.ascontiguousarray(values[:, k]).reshape(-1))
            columns[name] = pa.FixedSizeListArray.from_arrays(
                flat, type=self._schema.field(name).type, mask=pa.array(is_bad)
            )
        if layout.keep_text:
            columns["text"] = pa.array(_texts(rows), pa.string())
        self._writer.write_table(pa.table(columns, schema=self._schema))

    def close(self) -> None:
        """Write the end of the file."""
        self._writer.close()

    def _fields(self) -> list[Any]:
        pa, layout = self._pa, self._layout
        kind = {"float32": pa.float32(), "float16": pa.float16()}[layout.dtype]
        fields = [("id", pa.string() if layout.string_ids else pa.int64())]
        if layout.is_nested:
            fields += [("row", pa.int64()), ("index", pa.int64())]
        vector = pa.list_(kind, layout.width)
        fields += [(name, vector) for name in vector_columns(layout)]
        return [*fields, ("text", pa.string())] if layout.keep_text else fields


class ParquetShard:
    """Reads what `ParquetWriter` wrote.

    first_row (int): The number of its first document in the input.
    """

    def __init__(self, folder: Path, number: int, layout: Layout, first_row: int):
        parquet = require("pyarrow.parquet", "Reading Parquet", "embed")
        self._layout = layout
        self._first_row = first_row
        self._table = parquet.read_table(part(folder, number, SUFFIX)).combine_chunks()
        self._rows: NDArray[np.int64] | None = None
        if layout.is_nested:
            self._rows = self._table["row"].to_numpy()

    def entry(self, place: int) -> Entry:
        """The document at a place of the shard."""
        start, stop = place, place + 1
        if self._rows is not None:
            number = self._first_row + place
            start, stop = (
                int(np.searchsorted(self._rows, number, side))
                for side in ("left", "right")
            )
        found = self._table.slice(start, stop - start)
        id = found["id"][0].as_py() if len(found) else self._missing_id(place)
        columns = [found[name] for name in vector_columns(self._layout)]
        vectors = None
        if not columns[0].null_count:
            shape = (-1, self._layout.width)
            parts = [c.combine_chunks().flatten().to_numpy() for c in columns]
            vectors = np.stack([p.reshape(shape) for p in parts])  # (K, n, width)
            vectors = vectors if self._layout.is_nested else vectors[:, 0]
            vectors = vectors[0] if len(columns) == 1 else vectors
        text = None
        if self._layout.keep_text and vectors is not None:
            texts = found["text"].to_pylist()
            text = texts if self._layout.is_nested else texts[0]
        return Entry(id, vectors, text)

    def _missing_id(self, place: int) -> int | None:
        """A document without a token has no row that could hold its id."""
        return None if self._layout.string_ids else self._first_row + place


def vector_columns(layout: Layout) -> list[str]:
    """The names of the columns of vectors."""
    if len(layout.names) == 1:
        return ["vector"]
    return [f"vector_{name}" for name in layout.names]


def _texts(rows: list[Row]) -> list[str | None]:
    texts: list[str | None] = []
    for row in rows:
        texts.extend([None] if row.embedding is None else row.embedding.texts)
    return texts
