"""Vectors that are kept where no earlier one is nearly the same."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .vectors import Floats

#: Vectors to compare with each other at once.
BLOCK_ROWS = 1024
#: What rounding takes from the cosine of two equal vectors.
ROUNDING = 1e-6


class Assignment(NamedTuple):
    """Where each vector of a block belongs. (n,) each

    nodes (NDArray): The number of the nearest kept vector; its own, if it is new.
    scores (NDArray): Their cosine; for a new one, with the nearest before it.
    is_new (NDArray): Whether it is kept itself.
    """

    nodes: NDArray[np.int64]
    scores: Floats
    is_new: NDArray[np.bool_]


class KeptVectors:
    """Keeps the unit vectors whose cosine with all kept before is below a threshold.

    index (Any): An empty faiss index of inner products; it holds what is kept.
    threshold (float): From this cosine on, a vector is not kept.
    options (Any): What faiss is given with a search.
    """

    def __init__(self, index: Any, threshold: float, options: Any = None) -> None:
        self.index = index
        self._least = threshold - ROUNDING
        self._options = options

    def assign(self, directions: Floats) -> Assignment:
        """Keep what is new of a block, and say where the rest belongs.

        directions (NDArray): (n, width), at most some thousand.
        """
        n, n_before = len(directions), self.index.ntotal
        is_new = np.zeros(n, dtype=bool)
        if not n:
            return Assignment(np.zeros(0, np.int64), np.zeros(0, np.float32), is_new)
        found, rows = self.index.search(directions, 1, params=self._options)
        scores, nodes = found[:, 0], rows[:, 0]
        inside = directions @ directions.T
        numbers = np.zeros(n, dtype=np.int64)
        for row in range(n):
            if is_new[:row].any():
                products = np.where(is_new[:row], inside[row, :row], -np.inf)
                best = int(products.argmax())
                if products[best] > scores[row]:
                    scores[row], nodes[row] = products[best], numbers[best]
            if scores[row] < self._least:
                is_new[row] = True
                nodes[row] = numbers[row] = n_before + is_new[:row].sum()
        self.index.add(directions[is_new])
        return Assignment(nodes, scores, is_new)


class Copies:
    """Which documents share a kept vector.

    nodes (NDArray): (n,) the number of the kept vector of each document.
    """

    def __init__(self, nodes: NDArray[np.integer]) -> None:
        self._order = np.argsort(nodes, kind="stable")
        self._ends = np.cumsum(np.bincount(nodes))

    def __len__(self) -> int:
        return len(self._ends)

    def rows_of(self, node: int) -> NDArray[np.int64]:
        """The documents of a kept vector, in their order."""
        start = self._ends[node - 1] if node else 0
        rows: NDArray[np.int64] = self._order[start : self._ends[node]]
        return rows
