"""Sentences of any lengths as one batch without a single padded step."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

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
    words, distinct = number_words(positions)
    ids = to_ids(distinct)
    packing = pack([len(words) + 2 for words in sentences])
    starts, lengths = packing.starts, packing.lengths
    inner = np.ones(len(words), dtype=bool)
    inner[starts] = inner[starts + lengths - 1] = False
    return SentenceBatch(
        ids=ids,
        words=torch.from_numpy(words).to(ids.device),
        lengths=lengths,
        active=packing.active,
        forward=torch.from_numpy(packing.forward).to(ids.device),
        backward=torch.from_numpy(packing.backward).to(ids.device),
        order=torch.from_numpy(packing.order).to(ids.device),
        inner=inner,
    )


def number_words(words: Iterable[str]) -> tuple[NDArray[np.int64], list[str]]:
    """RETURNS (Tuple[NDArray, List[str]]): (N,) the number of each word among the
    distinct ones, and these.
    """
    rows: dict[str, int] = {}
    numbers = np.fromiter((rows.setdefault(w, len(rows)) for w in words), np.int64)
    return numbers, list(rows)


class Packing(NamedTuple):
    """Sentences in packed order; see `SentenceBatch` for the fields.

    starts (NDArray): (S,) flat position of each sentence's first word.
    """

    lengths: NDArray[np.int64]
    starts: NDArray[np.int64]
    active: list[int]
    forward: NDArray[np.int64]
    backward: NDArray[np.int64]
    order: NDArray[np.int64]


def pack(n_words: Sequence[int]) -> Packing:
    """Order the positions of sentences of so many words, step by step."""
    lengths = np.asarray(n_words, dtype=np.int64)
    starts = np.cumsum(lengths) - lengths
    order = np.argsort(-lengths, kind="stable")
    # How many sentences are longer than t, for each time step t.
    active = (len(lengths) - np.cumsum(np.bincount(lengths, minlength=1)))[:-1]
    ranks = np.concatenate([np.arange(n) for n in active] or [np.arange(0)])
    steps = np.repeat(np.arange(len(active)), active)
    sentence = order[ranks]
    forward = starts[sentence] + steps
    backward = starts[sentence] + lengths[sentence] - 1 - steps
    return Packing(lengths, starts, active.tolist(), forward, backward, order)
