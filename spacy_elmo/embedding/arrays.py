"""Shards as plain numpy arrays, which can be mapped into memory."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from .layout import Entry, Layout, Row, part, partial, stack, texts_of

VECTORS, OFFSETS, ROWS = ".npy", ".offsets.npy", ".rows.jsonl"


class NumpyWriter:
    """`part-00000.npy` holds the vectors, (rows, width) or (rows, K, width).

    At level "doc" row i is document i of the shard, NaN if it is bad. Elsewhere the
    vectors of document i are the rows from `offsets[i]` to before `offsets[i + 1]` of
    `part-00000.offsets.npy`. `part-00000.rows.jsonl` has a line for each document:
    its id, whether it is bad, and its text if texts are kept.
    """

    def __init__(self, folder: Path, number: int, layout: Layout) -> None:
        self._layout = layout
        self._offsets_path = partial(folder, number, OFFSETS)
        self._vectors = partial(folder, number, VECTORS).open("wb")
        self._rows = partial(folder, number, ROWS).open("w", encoding="utf8")
        self._offsets = [0]
        self._write_header(0)

    def write(self, rows: list[Row]) -> None:
        """Append rows."""
        good = [row for row in rows if row.embedding is not None]
        values, _ = stack(good if self._layout.is_nested else rows, self._layout)
        self._vectors.write(values.tobytes())
        for row in rows:
            line: dict[str, Any] = {"id": row.id, "bad": row.embedding is None}
            if self._layout.keep_text:
                line["text"] = texts_of(row, self._layout)
            self._rows.write(json.dumps(line, ensure_ascii=False) + "\n")
            n = 1 if row.embedding is None else len(row.embedding.vectors)
            n = 0 if row.embedding is None and self._layout.is_nested else n
            self._offsets.append(self._offsets[-1] + n)

    def close(self) -> None:
        """Write how many there are, and the offsets."""
        self._vectors.seek(0)
        self._write_header(self._offsets[-1])
        self._vectors.close()
        self._rows.close()
        if self._layout.is_nested:
            with self._offsets_path.open("wb") as file:
                np.save(file, np.asarray(self._offsets, dtype=np.int64))

    def _write_header(self, n_rows: int) -> None:
        """As long for any number of rows: numpy leaves room for it to grow."""
        description = np.lib.format.dtype_to_descr(np.dtype(self._layout.dtype))
        header = {
            "descr": description,
            "fortran_order": False,
            "shape": (n_rows, *self._layout.shape),
        }
        np.lib.format.write_array_header_1_0(self._vectors, header)


class NumpyShard:
    """Reads what `NumpyWriter` wrote; the vectors stay on disk until they are used."""

    def __init__(self, folder: Path, number: int, layout: Layout, first_row: int):
        self._layout = layout
        self._vectors = np.load(part(folder, number, VECTORS), mmap_mode="r")
        lines = part(folder, number, ROWS).read_text(encoding="utf8").split("\n")
        self._rows = [json.loads(line) for line in lines if line]
        self._offsets = np.arange(len(self._rows) + 1)
        if layout.is_nested:
            self._offsets = np.load(part(folder, number, OFFSETS))

    def entry(self, place: int) -> Entry:
        """The document at a place of the shard."""
        row = self._rows[place]
        if row["bad"]:
            return Entry(row["id"], None, None)
        start, stop = self._offsets[place : place + 2]
        vectors = np.array(self._vectors[start:stop])  # (n, width) or (n, K, width)
        if not self._layout.is_nested:
            vectors = vectors[0]
        elif vectors.ndim == 3:
            vectors = vectors.transpose(1, 0, 2)
        return Entry(row["id"], vectors, row.get("text"))
