"""The LSTM layers of prediction: packed sentences, and no padded step."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol, cast

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import PackedSequence

from .lstm import LSTMStack, ProjectedLSTM
from .product import DirectionsProduct, Precision, make_product

#: Rows of a product with the input weights: enough for a product, and few enough for
#: the processor's cache.
BLOCK_ROWS = 256


class State(NamedTuple):
    """Of one layer after the boundaries, as this kind of layer carries it.

    h (Tensor): (D, 1, P) output.
    c (Tensor): (D, 1, cell_dim) cell; in `Layer` twice that.
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
        self._layers = [make_layer(lstms, precision) for lstms in levels]
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


class Runs(Protocol):
    """What `Layer` and `FusedLayer` do."""

    def run(self, X: Tensor, active: list[int], start: State) -> tuple[Tensor, State]:
        """See `Layer.run`."""


def make_layer(lstms: Sequence[ProjectedLSTM], precision: Precision) -> Runs:
    """The fastest there is for a layer where it is, and in a precision."""
    if precision == "float32" and can_fuse(lstms[0]):
        return FusedLayer(lstms)
    return Layer(lstms, precision)


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


class FusedLayer:
    """`Layer` by torch's own LSTM, which on a GPU is one call for all steps.

    lstms (Sequence[ProjectedLSTM]): See `can_fuse`. Their weights are copied.
    """

    def __init__(self, lstms: Sequence[ProjectedLSTM]) -> None:
        self._lstms = [_to_torch(lstm) for lstm in lstms]

    def run(self, X: Tensor, active: list[int], start: State) -> tuple[Tensor, State]:
        """See `Layer.run`."""
        if not active:
            return torch.empty_like(X), start
        sizes = torch.tensor(active)
        outputs, ends = [], []
        for lstm, x, *state in zip(self._lstms, X, start.h, start.c):
            h, c = (part.expand(1, active[0], -1).contiguous() for part in state)
            packed, end = lstm(PackedSequence(x, sizes), (h, c))
            outputs.append(packed.data)
            ends.append([part[0, : active[-1]] for part in end])
        return torch.stack(outputs), State(*map(torch.stack, zip(*ends)))


def can_fuse(lstm: ProjectedLSTM) -> bool:
    """Whether torch's LSTM does what a layer does, and faster: on a GPU.

    It clips nothing, projects to fewer numbers only, and rounds factors to ten bits
    unless `torch.backends.cudnn.allow_tf32` is off.
    """
    fits = lstm.cell_clip is None
    if lstm.projection is not None:
        fits = fits and lstm.projection_clip is None
        fits = fits and len(lstm.projection) < lstm.projection.shape[1]
    return fits and lstm.bias.is_cuda and not torch.backends.cudnn.allow_tf32


def _to_torch(lstm: ProjectedLSTM) -> nn.LSTM:
    weights = {
        "weight_ih_l0": lstm.input_weight,
        "weight_hh_l0": lstm.recurrent_weight,
        "bias_ih_l0": lstm.gate_bias(),
        "bias_hh_l0": torch.zeros_like(lstm.bias),
    }
    if lstm.projection is not None:
        weights["weight_hr_l0"] = lstm.projection
    narrower = 0 if lstm.projection is None else len(lstm.projection)
    width, cell = lstm.input_weight.shape[1], len(lstm.bias) // 4
    # By way of "meta", so that no random number is drawn for weights nobody needs.
    module = nn.LSTM(width, cell, proj_size=narrower, device="meta")
    module = module.to_empty(device=lstm.bias.device).to(lstm.bias.dtype)
    module.load_state_dict(weights)
    return module.eval().requires_grad_(False)


def _blocks(active: list[int]) -> Iterator[list[int]]:
    """Steps whose inputs are multiplied at once: `BLOCK_ROWS` at most, or one step."""
    block: list[int] = []
    for n in active:
        if block and sum(block) + n > BLOCK_ROWS:
            yield block
            block = []
        block.append(n)
    yield block
