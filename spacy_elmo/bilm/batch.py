"""Sentences of any lengths as one batch without a single padded step."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ..characters import check_sentences

BOS, EOS = "<S>", "</S>"


@dataclass(frozen=True)
class SentenceBatch:
    """What `BiLM` reads. N positions in S sentences, boundaries included.

    The *flat* order of positions is sentence after sentence, as they came. The LSTM
    reads them in *packed* order, as torch's PackedSequence has it: all first words,
    longest sentence first, then all second words, and so on.

    ids (Tensor): The distinct words, encoded by the token encoder; (W, ...).
    words (Tensor): (N,) row of `ids` for each position, flat.
    lengths (NDArray): (S,) positions of each sentence.
    active (List[int]): Sentences still running at each time step.
    forward (Tensor): (N,) flat position at each packed place, read left to right.
    backward (Tensor): (N,) the same, each sentence read right to left.
    order (Tensor): (S,) the sentences from longest to shortest.
    inner (NDArray): (N,) bool, False at the boundaries, flat.
    """

    ids: Tensor
    words: Tensor
    lengths: NDArray[np.int64]
    active: list[int]
    forward: Tensor
    backward: Tensor
    order: Tensor
    inner: NDArray[np.bool_]


def collate(
    sentences: Sequence[Sequence[str]],
    to_ids: Callable[[Sequence[str]], Tensor],
    boundaries: tuple[str, str] = (BOS, EOS),
) -> SentenceBatch:
    """Make a batch, adding the boundaries to every sentence.

    sentences (Sequence[Sequence[str]]): Lists of words; empty ones are allowed.
    to_ids (Callable): The token encoder's encoding of distinct words.
    boundaries (Tuple[str, str]): The words before the first and after the last.
    RAISES (TypeError): A str where a list of words is wanted.
    """
    check_sentences(sentences)
    begin, end = boundaries
    positions = chain.from_iterable([begin, *words, end] for words in sentences)
    rows: dict[str, int] = {}
    words = np.fromiter((rows.setdefault(w, len(rows)) for w in positions), np.int64)
    ids = to_ids(list(rows))
    lengths = np.fromiter((len(words) + 2 for words in sentences), np.int64)
    starts = np.cumsum(lengths) - lengths
    order = np.argsort(-lengths, kind="stable")
    active = _active_counts(lengths)
    ranks = np.concatenate([np.arange(n) for n in active] or [np.arange(0)])
    steps = np.repeat(np.arange(len(active)), active)
    sentence = order[ranks]
    inner = np.ones(len(words), dtype=bool)
    inner[starts] = inner[starts + lengths - 1] = False
    return SentenceBatch(
        ids=ids,
        words=torch.from_numpy(words).to(ids.device),
        lengths=lengths,
        active=active.tolist(),
        forward=torch.from_numpy(starts[sentence] + steps).to(ids.device),
        backward=torch.from_numpy(starts[sentence] + lengths[sentence] - 1 - steps).to(
            ids.device
        ),
        order=torch.from_numpy(order).to(ids.device),
        inner=inner,
    )


def _active_counts(lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """How many sentences are longer than t, for each time step t."""
    ended = np.bincount(lengths, minlength=1)
    return (len(lengths) - np.cumsum(ended))[:-1]
