"""`spacy elmo embed INPUT OUTPUT`: vectors of many documents."""

import time
from functools import partial
from pathlib import Path
from typing import Annotated

import spacy
import typer
from spacy.language import Language
from tqdm import tqdm  # type: ignore[import-untyped]
from wasabi import msg

from ..embedding import Options, Progress, Report, embed, embed_on_ray
from ..embedding.folder import REJECTS
from ..weights.blank import blank
from ._app import Arg, Lang, Opt, Text, Tokenized, elmo_cli, failing

INTERRUPTED = 130

Output = Annotated[Path, Arg(help="Folder for the vectors")]
Pipeline = Annotated[
    str | None,
    Opt("--pipeline", "-p", help="Pipeline with an ELMo component, by path or name"),
]
Weights = Annotated[
    Path | None, Opt("--weights", "-w", help="Folder of weights, in any form")
]
Layers = Annotated[str, Opt("--layers", help="mix, top, or numbers such as 0,1,2")]
Head = Annotated[
    str | None, Opt("--head", help="Component of the pipeline whose mix to take")
]
Level = Annotated[str, Opt("--level", help="A vector each: doc, sentence or token")]
Pooling = Annotated[str, Opt("--pooling", help="mean, max, idf or sif")]
Frequencies = Annotated[
    Path | None,
    Opt(
        "--frequencies", help="Words and counts for idf and sif, of `spacy elmo vocab`"
    ),
]
DType = Annotated[str, Opt("--dtype", help="float32 or float16")]
Format = Annotated[str, Opt("--format", "-f", help="parquet, npy or hdf5")]
InputFormat = Annotated[
    str | None,
    Opt("--input-format", help="text, jsonl, csv, tsv, parquet or spacy"),
]
TextField = Annotated[str, Opt("--text-field", help="Field or column of the text")]
IdField = Annotated[
    str | None, Opt("--id-field", help="Field of the id; by default the row's number")
]
KeepText = Annotated[bool, Opt("--keep-text", help="Write the texts too")]
ShardRows = Annotated[int, Opt("--shard-rows", help="Rows of a file")]
Resume = Annotated[bool, Opt("--resume", "-R", help="Go on behind the last whole file")]
Strict = Annotated[bool, Opt("--strict", help="Stop at a bad or blank row")]
Workers = Annotated[
    int | None,
    Opt("--workers", help="Run as a Ray job with so many workers; INPUT is Parquet"),
]


@elmo_cli.command("embed")
def embed_cli(
    text: Text,
    output: Output,
    pipeline: Pipeline = None,
    weights: Weights = None,
    lang: Lang = "en",
    layers: Layers = "mix",
    head: Head = None,
    level: Level = "doc",
    pooling: Pooling = "mean",
    frequencies: Frequencies = None,
    dtype: DType = "float32",
    format: Format = "parquet",
    input_format: InputFormat = None,
    text_field: TextField = "text",
    id_field: IdField = None,
    tokenized: Tokenized = False,
    keep_text: KeepText = False,
    shard_rows: ShardRows = Options.shard_rows,
    resume: Resume = False,
    strict: Strict = False,
    workers: Workers = None,
) -> None:
    """
    Write the vectors of documents: a line of text, a row of JSONL, CSV, TSV or Parquet,
    or a Doc of a .spacy file each. Row i of the output is row i of the input; what
    cannot be read keeps its place without a vector and is listed in rejects.jsonl.
    """
    run = embed if workers is None else partial(embed_on_ray, n_workers=workers)
    reporter = Reporter()
    with failing():
        options = Options(
            text_field=text_field,
            id_field=id_field,
            tokenized=tokenized,
            input_format=input_format,
            level=level,
            pooling=pooling,
            frequencies=frequencies,
            layers=layers,
            head=head,
            dtype=dtype,
            format=format,
            keep_text=keep_text,
            shard_rows=shard_rows,
        )
        nlp = load_pipeline(pipeline, weights, lang)
        try:
            report = run(
                text,
                output,
                nlp=nlp,
                options=options,
                resume=resume,
                strict=strict,
                observer=reporter.tell,
            )
        except KeyboardInterrupt:
            msg.warn(f"Stopped. Go on with --resume into {output}.")
            raise typer.Exit(INTERRUPTED) from None
        finally:
            reporter.close()
    print_report(report, output)


def load_pipeline(pipeline: str | None, weights: Path | None, lang: str) -> Language:
    """A trained pipeline, or a blank one with given or the bundled weights.

    RAISES (ValueError): Both are named. (OSError): spaCy finds no such pipeline.
    """
    if pipeline is None:
        return blank(lang, weights=weights)
    if weights is not None:
        raise ValueError("Name a --pipeline or --weights, not both.")
    try:
        return spacy.load(pipeline)
    except OSError as error:
        raise ValueError(str(error)) from error


def print_report(report: Report, output: Path) -> None:
    """Say what was written, and what was not."""
    if report.rejected:
        msg.warn(f"{report.rejected:,} rows have no vector: see {output / REJECTS}")
    msg.good(
        f"Wrote {report.rows:,} rows of {report.documents:,} documents, "
        f"{report.words:,} words, in {report.shards} files to {output}"
    )


class Reporter:
    """Shows a bar on the standard error, if that is a terminal."""

    def __init__(self) -> None:
        self.bar: tqdm | None = None
        self.since = time.perf_counter()
        self.documents = self.words = 0

    def tell(self, progress: Progress) -> None:
        """Move the bar: documents and words a second, and the time left."""
        known = progress.share is not None
        if self.bar is None:
            shown = "{l_bar}{bar}| {elapsed}<{remaining}{postfix}"
            self.bar = tqdm(
                total=1.0 if known else None,
                initial=min(progress.share or 0.0, 1.0),
                disable=None,
                bar_format=shown if known else "{elapsed}{postfix}",
            )
        self.documents += progress.documents
        self.words += progress.words
        seconds = time.perf_counter() - self.since
        self.bar.set_postfix_str(
            f"{self.documents:,} documents, {self.documents / seconds:,.0f} docs/s, "
            f"{self.words / seconds:,.0f} tokens/s",
            refresh=False,
        )
        self.bar.update((progress.share or self.bar.n) - self.bar.n)

    def close(self) -> None:
        """End the bar."""
        if self.bar is not None:
            self.bar.close()
