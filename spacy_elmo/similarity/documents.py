"""Ids and texts of documents, beside the index of their vectors."""

from bisect import bisect_right
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from ..embedding.optional import require

Id = str | int


class Document(NamedTuple):
    """What is known of a document beside its vector.

    id (Union[str, int]): Its id. text (Optional[str]): Its text, if it was kept.
    """

    id: Id
    text: str | None


class Documents:
    """Documents by their row.

    batches (Iterable[pyarrow.RecordBatch]): With the column `id`, and maybe `text`.
    """

    def __init__(self, batches: Iterable[Any] = ()) -> None:
        self._batches: list[Any] = []
        self._ends = [0]
        for batch in batches:
            self.add(batch)

    def __len__(self) -> int:
        return self._ends[-1]

    def __getitem__(self, row: int) -> Document:
        number = bisect_right(self._ends, row) - 1
        batch = self._batches[number].slice(row - self._ends[number], 1)
        values = batch.to_pylist()[0]
        return Document(values["id"], values.get("text"))

    def add(self, batch: Any) -> None:
        """Append a pyarrow.RecordBatch; a batch without rows is passed over."""
        if batch.num_rows:
            self._batches.append(batch)
            self._ends.append(len(self) + batch.num_rows)


def write_documents(batches: Iterable[Any], path: Path) -> int:
    """Write documents as an Arrow file, each batch as it comes.

    RETURNS (int): How many.
    """
    ipc = require("pyarrow.ipc", "Writing an index", "search")
    writer, n_documents = None, 0
    for batch in batches:
        writer = writer or ipc.new_file(str(path), batch.schema)
        writer.write_batch(batch)
        n_documents += batch.num_rows
    if writer is not None:
        writer.close()
    return n_documents


def read_documents(path: str | Path) -> Documents:
    """Read what `write_documents` wrote; a row is read from disk when asked for."""
    pyarrow = require("pyarrow", "Reading an index", "search")
    ipc = require("pyarrow.ipc", "Reading an index", "search")
    file = ipc.open_file(pyarrow.memory_map(str(path)))
    return Documents(file.get_batch(i) for i in range(file.num_record_batches))
