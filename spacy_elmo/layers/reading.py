"""What the biLM reads of a batch of Docs, and where the vectors go."""

from collections.abc import Iterator
from typing import NamedTuple, cast

import numpy as np
from numpy.typing import NDArray
from thinc.util import torch2xp
from torch import Tensor

from .context import Context
from .types import Docs, Layers, LayersList


class Reading(NamedTuple):
    """Words the biLM reads together, and where their vectors go.

    doc (int): Index of the Doc.
    tokens (NDArray): (n,) the Doc's tokens that are read, whitespace left out.
    words (List[str]): Their texts.
    kept (NDArray): (n,) bool, which of them get their vectors from this reading.
    """

    doc: int
    tokens: NDArray[np.int64]
    words: list[str]
    kept: NDArray[np.bool_]


def batches(docs: Docs, context: Context, batch_words: int) -> Iterator[list[Reading]]:
    """Readings of similar lengths together, `batch_words` words at a time.

    A longer reading makes a batch of its own.
    """
    by_length = sorted(_readings(docs, context), key=_n_words, reverse=True)
    batch: list[Reading] = []
    n_words = 0
    for reading in by_length:
        if batch and n_words + _n_words(reading) > batch_words:
            yield batch
            batch, n_words = [], 0
        batch.append(reading)
        n_words += _n_words(reading)
    if batch:
        yield batch


def scatter(Y: Tensor, readings: list[Reading], outputs: LayersList) -> None:
    """Give every word's vectors to its Doc. Y: (L, N, D)"""
    vectors, end = cast(Layers, torch2xp(Y)), 0
    for reading in readings:
        start, end = end, end + len(reading.words)
        kept = reading.kept
        outputs[reading.doc][:, reading.tokens[kept]] = vectors[:, start:end][:, kept]


def gather(d_outputs: LayersList, readings: list[Reading], dY: Layers) -> None:
    """Collect every word's gradients from its Doc. dY: (L, N, D), zeros."""
    end = 0
    for reading in readings:
        start, end = end, end + len(reading.words)
        kept = reading.kept
        dY[:, start:end][:, kept] = d_outputs[reading.doc][:, reading.tokens[kept]]


def _readings(docs: Docs, context: Context) -> Iterator[Reading]:
    for index, (doc, stretches) in enumerate(zip(docs, context(docs), strict=True)):
        for start, end, first, last in stretches:
            tokens = [token for token in doc[start:end] if not token.is_space]
            if tokens:
                places = np.asarray([token.i for token in tokens])
                kept = (places >= first) & (places < last)
                yield Reading(index, places, [token.text for token in tokens], kept)


def _n_words(reading: Reading) -> int:
    return len(reading.words)
