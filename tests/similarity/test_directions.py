"""Unit vectors and common components."""

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from spacy_elmo.similarity.directions import (
    find_components,
    read_components,
    to_directions,
)

from .util import random_vectors, unit


def test_directions_are_unit_vectors_of_rows_that_have_one() -> None:
    vectors = np.array([[3, 4], [0, 0], [np.nan, 1], [np.inf, 1], [0, -2]], "f")
    directions, rows = to_directions(vectors)
    assert rows.tolist() == [0, 4]
    assert directions.dtype == np.float32
    np.testing.assert_allclose(directions, [[0.6, 0.8], [0, -1]], atol=1e-7)


@pytest.mark.parametrize("n", [0, 1, 3])
@pytest.mark.parametrize("size", [7, 1000])
def test_components_are_those_of_an_svd(n: int, size: int) -> None:
    stretch = np.linspace(1, 3, 8)
    vectors = (random_vectors(200, 8) * stretch + 5).astype("f")
    batches = [vectors[i : i + size] for i in range(0, len(vectors), size)]
    common = find_components(batches, n)
    vectors = unit(vectors)
    np.testing.assert_allclose(common.mean, vectors.mean(axis=0), atol=1e-5)
    _, _, rows = np.linalg.svd(vectors - vectors.mean(axis=0))
    signs = np.sign((common.components * rows[:n]).sum(axis=1, keepdims=True))
    np.testing.assert_allclose(common.components * signs, rows[:n], atol=1e-3)


def test_what_is_removed_is_gone() -> None:
    vectors = unit(random_vectors(100, 8) + 3)
    common = find_components([vectors], 2)
    rest = common.remove(vectors)
    np.testing.assert_allclose(rest.mean(axis=0), 0, atol=1e-5)
    np.testing.assert_allclose(rest @ common.components.T, 0, atol=1e-5)


def test_long_vectors_count_no_more_than_short_ones() -> None:
    vectors = random_vectors(50, 4) + 1
    lengths = np.linspace(0.1, 9, 50, dtype="f")[:, None]
    found, expected = (find_components([v], 1) for v in (vectors * lengths, vectors))
    np.testing.assert_allclose(found.mean, expected.mean, atol=1e-6)


def test_rows_without_a_direction_do_not_count() -> None:
    vectors = random_vectors(20, 4)
    extra = np.zeros((5, 4), "f")
    extra[0] = np.nan
    found = find_components([extra, vectors, extra], 1)
    np.testing.assert_allclose(found.mean, unit(vectors).mean(axis=0), atol=1e-6)


def nearest_unit_vector(mean: NDArray, component: NDArray) -> NDArray:
    """mean + t * component, of length 1."""
    along = mean @ component
    t = -along + np.sqrt(along**2 + 1 - mean @ mean)
    return mean + t * component


def test_a_vector_of_nothing_but_common_components_has_no_direction() -> None:
    """Rounding would otherwise be blown up to a direction."""
    common = find_components([random_vectors(50, 4) + 2], 1)
    vectors = random_vectors(2, 4, seed=1)
    vectors[0] = nearest_unit_vector(common.mean, common.components[0])
    directions, rows = to_directions(vectors, common)
    assert rows.tolist() == [1]
    expected = unit(common.remove(unit(vectors[1:])))
    np.testing.assert_allclose(directions, expected, atol=1e-6)


@pytest.mark.parametrize("n, rows", [(-1, 5), (4, 9), (5, 5), (0, 0)])
def test_too_many_components_or_too_few_vectors(n: int, rows: int) -> None:
    with pytest.raises(ValueError, match=f"(found|remove) {n}[. ]"):
        find_components([random_vectors(rows, 4)], n)


def test_components_come_back_from_disk(tmp_path: Path) -> None:
    common = find_components([random_vectors(9, 4)], 2)
    common.to_disk(tmp_path / "c.npz")
    found = read_components(tmp_path / "c.npz")
    assert np.array_equal(found.mean, common.mean)
    assert np.array_equal(found.components, common.components)
