"""Records to one shard: read, embedded and written window by window."""

import json
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import IO

from .arrays import NumpyWriter
from .embedder import Embedder, Embedding
from .folder import SHARD_REJECTS, ShardRecord
from .hdf5 import Hdf5Writer
from .inputs import LETTERS, take_window
from .layout import Layout, Row, Writer, partial
from .parquet import ParquetWriter
from .records import Record

WRITERS: dict[str, Callable[[Path, int, Layout], Writer]] = {
    "parquet": ParquetWriter,
    "npy": NumpyWriter,
    "hdf5": Hdf5Writer,
}

#: Bytes of vectors that are in memory at once, and documents and characters read for
#: them; similar lengths are found among these.
WINDOW_BYTES, WINDOW_RECORDS, WINDOW_CHARACTERS = 1 << 26, 8192, 1_000_000

#: Is told of the documents and words just written.
OnWindow = Callable[[int, int], None]


@dataclass(frozen=True)
class ShardMaker:
    """Makes shards of records.

    folder (Path): Where to. format (str), rows (int): See `Options`.
    strict (bool): A bad row, or one without a word, is an error.
    """

    folder: Path
    embedder: Embedder
    layout: Layout
    format: str
    rows: int
    strict: bool = False

    def make(
        self,
        number: int,
        records: Iterator[Record],
        first_row: int,
        on_window: OnWindow | None = None,
    ) -> ShardRecord:
        """Write a shard, under names that `OutputFolder.commit` makes final.

        It ends with the records, or when it has enough rows, and depends on nothing
        but the records from its first on: so a resumed run makes the same shards.

        number (int), first_row (int): The place of the shard among the shards, and of
            its first record in the input.
        RAISES (ValueError): A bad row, if `strict`; names file and line.
        """
        shard = OpenShard(self.folder, number, self.layout, WRITERS[self.format])
        with self.embedder.memory.kept():
            while shard.n_rows < self.rows:
                window = self._take_window(records, self.rows - shard.n_rows)
                if not window:
                    break
                results = self._embed(window)
                n_words = shard.write(window, results, first_row + shard.n_documents)
                if on_window is not None:
                    on_window(len(window), n_words)
        return shard.close()

    def _take_window(self, records: Iterator[Record], n_rows: int) -> list[Record]:
        """The next records, as many as their vectors fit into the memory."""
        n_vectors = max(1, WINDOW_BYTES // (4 * math.prod(self.layout.shape)))
        n_characters = WINDOW_CHARACTERS
        if self.layout.is_nested:
            n_characters = min(n_characters, n_vectors * LETTERS)
        n_records = min(WINDOW_RECORDS, n_vectors, n_rows)
        return take_window(records, n_records, n_characters)

    def _embed(self, window: list[Record]) -> list[Embedding | str]:
        """The vectors of each record, or what is wrong with it."""
        embedded = iter(
            self.embedder([r.content for r in window if r.content is not None])
        )
        results = [
            str(record.problem) if record.content is None else next(embedded)
            for record in window
        ]
        if self.strict:
            for record, result in zip(window, results):
                check_strictly(record, result)
        return results


class OpenShard:
    """A shard while it is written."""

    def __init__(
        self,
        folder: Path,
        number: int,
        layout: Layout,
        make_writer: Callable[[Path, int, Layout], Writer],
    ) -> None:
        self.n_documents = self.n_rows = self.n_words = self.n_rejected = 0
        self._number = number
        self._layout = layout
        self._writer = make_writer(folder, number, layout)
        self._rejects_path = partial(folder, number, SHARD_REJECTS)
        self._rejects: IO[str] | None = None
        self._digest = Digest()

    def write(
        self, window: list[Record], results: list[Embedding | str], first_row: int
    ) -> int:
        """Append records. RETURNS (int): How many words they have."""
        rows: list[Row] = []
        n_words = 0
        for record, result in zip(window, results, strict=True):
            row = first_row + len(rows)
            id = record.id if self._layout.string_ids else row
            self._digest.add(record)
            if isinstance(result, str):
                self._reject(record, row, id, result)
                rows.append(Row(row, id, None))
                self.n_rows += 1
            else:
                rows.append(Row(row, id, result))
                self.n_rows += len(result.vectors)
                n_words += result.n_words
        self._writer.write(rows)
        self.n_documents += len(rows)
        self.n_words += n_words
        return n_words

    def close(self) -> ShardRecord:
        """Close the files."""
        self._writer.close()
        if self._rejects is not None:
            self._rejects.close()
        return ShardRecord(
            number=self._number,
            documents=self.n_documents,
            rows=self.n_rows,
            words=self.n_words,
            rejected=self.n_rejected,
            digest=self._digest.hex(),
        )

    def _reject(
        self, record: Record, row: int, id: str | int | None, reason: str
    ) -> None:
        """Note a bad row: counted from 0, its line from 1."""
        if self._rejects is None:
            self._rejects = self._rejects_path.open("w", encoding="utf8")
        file = Path(record.path).name
        note = {"row": row, "id": id, "file": file, "line": record.line}
        self._rejects.write(json.dumps({**note, "reason": reason}) + "\n")
        self.n_rejected += 1


class Digest:
    """Stands for a sequence of records: equal for equal ones."""

    def __init__(self) -> None:
        self._hash = blake2b(digest_size=16)

    def add(self, record: Record) -> None:
        """Add the next record."""
        # `repr` escapes surrogates, which the id of a bad row may hold.
        self._hash.update(repr((record.id, record.content)).encode("utf8"))

    def hex(self) -> str:
        """RETURNS (str): What stands for the records so far."""
        return self._hash.hexdigest()


def check_strictly(record: Record, result: Embedding | str) -> None:
    """RAISES (ValueError): The row is bad, or has no word; names file and line."""
    reason = result if isinstance(result, str) else None
    if isinstance(result, Embedding) and not result.n_words:
        reason = "there is no word in it"
    if reason is not None:
        raise ValueError(
            f"{record.path}, line {record.line}: {reason}. Without --strict such a row "
            "keeps its place, and the run goes on."
        )
