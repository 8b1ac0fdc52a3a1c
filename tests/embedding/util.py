"""Documents, files of every form, and a run over them."""

import csv
import gzip
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from spacy.language import Language
from spacy.tokens import Doc, DocBin

from spacy_elmo.embedding import Entry, Options, embed, load
from spacy_elmo.embedding.inputs import Inputs
from spacy_elmo.embedding.records import Record

TEXTS = [
    "He sat on the bank of the river.",
    "Paris",
    "",
    "She put the money in the bank. Nobody saw her! Was it a lot?",
    "Paris",
    "a / a .",
]
BAD = b"not \xff text"


def rows_of(texts: Sequence[str] = TEXTS) -> list[dict[str, Any]]:
    """Texts with ids."""
    return [{"id": f"d{i}", "text": text} for i, text in enumerate(texts)]


def write_text(path: Path, texts: Sequence[str] = TEXTS) -> Path:
    """A line each."""
    return _write(path, "".join(f"{text}\n" for text in texts))


def write_jsonl(path: Path, texts: Sequence[str] = TEXTS) -> Path:
    """An object each, with id and text."""
    lines = [json.dumps(row, ensure_ascii=False) for row in rows_of(texts)]
    return _write(path, "".join(f"{line}\n" for line in lines))


def write_csv(path: Path, texts: Sequence[str] = TEXTS) -> Path:
    """Columns id and text; .tsv with tabs and without quoting."""
    is_tsv = path.suffix == ".tsv"
    with path.open("w", encoding="utf8", newline="") as file:
        writer = csv.writer(
            file,
            delimiter="\t" if is_tsv else ",",
            quoting=csv.QUOTE_NONE if is_tsv else csv.QUOTE_MINIMAL,
        )
        writer.writerow(["id", "text"])
        writer.writerows(row.values() for row in rows_of(texts))
    return path


def write_parquet(path: Path, texts: Sequence[str | None] = TEXTS, **options: Any):
    """Columns id and text."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    ids = [f"d{i}" for i in range(len(texts))]
    table = pa.table({"id": ids, "text": pa.array(texts, pa.string())})
    pq.write_table(table, path, **options)
    return path


def write_spacy(path: Path, docs: Sequence[Doc]) -> Path:
    """A DocBin."""
    DocBin(docs=docs).to_disk(path)
    return path


def read(path: Path | str, fields: Any = None, **options: Any) -> list[Record]:
    """The records of a file."""
    inputs = Inputs(path, fields, **options) if fields else Inputs(path, **options)
    return list(inputs.read())


def run(
    inputs: Any, output: Path, nlp: Language, *, resume: bool = False, **options: Any
) -> list[Entry]:
    """Embed, and read back."""
    strict = options.pop("strict", False)
    embed(
        inputs,
        output,
        nlp=nlp,
        options=Options(**options),
        resume=resume,
        strict=strict,
    )
    return list(load(output))


def vectors_of(entries: Sequence[Entry]) -> list[NDArray | None]:
    """The vectors of documents."""
    return [entry.vectors for entry in entries]


def assert_close(ours: Any, theirs: Any, tolerance: float = 1e-5) -> None:
    """Arrays, or lists of arrays and None."""
    if isinstance(ours, list):
        assert len(ours) == len(theirs)
        for a, b in zip(ours, theirs):
            assert_close(a, b, tolerance)
    elif ours is None or theirs is None:
        assert ours is theirs
    else:
        assert ours.shape == theirs.shape
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=tolerance)


def _write(path: Path, text: str) -> Path:
    content = text.encode("utf8")
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    return path
