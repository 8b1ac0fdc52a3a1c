"""Files of every form as records, streamed. A bad row is a record too."""

import csv
import gzip
import io
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, cast

import srsly
from spacy.tokens import DocBin
from spacy.vocab import Vocab

from ..pretraining.sources import STDIN
from .optional import require
from .records import Fields, Record, Tokens

BOM = b"\xef\xbb\xbf"
#: Characters of a CSV field. More of them tell of a quote that is never closed.
MAX_FIELD = 1 << 24
#: Rows of Parquet read at once.
BATCH_ROWS = 1024


@dataclass
class Source:
    """A file, and how far it is read."""

    path: str
    _read: float = 0.0
    _raw: IO[bytes] | None = None

    @property
    def share(self) -> float:
        """The share of it that is read."""
        if self._raw is None:
            return self._read
        return self._raw.tell() / max(1, Path(self.path).stat().st_size)

    def set_share(self, share: float) -> None:
        """Note how far it is read, where no stream tells."""
        self._read = share

    @contextmanager
    def open(self) -> Iterator[IO[bytes]]:
        """Open the standard input, or a file, unpacked where its name ends in .gz.

        RAISES (ValueError): It is not gzip, or not whole.
        """
        if self.path == STDIN:
            yield sys.stdin.buffer
            return
        with open(self.path, "rb") as raw:
            self._raw = raw
            try:
                is_packed = self.path.endswith(".gz")
                yield cast(IO[bytes], gzip.GzipFile(fileobj=raw)) if is_packed else raw
            except (gzip.BadGzipFile, EOFError, zlib.error) as error:
                raise ValueError(f"{self.path}: not whole gzip: {error}.") from error
            finally:
                self._raw, self._read = None, 1.0


Reader = Callable[[Source, Fields], Iterator[Record]]


def read_text(source: Source, fields: Fields) -> Iterator[Record]:
    """A document a line. Lines end at a line feed alone, maybe after a return."""
    for number, line, problem in _lines(source):
        if problem is None:
            yield fields.read(source.path, number, {fields.text: line})
        else:
            yield Record(source.path, number, None, problem)


def read_jsonl(source: Source, fields: Fields) -> Iterator[Record]:
    """An object a line."""
    for number, line, problem in _lines(source):
        row: Any = None
        if problem is None:
            try:
                row = srsly.json_loads(line)
            except ValueError as error:
                problem = f"not JSON: {error}"
            else:
                if not isinstance(row, dict):
                    problem = f"expected an object, found {type(row).__name__}"
        if problem is None:
            yield fields.read(source.path, number, row)
        else:
            yield Record(source.path, number, None, problem)


def read_csv(source: Source, fields: Fields) -> Iterator[Record]:
    """Columns with commas between them; quoted fields may hold line breaks."""
    yield from _read_columns(source, fields, csv.excel)


class Tabs(csv.excel_tab):
    """Without quoting, so that a quotation mark is one, and a line is a row."""

    quoting = csv.QUOTE_NONE


def read_tsv(source: Source, fields: Fields) -> Iterator[Record]:
    """Columns with tabs between them; nothing is quoted."""
    yield from _read_columns(source, fields, Tabs)


def read_spacy(source: Source, fields: Fields) -> Iterator[Record]:
    """A DocBin, read whole. RAISES (ValueError): It is none."""
    try:
        doc_bin = DocBin().from_disk(source.path)
    except Exception as error:  # zlib, msgpack and numpy raise their own
        raise ValueError(f"{source.path}: not a DocBin: {error}.") from error
    # Tokens instead of Docs, and a vocabulary of their own: what is read here outlives
    # the memory zone in which it is embedded.
    for number, doc in enumerate(doc_bin.get_docs(Vocab()), 1):
        source.set_share(number / len(doc_bin))
        yield Record(source.path, number, Tokens.from_doc(doc))


def read_parquet(
    source: Source, fields: Fields, start: int = 0, stop: int | None = None
) -> Iterator[Record]:
    """The rows of a Parquet file, from `start` to before `stop`.

    RAISES (ValueError): It is not a Parquet file, or lacks a column.
    """
    file = open_parquet(source.path)
    names = file.schema_arrow.names
    missing = [name for name in fields.names if name not in names]
    if missing:
        raise ValueError(f"{source.path}: no column {missing[0]!r}; found {names}.")
    n_rows = file.metadata.num_rows
    stop = n_rows if stop is None else stop
    groups, first = _row_groups(file, start, stop)
    number = first
    batches = file.iter_batches(BATCH_ROWS, row_groups=groups, columns=fields.names)
    for batch in batches:
        for row in _to_rows(batch, fields):
            number += 1
            if start < number <= stop:
                source.set_share(number / n_rows)
                if isinstance(row, str):
                    yield Record(source.path, number, None, row)
                else:
                    yield fields.read(source.path, number, row)


def open_parquet(path: str) -> Any:
    """RETURNS (ParquetFile): Opened. RAISES (ValueError): It is none."""
    pyarrow = require("pyarrow", "Reading Parquet", "embed")
    parquet = require("pyarrow.parquet", "Reading Parquet", "embed")
    try:
        return parquet.ParquetFile(path)
    except pyarrow.ArrowException as error:
        raise ValueError(f"{path}: not a Parquet file: {error}.") from error


READERS: dict[str, Reader] = {
    "text": read_text,
    "jsonl": read_jsonl,
    "csv": read_csv,
    "tsv": read_tsv,
    "parquet": read_parquet,
    "spacy": read_spacy,
}


def _lines(source: Source) -> Iterator[tuple[int, str, str | None]]:
    """Number, text and problem of each line, its end and a byte order mark left out."""
    with source.open() as stream:
        for number, line in enumerate(stream, 1):
            if number == 1:
                line = line.removeprefix(BOM)
            line = line.removesuffix(b"\n").removesuffix(b"\r")
            try:
                yield number, line.decode("utf8"), None
            except UnicodeDecodeError as error:
                yield number, "", f"not UTF-8: byte 0x{line[error.start]:02x}"


def _read_columns(
    source: Source, fields: Fields, dialect: type[csv.Dialect]
) -> Iterator[Record]:
    # A limit of the whole process; never lowered.
    csv.field_size_limit(max(MAX_FIELD, csv.field_size_limit()))
    with source.open() as stream:
        # Bytes that are not UTF-8 become surrogates, which make their row a bad one.
        text = io.TextIOWrapper(stream, "utf-8-sig", "surrogateescape", newline="")
        rows = csv.reader(text, dialect)
        try:
            header = next(rows, None)
            if header is None:
                return
            missing = [name for name in fields.names if name not in header]
            if missing:
                raise ValueError(
                    f"{source.path}: no column {missing[0]!r}; the first line has "
                    f"{header}."
                )
            for row in rows:
                # A line without anything is a row whose only column is empty.
                cells = dict(zip(header, row or [""]))
                yield fields.read(source.path, rows.line_num, cells)
        except csv.Error as error:
            raise ValueError(
                f"{source.path}, line {rows.line_num}: {error}. Is a quotation mark "
                "never closed?"
            ) from error
        finally:
            text.detach()


def _row_groups(file: Any, start: int, stop: int) -> tuple[list[int], int]:
    """The row groups that hold rows from start to stop, and where the first begins."""
    groups: list[int] = []
    first, end = 0, 0
    for number in range(file.metadata.num_row_groups):
        begin, end = end, end + file.metadata.row_group(number).num_rows
        if begin < stop and end > start:
            first = first if groups else begin
            groups.append(number)
    return groups, first


def _to_rows(batch: Any, fields: Fields) -> list[dict[str, Any] | str]:
    """A batch as rows; what is wrong with a row that is not UTF-8."""
    try:
        rows: list[dict[str, Any] | str] = batch.to_pylist()
        return rows
    except UnicodeDecodeError:
        return [_to_row(batch.slice(i, 1)) for i in range(batch.num_rows)]


def _to_row(row: Any) -> dict[str, Any] | str:
    try:
        values: dict[str, Any] = row.to_pylist()[0]
        return values
    except UnicodeDecodeError as error:
        return f"not UTF-8: byte 0x{error.object[error.start]:02x}"
