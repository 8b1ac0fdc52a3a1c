"""The vectors of a folder by the row of the document: `load(folder)[17]`."""

from bisect import bisect_right
from collections.abc import Callable, Iterator
from itertools import accumulate
from pathlib import Path
from typing import Any

from .arrays import NumpyShard
from .folder import read_folder
from .hdf5 import Hdf5Shard
from .layout import Entry, Layout, Shard
from .parquet import ParquetShard

#: Opens a shard: folder, number, layout and the row of its first document.
SHARDS: dict[str, Callable[[Path, int, Layout, int], Shard]] = {
    "parquet": ParquetShard,
    "npy": NumpyShard,
    "hdf5": Hdf5Shard,
}


class VectorStore:
    """What `embed` wrote, whatever the form of the files; a sequence of `Entry`.

    Of a run that was stopped it has the shards that are whole. One is open at a time.

    path (Union[str, Path]): The folder.
    RAISES (FileNotFoundError, ValueError): It is none; names the file.
    """

    def __init__(self, path: str | Path) -> None:
        folder = read_folder(Path(path))
        self.path = folder.path
        self.options: dict[str, Any] = folder.header["options"]
        self.layout = Layout(**folder.header["layout"])
        self._records = folder.records
        self._ends = list(accumulate(record.documents for record in self._records))
        self._open: tuple[int, Shard] | None = None

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    def __getitem__(self, row: int) -> Entry:
        row = row + len(self) if row < 0 else row
        if not 0 <= row < len(self):
            raise IndexError(f"{self.path} holds {len(self)} documents; no row {row}.")
        place = bisect_right(self._ends, row)
        first_row = self._ends[place] - self._records[place].documents
        if self._open is None or self._open[0] != place:
            open_shard = SHARDS[self.options["format"]]
            number = self._records[place].number
            shard = open_shard(self.path, number, self.layout, first_row)
            self._open = place, shard
        return self._open[1].entry(row - first_row)

    def __iter__(self) -> Iterator[Entry]:
        return (self[row] for row in range(len(self)))


def load(path: str | Path) -> VectorStore:
    """Open a folder that `embed` wrote.

    RAISES (FileNotFoundError, ValueError): It is none; names the file.
    """
    return VectorStore(path)
