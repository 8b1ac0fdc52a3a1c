"""What is written of a run, whatever the form of the files."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from .embedder import Embedding
from .records import Id

Vectors = NDArray[Any]


@dataclass(frozen=True)
class Layout:
    """What the rows of a run look like.

    names (Sequence[str]): The K choices of layers.
    width (int): Of a vector. string_ids (bool): Ids are strings, else row numbers.
    The others: see `Options`.
    """

    names: Sequence[str]
    width: int
    level: str = "doc"
    dtype: str = "float32"
    string_ids: bool = False
    keep_text: bool = False

    @property
    def is_nested(self) -> bool:
        """Whether a document has any number of vectors."""
        return self.level != "doc"

    @property
    def shape(self) -> tuple[int, ...]:
        """Of one vector: (width,), or (K, width) for several choices of layers."""
        return (self.width,) if len(self.names) == 1 else (len(self.names), self.width)

    def to_dict(self) -> dict[str, Any]:
        """RETURNS (Dict[str, Any]): JSON-ready; `Layout(**values)` reads it back."""
        return {**asdict(self), "names": list(self.names)}

    def array(self, embedding: Embedding) -> Vectors:
        """The vectors of a document in the form that users read.

        RETURNS (NDArray): (width,) at level "doc", else (n, width); with several
            choices of layers these come first: (K, width) or (K, n, width).
        """
        vectors = embedding.vectors.astype(self.dtype).transpose(1, 0, 2)  # (K, n, D)
        if not self.is_nested:
            vectors = vectors[:, 0]
        return vectors[0] if len(self.names) == 1 else vectors


class Row(NamedTuple):
    """A document on its way to a file.

    number (int): Its row in the input, from 0.
    id (Union[str, int, None]): Its id; None where it is a bad row without one.
    embedding (Optional[Embedding]): None for a bad row.
    """

    number: int
    id: Id | None
    embedding: Embedding | None


class Entry(NamedTuple):
    """A document as it is read back.

    id (Union[str, int, None]): Its id.
    vectors (Optional[NDArray]): As `Layout.array`; None for a bad row.
    text (Union[str, List[str], None]): The text, or those of its sentences or tokens;
        None if texts were not kept.
    """

    id: Id | None
    vectors: Vectors | None
    text: str | list[str] | None


class Writer(Protocol):
    """Writes a shard, under names that end in `PARTIAL`."""

    def write(self, rows: list[Row]) -> None:
        """Append rows."""

    def close(self) -> None:
        """Write what is left, and close the files."""


class Shard(Protocol):
    """Reads a shard."""

    def entry(self, place: int) -> Entry:
        """The document at a place of the shard, from 0."""


PARTIAL = ".partial"


def partial(folder: Path, number: int, suffix: str) -> Path:
    """The name of a file of a shard while it is written."""
    path = part(folder, number, suffix)
    return path.with_name(path.name + PARTIAL)


def part(folder: Path, number: int, suffix: str) -> Path:
    """The name of a file of a shard. suffix (str): Such as ".parquet"."""
    return folder / f"part-{number:05d}{suffix}"


def texts_of(row: Row, layout: Layout) -> str | list[str] | None:
    """The text of a document, or those of its parts."""
    if row.embedding is None:
        return None
    return row.embedding.texts if layout.is_nested else row.embedding.texts[0]


def stack(rows: list[Row], layout: Layout) -> tuple[Vectors, NDArray[np.int64]]:
    """All vectors of some rows, and how many each has.

    RETURNS (Tuple[NDArray, NDArray]): (R, K, width) and (rows,). A bad row has one
        vector, of NaN.
    """
    bad = np.full((1, len(layout.names), layout.width), np.nan, np.float32)
    found = [bad if row.embedding is None else row.embedding.vectors for row in rows]
    counts = np.asarray([len(vectors) for vectors in found], dtype=np.int64)
    return np.concatenate([bad[:0], *found]).astype(layout.dtype), counts
