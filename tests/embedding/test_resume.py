"""Killed and resumed, a run ends with the bytes of one that was left alone."""

import io
import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from spacy.language import Language

from spacy_elmo.embedding import Options, embed, load

from ..util import make_nlp
from .util import BAD, run, write_jsonl, write_parquet, write_text

#: Embeds, and kills itself after a window, in the midst of a shard.
SCRIPT = """
import json, os, signal, sys
import torch
from spacy_elmo.embedding import Options, embed, shards
from tests.util import make_nlp

torch.set_num_threads(1)
shards.WINDOW_RECORDS = 3
windows = 0

def kill(progress):
    global windows
    windows += progress.documents > 0
    if windows == int(sys.argv[3]):
        os.kill(os.getpid(), signal.SIGKILL)

embed(sys.argv[1], sys.argv[2], nlp=make_nlp(heads=()), observer=kill,
      options=Options(**json.loads(sys.argv[4])), resume=sys.argv[5] == "resume")
"""
ROOT = Path(__file__).parents[2]


def write_input(path: Path, n: int = 40) -> Path:
    """Documents of many lengths, some alike, blank or bad."""
    texts = [" ".join(["He sat on the bank."] * (i % 4)) for i in range(n)]
    path = write_jsonl(path, texts)
    lines = path.read_bytes().split(b"\n")
    for i in (1, 9, 10, 33):
        lines[i] = BAD
    path.write_bytes(b"\n".join(lines))
    return path


def kill_after(windows: int, path: Path, output: Path, mode: str, **options: Any):
    done = subprocess.run(
        [
            sys.executable,
            *("-c", SCRIPT, path, output, str(windows), json.dumps(options), mode),
        ],
        cwd=ROOT,
        check=False,
    )
    assert done.returncode == -signal.SIGKILL


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize(
    "kills, options",
    [
        ([2, 5], {"format": "npy", "shard_rows": 7, "id_field": "id"}),
        ([6], {"shard_rows": 10, "level": "token", "layers": "0,mix"}),
    ],
    ids=["npy", "parquet"],
)
def test_killed_and_resumed_the_files_are_the_same(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    kills: list[int],
    options: dict[str, Any],
):
    """A row is neither lost nor written twice."""
    if "format" not in options:
        pytest.importorskip("pyarrow")
    path, killed = write_input(tmp_path / "a.jsonl"), tmp_path / "killed"
    for windows in kills:
        mode = "resume" if killed.exists() else "start"
        kill_after(windows, path, killed, mode, **options)
    assert any(killed.glob("*.partial"))
    monkeypatch.setattr("spacy_elmo.embedding.shards.WINDOW_RECORDS", 3)
    nlp = make_nlp(heads=())
    run(path, killed, nlp, resume=True, **options)
    run(path, tmp_path / "whole", nlp, **options)
    assert contents(killed) == contents(tmp_path / "whole")
    assert len(load(killed)) == 40
    rejects = (killed / "rejects.jsonl").read_text().splitlines()
    assert [json.loads(line)["row"] for line in rejects] == [1, 9, 10, 33]


def stop_after(
    n_documents: int, path: Any, output: Path, nlp: Language, **options: Any
):
    """Begin a run, and break it off."""

    def stop(progress: Any) -> None:
        seen.append(progress.documents)
        if sum(seen) >= n_documents:
            raise ConnectionError

    seen: list[int] = []
    with pytest.raises(ConnectionError):
        embed(path, output, nlp=nlp, options=Options(**options), observer=stop)


def test_the_shards_of_a_run_that_was_stopped_can_be_read(
    elmo_nlp: Language, tmp_path: Path
):
    path = write_text(tmp_path / "a.txt", [f"document {i}" for i in range(10)])
    stop_after(7, path, tmp_path / "out", elmo_nlp, format="npy", shard_rows=3)
    assert len(load(tmp_path / "out")) == 6


def test_what_is_done_is_not_done_again(elmo_nlp: Language, tmp_path: Path):
    path = write_text(tmp_path / "a.txt", [f"document {i}" for i in range(10)])
    stop_after(7, path, tmp_path / "out", elmo_nlp, format="npy", shard_rows=3)
    done: list[int] = []
    embed(
        path,
        tmp_path / "out",
        nlp=elmo_nlp,
        options=Options(format="npy", shard_rows=3),
        resume=True,
        observer=lambda progress: done.append(progress.documents),
    )
    assert sum(done) == 4


def test_a_finished_run_has_nothing_left_to_do(elmo_nlp: Language, tmp_path: Path):
    path = write_text(tmp_path / "a.txt")
    run(path, tmp_path / "out", elmo_nlp, format="npy")
    before = contents(tmp_path / "out")
    run(path, tmp_path / "out", elmo_nlp, format="npy", resume=True)
    assert contents(tmp_path / "out") == before


def test_stopped_before_the_rejects_were_gathered(
    elmo_nlp: Language, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    path = write_input(tmp_path / "a.jsonl")
    whole = {"format": "npy", "shard_rows": 7}
    run(path, tmp_path / "whole", elmo_nlp, **whole)

    def fail(*_: Any) -> None:
        raise ConnectionError

    with monkeypatch.context() as patch, pytest.raises(ConnectionError):
        patch.setattr("spacy_elmo.embedding.folder.OutputFolder.finish", fail)
        run(path, tmp_path / "out", elmo_nlp, **whole)
    run(path, tmp_path / "out", elmo_nlp, resume=True, **whole)
    assert contents(tmp_path / "out") == contents(tmp_path / "whole")


def test_the_standard_input_is_resumed_if_it_comes_again(
    elmo_nlp: Language, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    options = {"format": "npy", "shard_rows": 3}

    def pipe(text: str) -> None:
        stdin = io.TextIOWrapper(io.BytesIO(text.encode("utf8")))
        monkeypatch.setattr(sys, "stdin", stdin)

    text = "".join(f"document {i}\n" for i in range(10))
    pipe(text)
    stop_after(7, "-", tmp_path / "out", elmo_nlp, **options)
    pipe(text.replace("document 1", "other"))
    with pytest.raises(ValueError, match="The input is not the one .* of shard 0"):
        run("-", tmp_path / "out", elmo_nlp, resume=True, **options)
    pipe(text[:20])
    with pytest.raises(ValueError, match="The input is not the one"):
        run("-", tmp_path / "out", elmo_nlp, resume=True, **options)
    pipe(text)
    assert len(run("-", tmp_path / "out", elmo_nlp, resume=True, **options)) == 10


# ---- What is refused ---------------------------------------------------------------


@pytest.mark.parametrize(
    "changes, problem",
    [
        ({"layers": "top"}, "options.layers: was 'mix', is 'top'"),
        ({"dtype": "float16"}, "options.dtype: was 'float32', is 'float16'"),
        ({"shard_rows": 4}, "options.shard_rows: was 3, is 4"),
        ({"format": "parquet"}, "options.format: was 'npy', is 'parquet'"),
    ],
)
def test_other_options_are_refused(
    elmo_nlp: Language, tmp_path: Path, changes: dict[str, Any], problem: str
):
    options = {"format": "npy", "shard_rows": 3}
    path = write_text(tmp_path / "a.txt")
    run(path, tmp_path / "out", elmo_nlp, **options)
    with pytest.raises(ValueError, match=problem):
        run(path, tmp_path / "out", elmo_nlp, resume=True, **{**options, **changes})


def test_another_model_is_refused(elmo_nlp: Language, tmp_path: Path):
    path = write_text(tmp_path / "a.txt")
    run(path, tmp_path / "out", elmo_nlp, format="npy")
    other = make_nlp(heads=(), weights="hw0")
    with pytest.raises(ValueError, match="model.weights: was"):
        run(path, tmp_path / "out", other, resume=True, format="npy")


def test_another_input_is_refused(elmo_nlp: Language, tmp_path: Path):
    path = write_text(tmp_path / "a.txt", ["one", "two", "three"])
    options = {"format": "npy", "shard_rows": 1}
    stop_after(3, path, tmp_path / "out", elmo_nlp, **options)
    other = write_text(tmp_path / "b.txt", ["one", "two", "three", "four"])
    with pytest.raises(ValueError, match="inputs.0.name: was 'a.txt', is 'b.txt'"):
        run(other, tmp_path / "out", elmo_nlp, resume=True, **options)
    with pytest.raises(ValueError, match="inputs.1: was None, is {'name': 'b.txt'"):
        run([path, other], tmp_path / "out", elmo_nlp, resume=True, **options)
    write_text(path, ["one", "owt", "three"])  # as long as it was
    with pytest.raises(ValueError, match="the rows of shard 1 differ"):
        run(path, tmp_path / "out", elmo_nlp, resume=True, **options)


def test_nothing_to_resume_is_an_error(elmo_nlp: Language, tmp_path: Path):
    path = write_text(tmp_path / "a.txt")
    with pytest.raises(FileNotFoundError, match="No vectors in"):
        run(path, tmp_path / "out", elmo_nlp, resume=True, format="npy")


def test_parquet_is_resumed(elmo_nlp: Language, tmp_path: Path):
    pytest.importorskip("pyarrow")
    path = write_parquet(tmp_path / "a.parquet", [f"document {i}" for i in range(10)])
    options = {"format": "npy", "shard_rows": 4, "id_field": "id"}
    stop_after(9, path, tmp_path / "out", elmo_nlp, **options)
    found = run(path, tmp_path / "out", elmo_nlp, resume=True, **options)
    assert [entry.id for entry in found] == [f"d{i}" for i in range(10)]
