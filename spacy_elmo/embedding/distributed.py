"""The same run on many machines, as a Ray Data job: Parquet in, a folder out.

Ray schedules; here are only the pieces of work, one a shard, the actor that does one,
and the driver that notes the shards that are whole. Machines share the file system.
"""

import json
from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

from spacy.language import Language

from ..weights.blank import blank
from .embedder import Embedder
from .folder import OutputFolder, ShardRecord
from .inputs import Inputs
from .job import (
    Observer,
    Progress,
    Report,
    fields_of,
    header_of,
    make_maker,
    open_folder,
    report_of,
)
from .optional import require
from .options import Options
from .readers import Source, open_parquet, read_parquet


class Piece(NamedTuple):
    """The rows of one shard.

    number (int): Of the shard. path (str): The Parquet file.
    start (int), stop (int): Rows of the file. first_row (int): Of all files together.
    """

    number: int
    path: str
    start: int
    stop: int
    first_row: int


class ShardWorker:
    """An actor: holds the model, and makes one shard a call."""

    def __init__(
        self, nlp: Language, options: Options, output: str, strict: bool
    ) -> None:
        self._fields = fields_of(options)
        self._maker = make_maker(Path(output), Embedder(nlp, options), options, strict)

    def __call__(self, batch: dict[str, Any]) -> dict[str, list[str]]:
        """batch (Dict[str, NDArray]): One `Piece`, a column a field."""
        piece = Piece(*(batch[name].tolist()[0] for name in Piece._fields))
        source = Source(piece.path)
        records = read_parquet(source, self._fields, piece.start, piece.stop)
        try:
            made = self._maker.make(piece.number, records, piece.first_row)
        except ValueError as error:  # Ray would wrap it in errors of its own
            return {"record": [""], "error": [str(error)]}
        return {"record": [json.dumps(asdict(made))], "error": [""]}


def embed_on_ray(
    inputs: str | Path | Sequence[str | Path],
    output: str | Path,
    *,
    n_workers: int,
    nlp: Language | None = None,
    options: Options | None = None,
    resume: bool = False,
    strict: bool = False,
    observer: Observer | None = None,
) -> Report:
    """Write what `embed` would, with workers on all machines of a Ray cluster.

    It connects to the cluster that RAY_ADDRESS names, or starts one on this machine.
    A shard holds `shard_rows` rows of one file.

    inputs (Union[str, Path, Sequence]): Parquet files or globs.
    n_workers (int): Actors, each with a model of its own.
    The others: as in `embed`. RAISES: As `embed`.
    """
    ray = require("ray", "Running on many machines", "ray")
    data = require("ray.data", "Running on many machines", "ray")
    options = options or Options()
    source = Inputs(inputs, fields_of(options), options.input_format)
    nlp = nlp or blank()
    pieces = cut(source, options.shard_rows)
    # Shards end with files here, so that no other runner can go on with them.
    identity = [{**file, "runner": "ray"} for file in source.identity()]
    header = header_of(options, Embedder(nlp, options), identity)
    folder = open_folder(Path(output).resolve(), header, resume)
    todo = [piece for piece in pieces if piece.number not in folder.shards]
    if todo:
        if not ray.is_initialized():
            ray.init()
        # The observer shows the progress.
        data.DataContext.get_current().enable_progress_bars = False
        items = [piece._asdict() for piece in todo]
        work = data.from_items(items, override_num_blocks=len(items))
        made = work.map_batches(
            ShardWorker,
            batch_size=1,
            compute=data.ActorPoolStrategy(size=n_workers),
            fn_constructor_args=(nlp, options, str(folder.path), strict),
        )
        _commit_all(made, folder, pieces, observer)
    if not folder.is_complete:
        folder.finish()
    return report_of(folder)


def cut(inputs: Inputs, shard_rows: int) -> list[Piece]:
    """Cut files into pieces of `shard_rows` rows.

    RAISES (ValueError): A file is not Parquet.
    """
    pieces: list[Piece] = []
    first_row = 0
    for path in inputs.files:
        if inputs.kind_of(path) != "parquet":
            raise ValueError(f"{path}: expected Parquet, the input of a Ray job.")
        n_rows = open_parquet(path).metadata.num_rows
        for start in range(0, n_rows, shard_rows):
            stop = min(start + shard_rows, n_rows)
            absolute = str(Path(path).resolve())
            row = first_row + start
            pieces.append(Piece(len(pieces), absolute, start, stop, row))
        first_row += n_rows
    # An empty input makes one empty shard, so that there is something to read.
    return pieces or [Piece(0, str(Path(inputs.files[0]).resolve()), 0, 0, 0)]


def _commit_all(
    made: Any, folder: OutputFolder, pieces: list[Piece], observer: Observer | None
) -> None:
    """Note each shard as it comes, in whatever order."""
    total = max(1, sum(piece.stop - piece.start for piece in pieces))
    done = sum(record.documents for record in folder.records)
    if observer is not None:
        observer(Progress(0, 0, done / total))
    # Closed at once where an error ends the run, so that the workers go too.
    with closing(iter(made.iter_rows())) as rows:
        for row in rows:
            if row["error"]:
                raise ValueError(row["error"])
            record = ShardRecord(**json.loads(row["record"]))
            folder.commit(record)
            done += record.documents
            if observer is not None:
                observer(Progress(record.documents, record.words, done / total))
