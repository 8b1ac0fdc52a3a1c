"""How well the cosines of vectors agree with what people say of their texts."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.floating]  # (n,)


class Agreement(NamedTuple):
    """Correlations of two lists of figures, from -1 to 1.

    spearman (float): Of their ranks. pearson (float): Of the figures themselves.
    """

    spearman: float
    pearson: float


def agreement(scores: Numbers, judgements: Numbers) -> Agreement:
    """Correlate the scores of pairs of texts with people's judgements. (n,) each

    RAISES (ValueError): They are not as many, or there are fewer than two.
    """
    x, y = np.asarray(scores, np.float64), np.asarray(judgements, np.float64)
    if x.shape != y.shape or x.ndim != 1 or len(x) < 2:
        raise ValueError(
            "Expected as many scores as judgements, at least two; found "
            f"{x.shape} and {y.shape}."
        )
    return Agreement(_pearson(_ranks(x), _ranks(y)), _pearson(x, y))


def cosines(X: NDArray, Y: NDArray) -> Numbers:
    """The cosine of each row of X with that of Y; 0 where one is zero. (n,)"""
    products = (X * Y).sum(axis=1)
    lengths = np.linalg.norm(X, axis=1) * np.linalg.norm(Y, axis=1)
    found: Numbers = products / np.where(lengths > 0, lengths, 1)
    return found


def _pearson(x: Numbers, y: Numbers) -> float:
    """0 where one of them is constant."""
    x, y = x - x.mean(), y - y.mean()
    scale = float(np.linalg.norm(x) * np.linalg.norm(y))
    return float(x @ y) / scale if scale else 0.0


def _ranks(values: Numbers) -> Numbers:
    """From 1; equal values share the average of their ranks."""
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    ranks: Numbers = (last - (counts - 1) / 2)[places]
    return ranks
