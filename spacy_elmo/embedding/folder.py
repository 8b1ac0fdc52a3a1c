"""The folder of a run: which shards are whole, and what they were made of."""

import json
import os
import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from .layout import PARTIAL, part

MANIFEST, REJECTS = "manifest.json", "rejects.jsonl"
SHARD_REJECTS = ".rejects.jsonl"
FORMAT = "spacy-elmo-vectors"
FORMAT_VERSION = 1


@dataclass(frozen=True)
class ShardRecord:
    """What the manifest notes of a shard.

    number (int): Its place among the shards.
    documents (int), rejected (int): Rows of the input, and how many of them are bad.
    rows (int): Vectors, those that are missing included. words (int): Tokens read.
    digest (str): Stands for the input rows that it was made of.
    """

    number: int
    documents: int
    rows: int
    words: int
    rejected: int
    digest: str


@dataclass
class OutputFolder:
    """Where shards are committed, one by one.

    Files of a shard count once the manifest names it; all others are remains of a run
    that was stopped.

    path (Path): The folder.
    header (Dict[str, Any]): What must be the same when a run is resumed. JSON-ready.
    shards (Dict[int, ShardRecord]): Those that are whole.
    is_complete (bool): Nothing is left to do.
    """

    path: Path
    header: dict[str, Any]
    shards: dict[int, ShardRecord] = field(default_factory=dict)
    is_complete: bool = False

    @property
    def records(self) -> list[ShardRecord]:
        """The whole shards, in order."""
        return [self.shards[number] for number in sorted(self.shards)]

    def commit(self, record: ShardRecord) -> None:
        """Give the files of a shard their names, and note it."""
        for path in sorted(
            self.path.glob(f"{part(self.path, record.number, '').name}.*{PARTIAL}")
        ):
            _sync(path)
            os.replace(path, path.with_name(path.name.removesuffix(PARTIAL)))
        self.shards[record.number] = record
        self.write()

    def discard(self, number: int) -> None:
        """Delete the files of a shard that was not committed."""
        for path in self.path.glob(f"{part(self.path, number, '').name}.*"):
            path.unlink()

    def finish(self) -> None:
        """Gather what was rejected into one file, and note that this is all."""
        path = self.path / REJECTS
        partial = path.with_name(path.name + PARTIAL)
        shards = [
            part(self.path, record.number, SHARD_REJECTS) for record in self.records
        ]
        with partial.open("wb") as file:
            for shard in shards:
                if shard.is_file():
                    file.write(shard.read_bytes())
        os.replace(partial, path)
        self.is_complete = True
        self.write()
        for shard in shards:
            shard.unlink(missing_ok=True)

    def write(self) -> None:
        """Write the manifest, whole or not at all."""
        content = {
            "format": FORMAT,
            "format_version": FORMAT_VERSION,
            **self.header,
            "shards": [asdict(record) for record in self.records],
            "complete": self.is_complete,
        }
        path = self.path / MANIFEST
        partial = path.with_name(path.name + PARTIAL)
        text = json.dumps(content, indent=2, ensure_ascii=False)
        partial.write_text(text + "\n", encoding="utf8")
        _sync(partial)
        os.replace(partial, path)

    def clean(self) -> None:
        """Delete the remains of shards that were not committed."""
        for path in self.path.glob("part-*"):
            found = re.match(r"part-(\d+)\.", path.name)
            is_whole = found is not None and int(found[1]) in self.shards
            if not is_whole or path.name.endswith(PARTIAL):
                path.unlink()


def create_folder(path: Path, header: dict[str, Any]) -> OutputFolder:
    """Begin a folder. RAISES (ValueError): There is something in it."""
    if path.is_file():
        raise ValueError(f"{path} is a file; expected the name of a folder to write.")
    if (path / MANIFEST).is_file():
        raise ValueError(
            f"{path} holds the vectors of another run. Add --resume to go on with "
            "them, or name another folder."
        )
    if path.is_dir() and any(path.iterdir()):
        raise ValueError(f"{path} is not empty. Name another folder.")
    path.mkdir(parents=True, exist_ok=True)
    folder = OutputFolder(path, header)
    folder.write()
    return folder


def resume_folder(path: Path, header: dict[str, Any]) -> OutputFolder:
    """Go on with a folder.

    RAISES (FileNotFoundError): There is none. (ValueError): It was begun with another
        input or other options; names each.
    """
    folder = read_folder(path)
    # What rows look like follows from the options and the model.
    was, now = ({**h, "layout": None} for h in (folder.header, header))
    changes = list(_differences(was, now))
    if changes:
        raise ValueError(
            f"{path} was begun otherwise: {'; '.join(changes)}. Resume it as it was "
            "begun, or name another folder."
        )
    folder.clean()
    return folder


def read_folder(path: Path) -> OutputFolder:
    """Read the manifest of a folder.

    RAISES (FileNotFoundError): There is none. (ValueError): It is not ours.
    """
    manifest = path / MANIFEST
    if not manifest.is_file():
        raise FileNotFoundError(
            f"No vectors in {path}: expected its {MANIFEST}, which "
            "`python -m spacy elmo embed` writes first of all."
        )
    try:
        content = json.loads(manifest.read_text(encoding="utf8"))
        if (content.pop("format"), content.pop("format_version")) != (
            FORMAT,
            FORMAT_VERSION,
        ):
            raise ValueError("another format or version")
        records = [ShardRecord(**record) for record in content.pop("shards")]
        is_complete = content.pop("complete")
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise ValueError(
            f"{manifest}: not written by this spacy-elmo: {error!r}."
        ) from error
    shards = {record.number: record for record in records}
    return OutputFolder(path, content, shards, is_complete)


def _differences(was: Any, now: Any, name: str = "") -> Iterator[str]:
    """How two values differ: "layers: was 'mix', is 'top'"."""
    if isinstance(was, list) and isinstance(now, list):
        was, now = dict(enumerate(was)), dict(enumerate(now))
    if isinstance(was, dict) and isinstance(now, dict):
        for key in [*was, *(key for key in now if key not in was)]:
            inner = f"{name}.{key}" if name else key
            yield from _differences(was.get(key), now.get(key), inner)
    elif was != now:
        yield f"{name}: was {was!r}, is {now!r}"


def _sync(path: Path) -> None:
    """Have a file's content on disk before its name says that it is whole."""
    with path.open("rb") as file:
        os.fsync(file.fileno())
