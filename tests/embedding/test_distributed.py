"""A Ray Data job of two workers: row by row what one machine makes."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from spacy.language import Language

from spacy_elmo.embedding import Options, Progress, embed, embed_on_ray, load
from spacy_elmo.embedding.distributed import Piece, ShardWorker, cut
from spacy_elmo.embedding.inputs import Inputs

from .util import TEXTS, assert_close, run, vectors_of, write_parquet, write_text

OPTIONS: dict[str, Any] = {"id_field": "id", "keep_text": True, "shard_rows": 8}


@pytest.fixture(scope="module")
def cluster() -> Iterator[None]:
    """Two workers on this machine."""
    ray = pytest.importorskip("ray")
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    yield
    ray.shutdown()


def write_files(folder: Path) -> list[Path]:
    """Two files whose ends are no ends of shards, with a bad row."""
    pytest.importorskip("pyarrow")
    texts = [text or None for text in TEXTS]
    return [
        write_parquet(folder / "a.parquet", [*texts, *texts, *TEXTS], row_group_size=5),
        write_parquet(folder / "b.parquet", TEXTS),
    ]


def test_files_are_cut_into_pieces(tmp_path: Path):
    paths = write_files(tmp_path)
    found = cut(Inputs(paths), 8)
    assert [piece[2:] for piece in found] == [
        (0, 8, 0),
        (8, 16, 8),
        (16, 18, 16),
        (0, 6, 18),
    ]
    assert [piece.number for piece in found] == [0, 1, 2, 3]
    assert [Path(piece.path) for piece in found] == [*[paths[0]] * 3, paths[1]]


def test_an_empty_input_has_an_empty_piece(tmp_path: Path):
    pytest.importorskip("pyarrow")
    path = write_parquet(tmp_path / "a.parquet", [])
    assert cut(Inputs(path), 8) == [Piece(0, str(path), 0, 0, 0)]


def test_other_inputs_are_refused(tmp_path: Path):
    pytest.importorskip("pyarrow")
    with pytest.raises(ValueError, match="a.txt: expected Parquet"):
        cut(Inputs(write_text(tmp_path / "a.txt")), 8)


def test_a_worker_makes_one_shard_a_call(elmo_nlp: Language, tmp_path: Path):
    """Without Ray: what an actor does."""
    np = pytest.importorskip("numpy")
    paths = write_files(tmp_path)
    out = tmp_path / "out"
    out.mkdir()
    worker = ShardWorker(elmo_nlp, Options(**OPTIONS), str(out), False)
    piece = cut(Inputs(paths), 8)[1]
    batch = {name: np.array([value]) for name, value in piece._asdict().items()}
    made = worker(batch)
    assert made["error"] == [""] and '"documents": 8, "rows": 8' in made["record"][0]
    assert sorted(path.name for path in out.iterdir()) == [
        "part-00001.parquet.partial",
        "part-00001.rejects.jsonl.partial",
    ]
    strict = ShardWorker(elmo_nlp, Options(**OPTIONS), str(out), True)
    assert "a.parquet, line 9: field 'text'" in strict(batch)["error"][0]


@pytest.mark.slow
def test_two_workers_make_what_one_machine_makes(
    cluster: None, elmo_nlp: Language, tmp_path: Path
):
    paths = write_files(tmp_path)
    one = run(paths, tmp_path / "one", elmo_nlp, **OPTIONS)
    told: list[Progress] = []
    report = embed_on_ray(
        paths,
        tmp_path / "two",
        n_workers=2,
        nlp=elmo_nlp,
        options=Options(**OPTIONS),
        observer=told.append,
    )
    two = list(load(tmp_path / "two"))
    assert [(e.id, e.text) for e in two] == [(e.id, e.text) for e in one]
    assert_close(vectors_of(two), vectors_of(one))
    assert (report.documents, report.rejected, report.shards) == (24, 2, 4)
    assert told[-1].share == 1
    rejects = [
        (tmp_path / name / "rejects.jsonl").read_text() for name in ("one", "two")
    ]
    assert rejects[0] == rejects[1] != ""


@pytest.mark.slow
def test_a_stopped_job_is_resumed_by_shard(
    cluster: None, elmo_nlp: Language, tmp_path: Path
):
    paths = write_files(tmp_path)
    options = Options(**OPTIONS)

    def job(**settings: Any) -> None:
        embed_on_ray(
            paths,
            tmp_path / "out",
            n_workers=2,
            nlp=elmo_nlp,
            options=options,
            **settings,
        )

    def stop(progress: Progress) -> None:
        if progress.documents:
            raise ConnectionError

    whole = run(paths, tmp_path / "whole", elmo_nlp, **OPTIONS)
    with pytest.raises(ConnectionError):
        job(observer=stop)
    done: list[int] = []
    job(resume=True, observer=lambda progress: done.append(progress.documents))
    assert 0 < sum(done) < 24
    assert_close(vectors_of(list(load(tmp_path / "out"))), vectors_of(whole))
    names = sorted(path.name for path in (tmp_path / "out").iterdir())
    parts = [f"part-0000{i}.parquet" for i in range(4)]
    assert names == ["manifest.json", *parts, "rejects.jsonl"]
    with pytest.raises(ValueError, match="inputs.0.runner: was 'ray', is None"):
        embed(paths, tmp_path / "out", nlp=elmo_nlp, options=options, resume=True)


@pytest.mark.slow
def test_a_worker_s_error_is_the_run_s(
    cluster: None, elmo_nlp: Language, tmp_path: Path
):
    with pytest.raises(ValueError, match="a.parquet, line 3: field 'text'"):
        embed_on_ray(
            write_files(tmp_path),
            tmp_path / "out",
            n_workers=1,
            nlp=elmo_nlp,
            strict=True,
        )
