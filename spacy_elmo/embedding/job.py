"""A run on one machine: files in, a folder of vectors out."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Any, NamedTuple

from spacy.language import Language

from ..weights.blank import blank
from .embedder import Embedder
from .folder import OutputFolder, ShardRecord, create_folder, resume_folder
from .inputs import Inputs, Stream
from .layout import Layout
from .options import Options
from .records import Fields, Record
from .shards import Digest, ShardMaker


class Progress(NamedTuple):
    """What a run tells after each window.

    documents (int), words (int): Written since the last time.
    share (Optional[float]): Of the input that is read, if that can be known.
    """

    documents: int
    words: int
    share: float | None


Observer = Callable[[Progress], None]


@dataclass(frozen=True)
class Report:
    """What a folder holds at the end.

    documents (int): Rows of the input. rows (int): Vectors, missing ones included.
    words (int): Tokens read. rejected (int): Bad rows. shards (int): Files.
    """

    documents: int
    rows: int
    words: int
    rejected: int
    shards: int


def embed(
    inputs: str | Path | Sequence[str | Path],
    output: str | Path,
    *,
    nlp: Language | None = None,
    options: Options | None = None,
    resume: bool = False,
    strict: bool = False,
    observer: Observer | None = None,
) -> Report:
    """Write the vectors of all documents of some files, in their order.

    A bad row keeps its place without a vector, and is listed in `rejects.jsonl`. The
    input is never read whole.

    inputs (Union[str, Path, Sequence]): Files or globs; "-" is the standard input.
    output (Union[str, Path]): Folder to write.
    nlp (Optional[Language]): A pipeline with an ELMo component; by default blank
        English with the bundled weights.
    options (Optional[Options]): What is read, computed and written.
    resume (bool): Go on behind the last whole shard of a run that was stopped.
    strict (bool): A bad row, or one without a word, is an error.
    observer (Optional[Observer]): Is called after each window.
    RAISES (FileNotFoundError, ValueError): Names the file, the line or the option.
        (ImportError): pyarrow or h5py is missing.
    """
    options = options or Options()
    source = Inputs(inputs, fields_of(options), options.input_format)
    embedder = Embedder(nlp or blank(), options)
    folder = open_folder(
        output, header_of(options, embedder, source.identity()), resume
    )
    if not folder.is_complete:
        stream = source.read()
        skip(stream, folder.records)
        maker = make_maker(folder.path, embedder, options, strict)
        _make_shards(maker, folder, stream, observer)
    return report_of(folder)


def _make_shards(
    maker: ShardMaker, folder: OutputFolder, stream: Stream, observer: Observer | None
) -> None:
    def tell(documents: int, words: int) -> None:
        if observer is not None:
            observer(Progress(documents, words, stream.share))

    tell(0, 0)
    first_row = sum(record.documents for record in folder.records)
    # An empty input makes one empty shard, so that there is something to read.
    while (record := next(stream, None)) is not None or not folder.shards:
        records = chain([] if record is None else [record], stream)
        made = maker.make(len(folder.shards), records, first_row, tell)
        folder.commit(made)
        first_row += made.documents
    folder.finish()


def skip(stream: Iterator[Record], records: list[ShardRecord]) -> None:
    """Read over the rows of the shards that are whole.

    RAISES (ValueError): They are not the rows that the shards were made of.
    """
    for shard in records:
        digest, n_read = Digest(), 0
        for record in islice(stream, shard.documents):
            digest.add(record)
            n_read += 1
        if n_read < shard.documents or digest.hex() != shard.digest:
            raise ValueError(
                f"The input is not the one that was begun with: the rows of shard "
                f"{shard.number} differ. Resume with the same input, or name another "
                "folder."
            )


def header_of(
    options: Options, embedder: Embedder, inputs: list[dict[str, Any]]
) -> dict[str, Any]:
    """What the manifest fixes: input, options, model, and what the rows look like."""
    return {
        "inputs": inputs,
        "options": options.to_dict(),
        "model": embedder.identity(),
        "layout": layout_of(options, embedder).to_dict(),
    }


def open_folder(
    output: str | Path, header: dict[str, Any], resume: bool
) -> OutputFolder:
    """Begin a folder, or go on with one. RAISES: As `embed`."""
    return (resume_folder if resume else create_folder)(Path(output), header)


def make_maker(
    folder: Path, embedder: Embedder, options: Options, strict: bool
) -> ShardMaker:
    """What makes the shards of a run."""
    layout = layout_of(options, embedder)
    return ShardMaker(
        folder, embedder, layout, options.format, options.shard_rows, strict
    )


def layout_of(options: Options, embedder: Embedder) -> Layout:
    """What the rows of a run look like."""
    return Layout(
        names=embedder.choice.names,
        width=embedder.choice.width,
        level=options.level,
        dtype=options.dtype,
        string_ids=options.id_field is not None,
        keep_text=options.keep_text,
    )


def fields_of(options: Options) -> Fields:
    """What of a row of the input is read."""
    return Fields(options.text_field, options.id_field, options.tokenized)


def report_of(folder: OutputFolder) -> Report:
    """What a folder holds."""
    records = folder.records
    return Report(
        documents=sum(record.documents for record in records),
        rows=sum(record.rows for record in records),
        words=sum(record.words for record in records),
        rejected=sum(record.rejected for record in records),
        shards=len(records),
    )
