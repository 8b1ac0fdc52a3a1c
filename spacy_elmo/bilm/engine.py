"""Prediction: the layers of `BiLM.forward`, without gradients and several times faster.

Weights are laid out once; a word goes through the CNN once and is kept; a boundary is
read once for all sentences, and where nothing depends on it not at all; the products of
many steps with the input weights are one; directions may go step by step together;
equal sentences are read once.
"""

from collections.abc import Iterator, Sequence
from itertools import accumulate, chain
from typing import NamedTuple, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ..characters import check_sentences
from .batch import number_words, pack
from .lstm import LSTMStack, ProjectedLSTM
from .model import BiLM
from .product import (
    SMALL_WEIGHT,
    DirectionsProduct,
    Precision,
    check_precision,
    make_product,
)
from .word_vectors import WordVectors

#: Words whose vectors an engine keeps, unless it is told otherwise.
KEPT_WORDS = 20_000
#: Sentences that are read together, and rows of a product with the input weights:
#: enough for a product, and few enough for the processor's cache.
STEP_ROWS, BLOCK_ROWS = 128, 256


class Engine:
    """Computes the layers of sentences with the weights that a biLM has now.

    bilm (BiLM): Its weights are copied, so it must not change under the engine.
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
        check_precision(precision, next(bilm.parameters()).device)
        self.config = bilm.config
        self._boundaries = bilm.token_encoder.require_lexicon().boundaries
        with torch.no_grad():
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
        """
        check_sentences(sentences)
        numbers: dict[tuple[str, ...], int] = {}
        kept = [numbers.setdefault(tuple(s), len(numbers)) for s in sentences]
        distinct = list(numbers)
        Y = self._read(distinct, layers)
        if len(distinct) == len(sentences):
            return Y
        starts = [0, *accumulate(map(len, distinct))]
        rows = [torch.arange(starts[k], starts[k + 1]) for k in kept]
        return Y[:, torch.cat(rows).to(Y.device)]

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


def _groups(stacks: list[LSTMStack]) -> Iterator[tuple[slice, list[LSTMStack]]]:
    """Directions that take each step together, and which they are.

    Small ones do, in half the operations. Large ones go one after the other: what the
    cache keeps of one's weights from step to step, it would not keep of two.
    """
    lstm = cast(ProjectedLSTM, stacks[0].layers[0])
    together = lstm.recurrent_weight.nbytes <= SMALL_WEIGHT
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


class State(NamedTuple):
    """Of one layer after the boundaries: output h (D, 1, P), and twice the cell c,
    (D, 1, cell_dim).
    """

    h: Tensor
    c: Tensor


class Stack:
    """The layers of D directions, begun with the boundaries.

    stacks (Sequence[LSTMStack]): Forward, backward or both; their weights are copied.
    boundaries (Tensor): (D, 1, P) token vectors of what is read first.
    precision (str): What to multiply in.
    """

    def __init__(
        self, stacks: Sequence[LSTMStack], boundaries: Tensor, precision: Precision
    ) -> None:
        levels = list(zip(*(cast(list[ProjectedLSTM], s.layers) for s in stacks)))
        self._layers = [Layer(lstms, precision) for lstms in levels]
        self._skips = stacks[0].skip_connections
        zeros = [torch.stack(x) for x in zip(*(p.zero_state(1) for p in levels[0]))]
        _, self._starts = self._read(boundaries, [1], [State(*zeros)] * len(levels))

    def run(self, X: Tensor, active: list[int], n_layers: int) -> list[Tensor]:
        """Read packed sentences, longest first.

        X (Tensor): (D, N, P) token vectors in packed order.
        active (List[int]): Running sentences at each step.
        RETURNS (List[Tensor]): (D, N, P) of the token layer and each layer above.
        """
        outputs, _ = self._read(X, active, self._starts[:n_layers])
        return outputs

    def _read(
        self, X: Tensor, active: list[int], starts: list[State]
    ) -> tuple[list[Tensor], list[State]]:
        """The outputs of as many layers as there are starts, and where they ended."""
        outputs, ends = [X], []
        for k, (layer, start) in enumerate(zip(self._layers, starts)):
            Y, end = layer.run(X, active, start)
            X = Y.add_(X) if k > 0 and self._skips else Y
            outputs.append(X)
            ends.append(end)
        return outputs, ends


class Layer:
    """One LSTM layer of D directions; see `ProjectedLSTM` for the formulas.

    tanh(x) is computed as 2 σ(2 x) - 1, for which torch takes a fraction of the time.
    What is doubled for it is doubled once: the weights of the gate g, the cell that is
    carried, and the projection. The difference is one of rounding.

    lstms (Sequence[ProjectedLSTM]): One a direction; their weights are copied.
    precision (str): What to multiply in.
    """

    def __init__(self, lstms: Sequence[ProjectedLSTM], precision: Precision) -> None:
        lstm = lstms[0]
        cell = len(lstm.bias) // 4
        scale = torch.ones_like(lstm.bias)
        scale[2 * cell : 3 * cell] = 2
        rows = scale[:, None]
        self._inputs = [
            make_product(p.input_weight * rows, p.gate_bias() * scale, precision)
            for p in lstms
        ]
        recurrent = torch.stack([p.recurrent_weight * rows for p in lstms])
        self._recurrent = DirectionsProduct(recurrent, precision)
        self._projection = None
        weights = [2 * p.projection for p in lstms if p.projection is not None]
        if weights:
            self._projection = DirectionsProduct(torch.stack(weights), precision)
        self._cell_clip, self._projection_clip = lstm.cell_clip, lstm.projection_clip

    def run(self, X: Tensor, active: list[int], start: State) -> tuple[Tensor, State]:
        """X (Tensor): (D, N, P) in packed order. start (State): Of every sentence.

        RETURNS (Tuple[Tensor, State]): (D, N, P) outputs, and where the longest ended.
        """
        Y = torch.empty_like(X)
        if not active:
            return Y, start
        h, c = (x.repeat(1, active[0], 1) for x in start)  # c changes in place
        gates = c.new_empty(*c.shape[:2], 4 * c.shape[2])  # (D, n, 4 cell)
        end = 0
        for steps in _blocks(active):
            begin, end = end, end + sum(steps)
            inputs = [
                product(x) for product, x in zip(self._inputs, X[:, begin:end])
            ]  # (N', 4 cell) of each direction
            outputs = Y[:, begin:end].split(steps, dim=1)
            for n, y, *starts in zip(steps, outputs, *(x.split(steps) for x in inputs)):
                if n < h.shape[1]:
                    h, c, gates = h[:, :n], c[:, :n], gates[:, :n]
                self._recurrent.add_to(starts, h, out=gates)
                h = self._step(gates, c, out=y)
        return Y, State(h.clone(), c)  # Y gets the skip added in place

    def _step(self, gates: Tensor, c: Tensor, *, out: Tensor) -> Tensor:
        """Change c and write the output. RETURNS (Tensor): out (D, n, P)."""
        i, f, g, o = gates.sigmoid_().chunk(4, dim=2)  # each (D, n, cell)
        c.mul_(f).addcmul_(i, g, value=4).sub_(i, alpha=2)
        if self._cell_clip is not None:
            c.clamp_(-2 * self._cell_clip, 2 * self._cell_clip)
        half = torch.sigmoid(c).sub_(0.5).mul_(o)  # of σ(o)·tanh(c)
        if self._projection is None:
            return torch.mul(half, 2, out=out)
        self._projection.write(half, out=out)
        if self._projection_clip is not None:
            out.clamp_(-self._projection_clip, self._projection_clip)
        return out


def _blocks(active: list[int]) -> Iterator[list[int]]:
    """Steps whose inputs are multiplied at once: `BLOCK_ROWS` at most, or one step."""
    block: list[int] = []
    for n in active:
        if block and sum(block) + n > BLOCK_ROWS:
            yield block
            block = []
        block.append(n)
    yield block
