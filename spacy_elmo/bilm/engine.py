"""Prediction: the layers of `BiLM.forward`, without gradients and several times faster.

Weights are laid out once; a word goes through the CNN once and is kept; a boundary is
read once for all sentences, and where nothing depends on it not at all; the products of
many steps with the input weights are one; directions may go step by step together;
equal sentences are read once.
"""

from collections.abc import Iterator, Sequence
from itertools import accumulate, chain
from typing import cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ..characters import check_sentences
from .batch import number_words, pack
from .lstm import LSTMStack, ProjectedLSTM
from .model import BiLM
from .packing import SMALL_WEIGHT
from .product import Precision, check_precision
from .stack import Stack
from .word_vectors import WordVectors

#: Words whose vectors an engine keeps, unless it is told otherwise.
KEPT_WORDS = 20_000
#: Sentences that are read together: enough for a product, and few enough for the
#: processor's cache.
STEP_ROWS = 128


class Engine:
    """Computes the layers of sentences with the weights that a biLM has now.

    It can be used by several threads, and neither copied nor pickled.

    bilm (BiLM): Must not change from now on: most weights are copied, some shared.
    kept_words (int): Words whose vectors are kept for later calls; 0 for none. It
        changes no bit of any result.
    precision (str): What to multiply in; "float32" is exact.
    RAISES (ValueError): This machine does not know the precision.
    """

    def __init__(
        self,
        bilm: BiLM,
        *,
        kept_words: int = KEPT_WORDS,
        precision: Precision = "float32",
    ) -> None:
        parameter = next(bilm.parameters())
        check_precision(precision, parameter.device, parameter.dtype)
        self.config = bilm.config
        self._boundaries = bilm.token_encoder.require_lexicon().boundaries
        with torch.inference_mode(False), torch.no_grad():
            self._word_vectors = WordVectors(bilm.token_encoder, kept_words, precision)
            first = self._word_vectors(list(self._boundaries))  # (2, P)
            self._stacks = [
                (which, Stack(stacks, first[which, None], precision))
                for which, stacks in _groups([bilm.forward_lstm, bilm.backward_lstm])
            ]

    @torch.no_grad()
    def layers(
        self, sentences: Sequence[Sequence[str]], layers: Sequence[int]
    ) -> Tensor:
        """Compute layers of sentences, each by itself.

        sentences (Sequence[Sequence[str]]): N words in all; empty ones are allowed.
        layers (Sequence[int]): Which, from 0, the token layer, to n_layers.
        RETURNS (Tensor): (L, N, 2 P), sentence after sentence, without boundaries.
        RAISES (TypeError): A str where a list of words is wanted.
            (ValueError): There is no such layer, or none is asked for.
        """
        check_sentences(sentences)
        _check_layers(layers, self.config.n_layers)
        numbers: dict[tuple[str, ...], int] = {}
        kept = [numbers.setdefault(tuple(s), len(numbers)) for s in sentences]
        distinct = list(numbers)
        Y = self._read(distinct, layers)
        if len(distinct) == len(sentences):
            return Y
        starts = [0, *accumulate(map(len, distinct))]
        rows = [torch.arange(starts[k], starts[k + 1]) for k in kept]
        return Y[:, torch.cat(rows).to(Y.device)]

    def forget_words(self) -> None:
        """Read every word anew from now on; no result changes."""
        self._word_vectors.forget()

    def _read(self, sentences: list[tuple[str, ...]], layers: Sequence[int]) -> Tensor:
        rows, distinct = number_words(chain.from_iterable(sentences))
        if not distinct:
            distinct = list(self._boundaries)
        words = self._word_vectors(distinct)  # (W, P)
        width = words.shape[1]
        Y = words.new_empty(len(layers), len(rows), 2 * width)
        sides = Y[..., :width], Y[..., width:]
        for orders, active in _parts([len(words) for words in sentences]):
            positions = torch.from_numpy(orders).to(words.device)
            X = words[torch.from_numpy(rows[orders]).to(words.device)]  # (2, N, P)
            for which, stack in self._stacks:
                outputs = stack.run(X[which], active, max(layers))
                for d, (side, places) in enumerate(zip(sides[which], positions[which])):
                    for y, k in zip(side, layers):
                        y.index_copy_(0, places, outputs[k][d])
        return Y


def _check_layers(layers: Sequence[int], n_layers: int) -> None:
    if not layers or not all(0 <= k <= n_layers for k in layers):
        raise ValueError(
            f"layers: expected one or more of 0 to {n_layers}, found {list(layers)}."
        )


def _groups(stacks: list[LSTMStack]) -> Iterator[tuple[slice, list[LSTMStack]]]:
    """Directions that take each step together, and which they are.

    Small ones do, in half the operations. Large ones go one after the other: what a
    processor's cache keeps of one's weights from step to step, it would not of two.
    """
    weight = cast(ProjectedLSTM, stacks[0].layers[0]).recurrent_weight
    together = weight.is_cuda or weight.nbytes <= SMALL_WEIGHT
    size = len(stacks) if together else 1
    for first in range(0, len(stacks), size):
        which = slice(first, first + size)
        yield which, stacks[which]


def _parts(n_words: Sequence[int]) -> Iterator[tuple[NDArray[np.int64], list[int]]]:
    """Sentences of similar lengths, at most `STEP_ROWS` together.

    YIELDS (Tuple[NDArray, List[int]]): (2, N) flat positions in packed order, read
        forward and backward, and the running sentences at each step.
    """
    lengths = np.asarray(n_words, dtype=np.int64)
    starts = np.cumsum(lengths) - lengths
    order = np.argsort(-lengths, kind="stable")
    for first in range(0, len(order), STEP_ROWS):
        chosen = order[first : first + STEP_ROWS]
        packing = pack(lengths[chosen].tolist())
        shift = np.repeat(starts[chosen] - packing.starts, lengths[chosen])
        orders = np.stack([packing.forward, packing.backward])
        yield orders + shift[orders], packing.active
