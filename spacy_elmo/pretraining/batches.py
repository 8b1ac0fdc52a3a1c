"""Sentences as batches of predictions, in both directions, without a padded step."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ..bilm.batch import BOS, EOS
from ..bilm.lexicon import Lexicon
from .vocabulary import TargetVocabulary

#: Words that are read in turn, and the word to predict after each.
Stretch = tuple[Sequence[str], Sequence[str]]


@dataclass(frozen=True)
class PredictionBatch:
    """What a language model reads and predicts; N predictions a direction.

    Rows are in *packed* order: the first of every stretch, longest first, then the
    second. Direction 0 reads left to right, 1 right to left.

    ids (Tensor): (W, columns) the distinct words, as the token encoder reads them.
    words (Tensor): (2, N) row of `ids` that is read.
    targets (Tensor): (2, N) id in the vocabulary that is to be predicted.
    active (List[int]): Stretches still running at each step.
    order (Tensor): (S,) the stretches from longest to shortest.
    """

    ids: Tensor
    words: Tensor
    targets: Tensor
    active: list[int]
    order: Tensor

    @property
    def n_predictions(self) -> int:
        """Predictions of both directions."""
        return self.targets.numel()

    def to(self, device: torch.device) -> "PredictionBatch":
        """RETURNS (PredictionBatch): The same on a device."""
        if device.type == "cpu":
            return self
        return PredictionBatch(
            ids=self.ids.to(device, non_blocking=True),
            words=self.words.to(device, non_blocking=True),
            targets=self.targets.to(device, non_blocking=True),
            active=self.active,
            order=self.order.to(device, non_blocking=True),
        )


@dataclass(frozen=True)
class Batcher:
    """Makes batches of sentences: what the network needs to know of the words.

    vocabulary (TargetVocabulary): The words to predict.
    lexicon (Lexicon): How the network reads words.
    """

    vocabulary: TargetVocabulary
    lexicon: Lexicon

    def from_sentences(self, sentences: Sequence[Sequence[str]]) -> PredictionBatch:
        """Whole sentences: from <S> to the last word, and from </S> to the first."""
        forward, backward = zip(*map(both_ways, sentences))
        return self.from_stretches(forward, backward)

    def from_stretches(
        self, forward: Sequence[Stretch], backward: Sequence[Stretch]
    ) -> PredictionBatch:
        """Stretches in pairs of equal length, one for each direction."""
        lengths = np.fromiter((len(read) for read, _ in forward), np.int64)
        order = np.argsort(-lengths, kind="stable")
        active = (len(lengths) - np.cumsum(np.bincount(lengths, minlength=1)))[:-1]
        flat = _packed_places(lengths, order, active)
        rows: dict[str, int] = {}
        words, targets = [], []
        for stretches in (forward, backward):
            read = chain.from_iterable(read for read, _ in stretches)
            words.append(
                np.fromiter((rows.setdefault(w, len(rows)) for w in read), int)
            )
            predicted = chain.from_iterable(predicted for _, predicted in stretches)
            targets.append(self.vocabulary.ids(predicted))
        return PredictionBatch(
            ids=torch.from_numpy(self.lexicon.ids(list(rows))),
            words=torch.from_numpy(np.stack(words)[:, flat]),
            targets=torch.from_numpy(np.stack(targets)[:, flat]),
            active=active.tolist(),
            order=torch.from_numpy(order),
        )


def both_ways(sentence: Sequence[str]) -> tuple[Stretch, Stretch]:
    """A sentence of n words as n + 1 predictions in each direction."""
    words = [BOS, *sentence, EOS]
    reverse = words[::-1]
    return (words[:-1], words[1:]), (reverse[:-1], reverse[1:])


def by_length(
    sentences: Sequence[Sequence[str]], *, batch_tokens: int, seed: int | None
) -> Iterator[list[Sequence[str]]]:
    """Cut a pool into batches of sentences of about the same length.

    batch_tokens (int): Predictions a direction in a batch, at most; a longer sentence
        is a batch of its own.
    seed (Optional[int]): Shuffles sentences of a length and the batches' order; None
        leaves both as they are.
    """
    order = np.arange(len(sentences))
    generator = np.random.default_rng(seed)
    if seed is not None:
        generator.shuffle(order)
    lengths = np.fromiter((len(s) + 1 for s in sentences), np.int64, len(sentences))
    order = order[np.argsort(lengths[order], kind="stable")]
    ends = _cuts(lengths[order], batch_tokens)
    batches = np.split(order, ends[:-1]) if len(order) else []
    if seed is not None:
        batches = [batches[i] for i in generator.permutation(len(batches))]
    for batch in batches:
        yield [sentences[i] for i in batch]


def _cuts(lengths: NDArray[np.int64], limit: int) -> list[int]:
    """Where each batch ends."""
    ends, total = [], 0
    for i, length in enumerate(lengths.tolist()):
        if total and total + length > limit:
            ends.append(i)
            total = 0
        total += length
    return [*ends, len(lengths)]


def _packed_places(
    lengths: NDArray[np.int64], order: NDArray[np.int64], active: NDArray[np.int64]
) -> NDArray[np.int64]:
    """The flat place of each packed row."""
    starts = np.cumsum(lengths) - lengths
    ranks = np.concatenate([np.arange(n) for n in active] or [np.arange(0)])
    steps = np.repeat(np.arange(len(active)), active)
    return starts[order[ranks]] + steps
