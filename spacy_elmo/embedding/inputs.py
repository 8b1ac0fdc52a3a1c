"""Files as one stream of records, in their order."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

from ..pretraining.sources import STDIN, find_files
from .readers import READERS, Source
from .records import Fields, Record, Tokens

SUFFIXES = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".csv": "csv",
    ".tsv": "tsv",
    ".parquet": "parquet",
    ".spacy": "spacy",
}
#: Characters in a token, about.
LETTERS = 6


@dataclass(frozen=True)
class Inputs:
    """The files of a run.

    patterns (Union[str, Path, Sequence]): Paths or globs; "-" is the standard input.
    fields (Fields): What of a row is read.
    kind (Optional[str]): Their form; by default each file's name tells.
    RAISES (FileNotFoundError, ValueError): Names the pattern or file.
    """

    patterns: str | Path | Sequence[str | Path]
    fields: Fields = Fields()
    kind: str | None = None
    files: list[str] = field(init=False)

    def __post_init__(self) -> None:
        given = self.patterns
        patterns = [given] if isinstance(given, (str, Path)) else given
        object.__setattr__(self, "files", find_files([str(p) for p in patterns]))
        for path in self.files:
            kind = self.kind_of(path)
            if path == STDIN and kind in ("parquet", "spacy"):
                raise ValueError(f"The standard input cannot be read as {kind}.")
            if self.fields.id is not None and kind in ("text", "spacy"):
                raise ValueError(
                    f"{path}: no field {self.fields.id!r} for ids: it is read as "
                    f"{kind}, which has no fields."
                )

    def kind_of(self, path: str) -> str:
        """The form of a file: "text" if its name says nothing else."""
        suffix = Path(path.removesuffix(".gz")).suffix.lower()
        return self.kind or SUFFIXES.get(suffix, "text")

    def identity(self) -> list[dict[str, Any]]:
        """RETURNS (List[Dict[str, Any]]): Name and size of each file, JSON-ready."""
        return [{"name": Path(path).name, "size": _size(path)} for path in self.files]

    def read(self) -> "Stream":
        """Begin to read."""
        return Stream(self)


class Stream:
    """Records of all files, one after another."""

    def __init__(self, inputs: Inputs) -> None:
        self._inputs = inputs
        self._sizes = [_size(path) for path in inputs.files]
        self._source: Source | None = None
        self._done = 0
        self._records = chain.from_iterable(map(self._read, inputs.files))

    def __iter__(self) -> Iterator[Record]:
        return self._records

    def __next__(self) -> Record:
        return next(self._records)

    @property
    def share(self) -> float | None:
        """About the share that is read; None for the standard input."""
        sizes = [size for size in self._sizes if size is not None]
        if not sizes:
            return None
        read = float(sum(sizes[: self._done]))
        if self._source is not None and self._done < len(sizes):
            read += sizes[self._done] * self._source.share
        return read / max(1, sum(sizes))

    def _read(self, path: str) -> Iterator[Record]:
        self._source = Source(path)
        yield from READERS[self._inputs.kind_of(path)](
            self._source, self._inputs.fields
        )
        self._done += 1


def take_window(
    records: Iterator[Record], n_records: int, n_characters: int
) -> list[Record]:
    """The next records: at most so many, and about so many characters."""
    window: list[Record] = []
    while len(window) < n_records and n_characters > 0:
        record = next(records, None)
        if record is None:
            break
        window.append(record)
        content = record.content
        n_characters -= (
            len(content.words) * LETTERS
            if isinstance(content, Tokens)
            else len(content or "")
        )
    return window


def _size(path: str) -> int | None:
    return None if path == STDIN else Path(path).stat().st_size
