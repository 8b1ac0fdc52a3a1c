"""Prediction: the layers of `BiLM.forward`, without gradients and several times faster.

Weights are laid out once; a word goes through the CNN once and is kept; a boundary is
read once for all sentences, and where nothing depends on it not at all; the products of
all words with the input weights are one; equal sentences are read once.
"""

from collections.abc import Sequence
from itertools import accumulate, chain
from typing import NamedTuple, cast

import torch
from torch import Tensor

from ..characters import check_sentences
from .batch import number_words, pack
from .lstm import LSTMStack, ProjectedLSTM
from .model import BiLM
from .product import Precision, check_precision, make_product
from .word_vectors import WordVectors

#: Words whose vectors an engine keeps, unless it is told otherwise.
KEPT_WORDS = 20_000


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
            self._directions = (
                Direction(bilm.forward_lstm, first[:1], precision),
                Direction(bilm.backward_lstm, first[1:], precision),
            )

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
        packing = pack([len(words) for words in sentences])
        width = words.shape[1]
        Y = words.new_empty(len(layers), len(rows), 2 * width)
        orders = (packing.forward, packing.backward)
        for d, (direction, order) in enumerate(zip(self._directions, orders)):
            positions = torch.from_numpy(order).to(words.device)
            X = words[torch.from_numpy(rows[order]).to(words.device)]
            outputs = direction.run(X, packing.active, max(layers))
            for place, k in enumerate(layers):
                side = Y[place, :, d * width : (d + 1) * width]
                side.index_copy_(0, positions, outputs[k])
        return Y


class State(NamedTuple):
    """Of one layer after the boundary: output h (1, P) and cell c (1, cell_dim)."""

    h: Tensor
    c: Tensor


class Direction:
    """The layers of one direction, begun with the boundary.

    stack (LSTMStack): Its weights are copied.
    boundary (Tensor): (1, P) the token vector of the boundary that is read first.
    """

    def __init__(
        self, stack: LSTMStack, boundary: Tensor, precision: Precision
    ) -> None:
        lstms = [cast(ProjectedLSTM, lstm) for lstm in stack.layers]
        self._layers = [Layer(lstm, precision) for lstm in lstms]
        self._skips = stack.skip_connections
        zeros = [State(*lstm.zero_state(1)) for lstm in lstms]
        _, self._starts = self._read(boundary, [1], zeros)

    def run(self, X: Tensor, active: list[int], n_layers: int) -> list[Tensor]:
        """Read packed sentences, longest first.

        X (Tensor): (N, P) token vectors in packed order.
        active (List[int]): Running sentences at each step.
        RETURNS (List[Tensor]): (N, P) of the token layer and each layer above.
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
    """One LSTM layer of one direction; see `ProjectedLSTM` for the formulas.

    tanh(x) is computed as 2 σ(2 x) - 1, for which torch takes a fraction of the time;
    the weights of the gate g are doubled for it. The difference is one of rounding.
    """

    def __init__(self, lstm: ProjectedLSTM, precision: Precision) -> None:
        cell = len(lstm.bias) // 4
        scale = torch.ones_like(lstm.bias)
        scale[2 * cell : 3 * cell] = 2
        rows = scale[:, None]
        bias = lstm.gate_bias() * scale
        self._input = make_product(lstm.input_weight * rows, bias, precision)
        self._recurrent = make_product(
            lstm.recurrent_weight * rows, precision=precision
        )
        self._projection = None
        if lstm.projection is not None:
            self._projection = make_product(lstm.projection, precision=precision)
        self._cell_clip, self._projection_clip = lstm.cell_clip, lstm.projection_clip

    def run(self, X: Tensor, active: list[int], start: State) -> tuple[Tensor, State]:
        """X (Tensor): (N, P) in packed order. start (State): Of every sentence.

        RETURNS (Tuple[Tensor, State]): (N, P) outputs, and where the longest ended.
        """
        Y = torch.empty_like(X)
        if not active:
            return Y, start
        inputs = self._input(X)  # (N, 4 cell)
        h = start.h.expand(active[0], -1).contiguous()
        c = start.c.expand(active[0], -1)
        end = 0
        for n in active:
            begin, end = end, end + n
            gates = self._recurrent.add_to(inputs[begin:end], h[:n])
            h, c = self._step(gates, c[:n])
            Y[begin:end] = h
        return Y, State(h, c)

    def _step(self, gates: Tensor, c: Tensor) -> tuple[Tensor, Tensor]:
        i, f, g, o = gates.sigmoid_().chunk(4, dim=1)  # each (n, cell)
        c = (f * c).addcmul_(i, g, value=2).sub_(i)
        if self._cell_clip is not None:
            c.clamp_(-self._cell_clip, self._cell_clip)
        h = torch.sigmoid(2 * c).mul_(o).mul_(2).sub_(o)
        if self._projection is not None:
            h = self._projection(h)
            if self._projection_clip is not None:
                h.clamp_(-self._projection_clip, self._projection_clip)
        return h, c
