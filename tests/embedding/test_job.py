"""A run: rejects, strictness, what it refuses, what it tells."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import srsly
from spacy.language import Language

from spacy_elmo.embedding import Options, Progress, embed, load, shards

from ..util import TEXTS as OTHERS
from ..util import make_nlp
from .util import (
    BAD,
    TEXTS,
    assert_close,
    run,
    vectors_of,
    write_csv,
    write_jsonl,
    write_parquet,
    write_spacy,
    write_text,
)

NPY = {"format": "npy"}  # needs no library beside numpy


def write_bad(path: Path) -> Path:
    """Good, not UTF-8, blank, not JSON, no text, good."""
    lines = [
        b'{"id": "a", "text": "Paris"}',
        b'{"id": "b", "text": "' + BAD + b'"}',
        b'{"id": "c", "text": ""}',
        b'{"id": "d", "te',
        b'{"id": "e", "body": "Rome"}',
        b'{"id": "f", "text": "Paris"}',
    ]
    path.write_bytes(b"\n".join(lines))
    return path


# ---- Inputs ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["a.txt", "a.txt.gz", "a.jsonl", "a.csv", "a.tsv", "a.parquet", "a.spacy"]
)
def test_every_form_of_input_gives_the_same_vectors(
    elmo_nlp: Language, tmp_path: Path, name: str
):
    path = tmp_path / name
    if name == "a.parquet":
        pytest.importorskip("pyarrow")
        write_parquet(path)
    elif name == "a.spacy":
        write_spacy(path, [elmo_nlp.make_doc(text) for text in TEXTS])
    elif name == "a.jsonl":
        write_jsonl(path)
    else:
        (write_text if ".txt" in name else write_csv)(path)
    found = run(path, tmp_path / "out", elmo_nlp, **NPY)
    assert_close(vectors_of(found), [elmo_nlp(text).vector for text in TEXTS])


def test_files_and_globs_are_one_input(elmo_nlp: Language, tmp_path: Path):
    """A shard goes on from one file to the next."""
    for i in range(3):
        write_text(tmp_path / f"{i}.txt")
    found = run(tmp_path / "*.txt", tmp_path / "out", elmo_nlp, shard_rows=7, **NPY)
    assert_close(vectors_of(found), [elmo_nlp(text).vector for text in 3 * TEXTS])
    names = sorted(path.name for path in (tmp_path / "out").glob("*.npy"))
    assert names == ["part-00000.npy", "part-00001.npy", "part-00002.npy"]


def test_an_empty_input_has_an_empty_output(elmo_nlp: Language, tmp_path: Path):
    for format in ("parquet", "npy", "hdf5"):
        pytest.importorskip({"parquet": "pyarrow", "hdf5": "h5py"}.get(format, "numpy"))
        (tmp_path / "a.txt").touch()
        assert run(tmp_path / "a.txt", tmp_path / format, elmo_nlp, format=format) == []
        assert (tmp_path / format / f"part-00000.{format}").is_file()


def test_the_standard_input_is_an_input(tmp_path: Path):
    pytest.importorskip("pyarrow")
    code = (
        "import sys; from spacy_elmo.embedding import embed, Options;"
        "embed('-', sys.argv[1], options=Options(tokenized=True))"
    )
    subprocess.run(
        [sys.executable, "-c", code, tmp_path / "out"],
        input="é ü\n\nlast".encode(),
        check=True,
    )
    assert [entry.vectors.any() for entry in load(tmp_path / "out")] == [1, 0, 1]


def test_the_locale_does_not_matter(tmp_path: Path):
    """AllenNLP PR 2614, bilm-tf issues 152 and 225."""
    code = (
        "import sys; from spacy_elmo.embedding import *;"
        "o = Options(format='npy', id_field='id', keep_text=True);"
        "embed(sys.argv[1], sys.argv[2], options=o);"
        "sys.stdout.buffer.write(repr([e[::2] for e in load(sys.argv[2])]).encode())"
    )
    path = write_jsonl(tmp_path / "a.jsonl", ["naïve 河 🙂"])
    done = subprocess.run(
        [sys.executable, "-c", code, path, tmp_path / "out"],
        env={
            **os.environ,
            "PYTHONUTF8": "0",
            "PYTHONCOERCECLOCALE": "0",
            "LC_ALL": "C",
        },
        stdout=subprocess.PIPE,
        check=True,
    )
    assert done.stdout.decode("utf8") == "[('d0', 'naïve 河 🙂')]"


# ---- Bad rows ----------------------------------------------------------------------


@pytest.mark.parametrize("shard_rows", [1, 4, 100])
def test_a_bad_row_keeps_its_place_and_is_listed(
    elmo_nlp: Language, tmp_path: Path, shard_rows: int
):
    path = write_bad(tmp_path / "a.jsonl")
    found = run(
        path, tmp_path / "out", elmo_nlp, id_field="id", shard_rows=shard_rows, **NPY
    )
    paris = elmo_nlp("Paris").vector
    zero = np.zeros_like(paris)
    assert_close(vectors_of(found), [paris, None, zero, None, None, paris])
    assert [entry.id for entry in found] == ["a", None, "c", None, "e", "f"]
    rejects = list(srsly.read_jsonl(tmp_path / "out" / "rejects.jsonl"))
    reasons = [reject.pop("reason") for reject in rejects]
    assert rejects == [
        {"row": 1, "id": None, "file": "a.jsonl", "line": 2},
        {"row": 3, "id": None, "file": "a.jsonl", "line": 4},
        {"row": 4, "id": "e", "file": "a.jsonl", "line": 5},
    ]
    for reason, expected in zip(reasons, ("not UTF-8", "not JSON", "no field 'text'")):
        assert expected in reason


def test_without_bad_rows_the_list_of_them_is_empty(elmo_nlp: Language, tmp_path: Path):
    run(write_text(tmp_path / "a.txt"), tmp_path / "out", elmo_nlp, **NPY)
    assert (tmp_path / "out" / "rejects.jsonl").read_bytes() == b""


def test_a_text_that_is_too_long_is_a_bad_row(tmp_path: Path):
    nlp = make_nlp(heads=())
    nlp.max_length = 10
    path = write_text(tmp_path / "a.txt", ["Paris", "Paris is long"])
    assert [e.vectors is None for e in run(path, tmp_path / "out", nlp, **NPY)] == [
        False,
        True,
    ]


@pytest.mark.parametrize(
    "lines, problem",
    [
        ([b"ok", BAD], "a.txt, line 2: not UTF-8: byte 0xff"),
        ([b"ok", b"ok", b"  ", b"ok"], "a.txt, line 3: there is no word in it"),
    ],
)
def test_strictly_a_bad_or_blank_row_is_an_error(
    elmo_nlp: Language, tmp_path: Path, lines: list[bytes], problem: str
):
    path = tmp_path / "a.txt"
    path.write_bytes(b"\n".join(lines))
    with pytest.raises(ValueError, match=problem):
        run(path, tmp_path / "out", elmo_nlp, strict=True, **NPY)


def test_a_file_that_breaks_off_is_an_error(elmo_nlp: Language, tmp_path: Path):
    """What follows is not there to be rejected."""
    (tmp_path / "a.txt.gz").write_bytes(b"no gzip")
    with pytest.raises(ValueError, match="a.txt.gz: not whole gzip"):
        run(tmp_path / "a.txt.gz", tmp_path / "out", elmo_nlp, **NPY)


# ---- The folder --------------------------------------------------------------------


def test_what_is_there_is_not_overwritten(elmo_nlp: Language, tmp_path: Path):
    path = write_text(tmp_path / "a.txt")
    run(path, tmp_path / "out", elmo_nlp, **NPY)
    with pytest.raises(ValueError, match="vectors of another run. Add --resume"):
        run(path, tmp_path / "out", elmo_nlp, **NPY)
    with pytest.raises(ValueError, match="is not empty"):
        run(path, tmp_path, elmo_nlp, **NPY)
    with pytest.raises(ValueError, match="a.txt is a file"):
        run(path, path, elmo_nlp, **NPY)


def test_the_manifest_says_what_was_done(elmo_nlp: Language, tmp_path: Path):
    path = write_bad(tmp_path / "a.jsonl")
    run(path, tmp_path / "out", elmo_nlp, layers="0,top", shard_rows=4, **NPY)
    text = (tmp_path / "out" / "manifest.json").read_text(encoding="utf8")
    assert str(tmp_path) not in text
    manifest: dict[str, Any] = json.loads(text)
    assert manifest["complete"] is True
    assert manifest["inputs"] == [{"name": "a.jsonl", "size": path.stat().st_size}]
    assert manifest["options"]["layers"] == "0,top"
    assert manifest["layout"]["names"] == ["0", "top"]
    keys = ("number", "documents", "rows", "words", "rejected")
    assert [[shard[key] for key in keys] for shard in manifest["shards"]] == [
        [0, 4, 4, 1, 2],
        [1, 2, 2, 1, 1],
    ]


def test_only_finished_files_are_left(elmo_nlp: Language, tmp_path: Path):
    path = write_bad(tmp_path / "a.jsonl")
    run(path, tmp_path / "out", elmo_nlp, shard_rows=4, **NPY)
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "manifest.json",
        *(f"part-0000{i}.{suffix}" for i in (0, 1) for suffix in ("npy", "rows.jsonl")),
        "rejects.jsonl",
    ]


def test_a_shard_holds_whole_documents(elmo_nlp: Language, tmp_path: Path):
    path = write_text(tmp_path / "a.txt", OTHERS)
    run(path, tmp_path / "out", elmo_nlp, level="token", shard_rows=5, **NPY)
    records = json.loads((tmp_path / "out" / "manifest.json").read_text())["shards"]
    assert [record["documents"] for record in records] == [3]
    run(path, tmp_path / "one", elmo_nlp, level="token", shard_rows=1, **NPY)
    records = json.loads((tmp_path / "one" / "manifest.json").read_text())["shards"]
    assert [record["documents"] for record in records] == [1, 1, 1]


# ---- What it tells, and how much it holds ------------------------------------------


def test_the_observer_is_told_of_every_window(
    elmo_nlp: Language, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """No more is read ahead than a window."""
    monkeypatch.setattr(shards, "WINDOW_RECORDS", 4)
    path = write_text(tmp_path / "a.txt", ["one two"] * 10)
    told: list[Progress] = []
    report = embed(
        path,
        tmp_path / "out",
        nlp=elmo_nlp,
        options=Options(format="npy", shard_rows=6),
        observer=told.append,
    )
    assert [progress.documents for progress in told] == [0, 4, 2, 4]
    assert [progress.words for progress in told] == [0, 8, 4, 8]
    assert [progress.share for progress in told] == pytest.approx([0, 0.4, 0.6, 1])
    assert (report.documents, report.words, report.shards) == (10, 20, 2)


@pytest.mark.parametrize(
    "layers, expected", [("mix", [3, 3, 3, 1]), ("0,1,2", [1] * 10)]
)
def test_a_window_s_vectors_fit_into_the_memory(
    elmo_nlp: Language,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    layers: str,
    expected: list[int],
):
    monkeypatch.setattr(shards, "WINDOW_BYTES", 3 * 24 * 4)
    told: list[Progress] = []
    embed(
        write_text(tmp_path / "a.txt", ["one two"] * 10),
        tmp_path / "out",
        nlp=elmo_nlp,
        options=Options(format="npy", layers=layers),
        observer=told.append,
    )
    assert [progress.documents for progress in told[1:]] == expected


def test_the_bundled_weights_are_the_default(tmp_path: Path):
    path = write_text(tmp_path / "a.txt", ["Paris"])
    embed(path, tmp_path / "out", options=Options(format="npy"))
    assert load(tmp_path / "out")[0].vectors.shape == (256,)
