"""Near-duplicates of earlier documents."""

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import spacy_elmo.similarity.duplicates as duplicates
from spacy_elmo.similarity import find_duplicates

from .util import random_vectors, unit, write_vectors


def angle(degrees: float) -> list[float]:
    return [np.cos(np.radians(degrees)), np.sin(np.radians(degrees))]


def found_in(folder: Path, **settings) -> list[tuple]:
    return [
        (d.document.id, d.kept.id, pytest.approx(d.score, abs=1e-6))
        for d in find_duplicates(folder, **settings)
    ]


@pytest.mark.parametrize("kind", ["exact", "hnsw"])
@pytest.mark.parametrize("block", [1, 2, 100])
def test_a_duplicate_names_the_nearest_that_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, block: int
) -> None:
    monkeypatch.setattr(duplicates, "BLOCK_ROWS", block)
    # 10 degrees: cosine 0.985; 18 degrees: 0.951.
    degrees = [0, 10, 18, 100, 9, 108]
    folder = write_vectors(tmp_path, [angle(d) for d in degrees])
    found = found_in(folder, threshold=0.98, kind=kind)
    assert found == [
        ("d1", "d0", np.cos(np.radians(10))),
        ("d4", "d2", np.cos(np.radians(9))),
        ("d5", "d3", np.cos(np.radians(8))),
    ]


def test_no_chain_joins_documents_that_differ(tmp_path: Path) -> None:
    folder = write_vectors(tmp_path, [angle(d) for d in range(0, 50, 10)])
    found = [(d[0], d[1]) for d in found_in(folder, threshold=0.98)]
    assert found == [("d1", "d0"), ("d3", "d2")]


def reference(vectors: NDArray, threshold: float) -> list[tuple[str, str]]:
    """One row after another, each compared with all that are kept."""
    directions, kept, found = unit(vectors), [], []
    for row, direction in enumerate(directions):
        scores = directions[kept] @ direction if kept else np.zeros(0)
        if kept and scores.max() >= threshold:
            found.append((f"d{row}", f"d{kept[int(scores.argmax())]}"))
        else:
            kept.append(row)
    return found


@pytest.mark.parametrize("kind", ["exact", "hnsw"])
@pytest.mark.parametrize("block", [7, 64, 1024])
def test_blocks_do_not_matter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, block: int
) -> None:
    monkeypatch.setattr(duplicates, "BLOCK_ROWS", block)
    centres = random_vectors(40, 8)
    vectors = np.repeat(centres, 6, axis=0) + 0.15 * random_vectors(240, 8, seed=1)
    vectors = vectors[np.random.default_rng(2).permutation(240)]
    folder = write_vectors(tmp_path, vectors, shard_rows=50)
    expected = reference(vectors, 0.98)
    assert 50 < len(expected) < 200
    found = found_in(folder, threshold=0.98, kind=kind, ef_search=300)
    assert [pair[:2] for pair in found] == expected


def test_a_thousand_copies_are_listed_once_each(tmp_path: Path) -> None:
    folder = write_vectors(tmp_path, [[0.1, 0.2, 0.3]] * 3000)
    found = list(find_duplicates(folder, threshold=1.0))
    assert len(found) == 2999
    assert {d.kept.id for d in found} == {"d0"}
    assert max(d.score for d in found) <= 1


def test_null_and_zero_vectors_are_no_duplicates(tmp_path: Path) -> None:
    rows = [None, [0, 0], [1, 0], [0, 0], None, [2, 0]]
    folder = write_vectors(tmp_path, rows, texts=[f"t{i}" for i in range(6)])
    (found,) = find_duplicates(folder)
    assert (found.document.text, found.kept.text) == ("t5", "t2")


def test_common_components_are_removed_first(tmp_path: Path) -> None:
    """What all have in common makes none of them duplicates."""
    vectors = random_vectors(50, 8)
    vectors[:, 0] += 100
    folder = write_vectors(tmp_path, vectors)
    assert len(list(find_duplicates(folder))) == 49
    assert list(find_duplicates(folder, remove_components=0)) == []


@pytest.mark.parametrize("threshold", [1.01, -1, float("nan")])
def test_the_threshold_is_checked_at_once(tmp_path: Path, threshold: float) -> None:
    folder = write_vectors(tmp_path, [[1, 0]])
    with pytest.raises(ValueError, match="threshold: expected"):
        find_duplicates(folder, threshold=threshold)
