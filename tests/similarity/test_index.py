"""Indexes: what is found, what never is, what is refused."""

import json
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from spacy_elmo.similarity import Hit, Index, Settings, build_index

from .util import random_vectors, unit, write_vectors

VECTORS = random_vectors(300) + np.float32(0.5)
QUERIES = random_vectors(20, seed=1)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    texts = [f"text {i}" for i in range(len(VECTORS))]
    return write_vectors(tmp_path / "vectors", VECTORS, texts=texts, shard_rows=70)


def nearest(vectors: NDArray, queries: NDArray, k: int) -> tuple[list, NDArray]:
    """Ids and cosines by comparing everything."""
    scores = unit(queries) @ unit(vectors).T
    order = np.argsort(-scores, axis=1)[:, :k]
    ids = [[f"d{i}" for i in row] for row in order]
    return ids, np.take_along_axis(scores, order, axis=1)


@pytest.mark.parametrize("kind", ["exact", "hnsw"])
def test_the_nearest_are_found(tmp_path: Path, folder: Path, kind: str) -> None:
    info = build_index(folder, tmp_path / "index", kind=kind)
    assert (info.n_vectors, info.n_left_out, info.width) == (300, 0, 16)
    found = Index(tmp_path / "index").search(QUERIES, 5, ef_search=300)
    ids, scores = nearest(VECTORS, QUERIES, 5)
    assert [[hit.id for hit in hits] for hits in found] == ids
    np.testing.assert_allclose(
        [[hit.score for hit in hits] for hits in found], scores, atol=1e-6
    )
    assert found[0][0].text == f"text {ids[0][0][1:]}"


@pytest.mark.parametrize("n", [0, 2])
def test_common_components_are_removed_on_both_sides(
    tmp_path: Path, folder: Path, n: int
) -> None:
    build_index(folder, tmp_path / "index", remove_components=n)
    found = Index(tmp_path / "index").search(QUERIES, 5)
    vectors, queries = unit(VECTORS), unit(QUERIES)
    mean = vectors.mean(axis=0)
    _, _, rows = np.linalg.svd(vectors - mean)
    rest = np.eye(16) - rows[:n].T @ rows[:n]
    ids, scores = nearest((vectors - mean) @ rest, (queries - mean) @ rest, 5)
    assert [[hit.id for hit in hits] for hits in found] == ids
    np.testing.assert_allclose(
        [[hit.score for hit in hits] for hits in found], scores, atol=1e-4
    )


@pytest.mark.parametrize("kind", ["exact", "hnsw"])
def test_null_and_zero_vectors_are_never_neighbours(tmp_path: Path, kind: str) -> None:
    rows = [None, [1, 0], [0, 0], None, [0, 1], [-1, 0], [np.nan, 0]]
    folder = write_vectors(tmp_path / "vectors", rows)
    info = build_index(folder, tmp_path / "index", kind=kind)
    assert (info.n_vectors, info.n_left_out) == (3, 4)
    (hits,) = Index(tmp_path / "index").search(np.array([[1, 0.1]]), 10)
    assert [hit.id for hit in hits] == ["d1", "d4", "d5"]


def test_copies_are_found_and_crowd_nobody_out(tmp_path: Path) -> None:
    """HNSW links equal vectors with each other and loses the way to the rest."""
    copies = np.repeat(VECTORS[:3], 700, axis=0)
    copies += np.float32(1e-6) * random_vectors(2100, seed=2)  # as other batches round
    order = np.random.default_rng(3).permutation(2400)
    rows = np.concatenate([VECTORS, copies])[order]
    texts = [str(i if i < 300 else (i - 300) // 700) for i in order]
    folder = write_vectors(tmp_path / "v", rows, texts=texts)
    info = build_index(folder, tmp_path / "index", kind="hnsw")
    assert info.n_vectors == 2400
    index = Index(tmp_path / "index")
    found = [hits[0].text for hits in index.search(VECTORS, 1)]
    assert found == [str(i) for i in range(300)]
    (hits,) = index.search(VECTORS[:1], 800)
    assert [hit.text for hit in hits[:701]] == ["0"] * 701 and hits[701].text != "0"
    assert len({hit.id for hit in hits}) == 800


def test_a_zero_query_finds_nothing(tmp_path: Path, folder: Path) -> None:
    build_index(folder, tmp_path / "index")
    queries = np.stack([VECTORS[7], np.zeros(16, "f"), VECTORS[8]])
    found = Index(tmp_path / "index").search(queries, 1)
    assert [[hit.id for hit in hits] for hits in found] == [["d7"], [], ["d8"]]


def test_no_queries(tmp_path: Path, folder: Path) -> None:
    build_index(folder, tmp_path / "index")
    assert Index(tmp_path / "index").search(np.zeros((0, 16), "f")) == []


def test_ids_may_be_integers_and_texts_absent(tmp_path: Path) -> None:
    folder = write_vectors(tmp_path / "v", [[1, 0], [0, 1]], ids=[7, 2**40])
    build_index(folder, tmp_path / "index")
    (hits,) = Index(tmp_path / "index").search(np.array([[0.0, 5.0]]), 1)
    assert hits == [Hit(2**40, 1.0, None)]


def test_float16_vectors_are_found(tmp_path: Path) -> None:
    folder = write_vectors(tmp_path / "v", VECTORS, dtype="float16")
    build_index(folder, tmp_path / "index")
    found = Index(tmp_path / "index").search(VECTORS[:50], 1)
    assert [hits[0].id for hits in found] == [f"d{i}" for i in range(50)]


def test_the_manifest_travels_with_the_index(tmp_path: Path) -> None:
    manifest = {"pooling": "mean", "nested": {"text": "ü"}}
    folder = write_vectors(tmp_path / "v", [[1, 0]], manifest=manifest)
    build_index(folder, tmp_path / "index", kind="hnsw", m=8, remove_components=None)
    info = Index(tmp_path / "index").info
    assert info.manifest == manifest
    assert info.settings == Settings("hnsw", m=8)


def test_an_index_is_replaced(tmp_path: Path, folder: Path) -> None:
    build_index(folder, tmp_path / "index", remove_components=3)
    other = write_vectors(tmp_path / "v", [[1, 0], [0, 1]])
    build_index(other, tmp_path / "index")
    (hits,) = Index(tmp_path / "index").search(np.array([[0.0, 5.0]]))
    assert [hit.id for hit in hits] == ["d1", "d0"]


def test_a_build_that_failed_leaves_no_index(tmp_path: Path, folder: Path) -> None:
    build_index(folder, tmp_path / "index")
    (folder / "part-00002.parquet").write_bytes(b"PAR1")
    with pytest.raises(ValueError, match="part-00002"):
        build_index(folder, tmp_path / "index")
    with pytest.raises(FileNotFoundError, match=r"no index\.json"):
        Index(tmp_path / "index")


def test_progress_counts_every_row(tmp_path: Path) -> None:
    folder = write_vectors(tmp_path / "v", [[1, 0], None, [0, 0], [1, 1]], shard_rows=3)
    read: list[int] = []
    build_index(folder, tmp_path / "index", on_batch=read.append)
    assert sum(read) == 4


def test_nothing_to_index(tmp_path: Path) -> None:
    folder = write_vectors(tmp_path / "v", [[0, 0], None])
    with pytest.raises(ValueError, match="no vector to search among"):
        build_index(folder, tmp_path / "index")


@pytest.mark.parametrize(
    "settings", [{"kind": "flat"}, {"m": 1}, {"ef_construction": 0}]
)
def test_settings_are_checked(settings: dict) -> None:
    with pytest.raises(ValueError, match=f"{next(iter(settings))}: expected"):
        Settings(**settings)


@pytest.mark.parametrize(
    "queries, k, message",
    [(QUERIES[:, :5], 5, "16"), (QUERIES[0], 5, "16"), (QUERIES, 0, "k: expected")],
)
def test_queries_are_checked(
    tmp_path: Path, folder: Path, queries: NDArray, k: int, message: str
) -> None:
    build_index(folder, tmp_path / "index")
    with pytest.raises(ValueError, match=message):
        Index(tmp_path / "index").search(queries, k)


@pytest.mark.parametrize(
    "name", ["index.faiss", "documents.arrow", "copies.npy", "components.npz"]
)
def test_a_damaged_file_is_named(tmp_path: Path, folder: Path, name: str) -> None:
    build_index(folder, tmp_path / "index", kind="hnsw", remove_components=0)
    path = tmp_path / "index" / name
    path.write_bytes(path.read_bytes()[:200])
    with pytest.raises(ValueError, match=f"{name}: damaged"):
        Index(tmp_path / "index")


def test_files_of_two_indexes_are_refused(tmp_path: Path, folder: Path) -> None:
    build_index(folder, tmp_path / "index")
    build_index(write_vectors(tmp_path / "v", VECTORS[:9]), tmp_path / "other")
    (tmp_path / "other" / "index.faiss").rename(tmp_path / "index" / "index.faiss")
    with pytest.raises(ValueError, match=r"300 vectors.*index\.faiss holds 9\."):
        Index(tmp_path / "index")


@pytest.mark.parametrize(
    "change", [{"format_version": 2}, {"format": "x"}, {"settings": {"a": 1}}]
)
def test_an_index_of_another_form_is_refused(
    tmp_path: Path, folder: Path, change: dict
) -> None:
    build_index(folder, tmp_path / "index")
    path = tmp_path / "index" / "index.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    with pytest.raises(ValueError, match=r"index\.json: not of this spacy-elmo"):
        Index(tmp_path / "index")
