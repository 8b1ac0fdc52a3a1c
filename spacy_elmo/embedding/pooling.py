"""Vectors of tokens to one of a sentence or document."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..pretraining.vocabulary import SPECIALS, UNK, read_vocabulary

Floats = NDArray[np.float32]

#: Words of about this share of a text get half the weight of rare ones.
SIF_A = 1e-3


class WordWeights:
    """Weighs a word by how rare it is.

    counts (Mapping[str, int]): How often each word was seen; a word that is not there
        counts as never seen. total (int): Words seen.
    kind (str): "idf" or "sif"; see `Options`.
    """

    def __init__(self, counts: Mapping[str, int], total: int, kind: str) -> None:
        self._total = max(1, total)
        self._kind = kind
        self._weights = {word: self._weight(n) for word, n in counts.items()}
        self._unknown = self._weight(0)

    def __call__(self, word: str) -> float:
        """The weight of a word."""
        return self._weights.get(word, self._unknown)

    def _weight(self, count: int) -> float:
        if self._kind == "idf":
            return math.log((self._total + 1) / (count + 1))
        return SIF_A / (SIF_A + count / self._total)


def read_word_weights(path: str | Path, kind: str) -> WordWeights:
    """Read the file of counts that `spacy elmo vocab` writes.

    RAISES (FileNotFoundError, ValueError): Names the file and line; it has no counts.
    """
    vocabulary = read_vocabulary(path)
    if vocabulary.counts is None:
        raise ValueError(
            f"{path}: expected a tab and a count behind each word, as "
            "`python -m spacy elmo vocab` writes them."
        )
    found = dict(zip(vocabulary.words, vocabulary.counts))
    counts = {word: n for word, n in found.items() if word not in SPECIALS}
    return WordWeights(counts, sum(counts.values()) + found[UNK], kind)


def pool(
    vectors: Floats,
    spans: Sequence[tuple[int, int]],
    weights: NDArray[np.float32],
    *,
    maximum: bool = False,
) -> Floats:
    """One vector for each stretch of tokens.

    vectors (NDArray): (N, K, D).
    spans (Sequence[Tuple[int, int]]): Start and end of each stretch. They are in order
        and leave no token between them.
    weights (NDArray): (N,) how much a token counts, 0 for not at all.
    maximum (bool): The largest value instead of the mean, over those that count.
    RETURNS (NDArray): (S, K, D), zero for a stretch in which nothing counts.
    """
    ends = np.asarray(spans, dtype=np.int64).reshape(-1, 2)
    is_filled = ends[:, 1] > ends[:, 0]
    pooled = np.zeros((len(ends), *vectors.shape[1:]), dtype=np.float32)
    starts = ends[is_filled, 0]
    if not len(starts):
        return pooled
    by_token = weights[:, None, None]
    totals = np.add.reduceat(weights, starts)[:, None, None]
    if maximum:
        counted = np.where(by_token > 0, vectors, np.float32(-np.inf))
        found: Any = np.maximum.reduceat(counted, starts, axis=0)
    else:
        found = np.add.reduceat(vectors * by_token, starts, axis=0)
        found = np.divide(found, totals, out=np.zeros_like(found), where=totals > 0)
    pooled[is_filled] = np.where(totals > 0, found, np.float32(0))
    return pooled
