"""Shards as hdf5, in the manner of AllenNLP: a dataset for each row, by its number."""

from pathlib import Path
from typing import Any

from .layout import Entry, Layout, Row, part, partial
from .optional import require

SUFFIX = ".hdf5"


class Hdf5Writer:
    """Dataset "17" holds the vectors of row 17 of the input, as `Layout.array`.

    A bad row has an empty dataspace. Ids that are read from a field are attributes.
    """

    def __init__(self, folder: Path, number: int, layout: Layout) -> None:
        self._h5py = require("h5py", "Writing hdf5", "hdf5")
        self._layout = layout
        self._file = self._h5py.File(partial(folder, number, SUFFIX), "w")

    def write(self, rows: list[Row]) -> None:
        """Append rows."""
        for row in rows:
            value: Any = self._h5py.Empty(self._layout.dtype)
            if row.embedding is not None:
                value = self._layout.array(row.embedding)
            dataset = self._file.create_dataset(str(row.number), data=value)
            if self._layout.string_ids and row.id is not None:
                dataset.attrs["id"] = row.id

    def close(self) -> None:
        """Close the file."""
        self._file.close()


class Hdf5Shard:
    """Reads what `Hdf5Writer` wrote.

    first_row (int): The number of its first document in the input.
    """

    def __init__(self, folder: Path, number: int, layout: Layout, first_row: int):
        h5py = require("h5py", "Reading hdf5", "hdf5")
        self._layout = layout
        self._first_row = first_row
        self._file = h5py.File(part(folder, number, SUFFIX), "r")

    def entry(self, place: int) -> Entry:
        """The document at a place of the shard."""
        number = self._first_row + place
        dataset = self._file[str(number)]
        id = dataset.attrs.get("id") if self._layout.string_ids else number
        if dataset.shape is None:
            return Entry(id, None, None)
        return Entry(id, dataset[...], None)
