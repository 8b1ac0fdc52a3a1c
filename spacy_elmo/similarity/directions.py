"""Vectors to unit vectors, whose products are cosines; common components removed.

Averages of contextual vectors lie close together, so that any two documents look alike.
Without their mean and the largest principal components (Mu and Viswanath 2018; Arora
et al. 2017) the cosine is left with what tells documents apart.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from .vectors import Floats

#: A unit vector shrunk to less than this was nothing but common components.
EPSILON = 1e-5


@dataclass(frozen=True)
class CommonComponents:
    """What the unit vectors of a collection have in common.

    mean (NDArray): (width,) float32.
    components (NDArray): (n, width) float32, the largest principal components.
    """

    mean: Floats
    components: Floats

    def remove(self, vectors: Floats) -> Floats:
        """Subtract the mean, and what lies along the components.

        vectors (NDArray): (n, width) unit vectors.
        """
        centered: Floats = vectors - self.mean
        along: Floats = centered @ self.components.T  # (rows, n)
        return centered - along @ self.components

    def to_disk(self, path: Path) -> None:
        """Write a file of arrays."""
        np.savez(path, mean=self.mean, components=self.components)


def read_components(path: str | Path) -> CommonComponents:
    """Read what `CommonComponents.to_disk` wrote."""
    with np.load(path) as arrays:
        return CommonComponents(arrays["mean"], arrays["components"])


def find_components(batches: Iterable[Floats], n: int) -> CommonComponents:
    """Find the mean and the n largest principal components in one pass.

    Every direction counts the same, however long the vector; rows without one do not.

    batches (Iterable[Floats]): (rows, width) float32 each.
    n (int): 0 finds the mean alone.
    RAISES (ValueError): There are too few vectors, or too narrow ones.
    """
    if n < 0:
        raise ValueError(f"Common components: expected 0 or more, found {n}.")
    count, total, products = 0, np.zeros(0), np.zeros((0, 0))
    for batch in batches:
        rows = to_directions(batch)[0].astype(np.float64)
        if not count:
            width = rows.shape[1]
            total, products = np.zeros(width), np.zeros((width, width))
        count += len(rows)
        total += rows.sum(axis=0)
        products += rows.T @ rows
    if not n < min(count, len(total)):
        raise ValueError(
            f"To remove {n} common components expected more vectors than that, and "
            f"wider ones; found {count} vectors {len(total)} wide."
        )
    mean = total / count
    covariance = products / count - np.outer(mean, mean)
    _, vectors = np.linalg.eigh(covariance)  # columns by rising eigenvalue
    largest = vectors[:, ::-1][:, :n].T
    return CommonComponents(mean.astype(np.float32), largest.astype(np.float32))


def to_directions(
    vectors: Floats, common: CommonComponents | None = None
) -> tuple[Floats, NDArray[np.int64]]:
    """Unit vectors of the rows that have a direction: finite ones, and not zero.

    common (Optional[CommonComponents]): What to remove from them. A row that is nothing
        else has no direction.
    RETURNS (Tuple[Floats, NDArray]): (m, width) float32, and the numbers of these rows.
    """
    directions, rows = _normalize(vectors, least=0)
    if common is not None:
        directions, kept = _normalize(common.remove(directions), least=EPSILON)
        rows = rows[kept]
    return directions, rows


def _normalize(vectors: Floats, least: float) -> tuple[Floats, NDArray[np.int64]]:
    """Rows longer than `least` to length 1, and their numbers."""
    lengths = np.linalg.norm(vectors, axis=1)
    rows = np.flatnonzero(np.isfinite(lengths) & (lengths > least))
    directions = vectors[rows] / lengths[rows, None]
    return np.ascontiguousarray(directions, np.float32), rows
