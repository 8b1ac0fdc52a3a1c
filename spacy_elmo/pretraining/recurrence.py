"""One LSTM layer of both directions at once, with its gradient written out.

The same mathematics, on the same parameters, as `bilm.lstm.ProjectedLSTM`. Autograd
would keep a node for each operation of each step and add up the weights' gradients step
by step; here a layer is one node, and each weight's gradient is one product.
"""

from itertools import accumulate
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from ..bilm.lstm import ProjectedLSTM
from .precision import product_dtype

aten = torch.ops.aten

#: For both directions: h (2, S, P) and c (2, S, cell_dim), longest stretch first.
PairState = tuple[Tensor, Tensor]


class LayerWeights(NamedTuple):
    """A layer's weights, direction 0 before direction 1.

    gates (Tensor): (2, 4 cell, P + P), input before recurrent.
    bias (Tensor): (2, 4 cell), the forget bias added.
    projection (Optional[Tensor]): (2, P, cell).
    """

    gates: Tensor
    bias: Tensor
    projection: Tensor | None


def stack_weights(forward: ProjectedLSTM, backward: ProjectedLSTM) -> LayerWeights:
    """Put two directions' parameters side by side; gradients flow back to them."""
    pair = (forward, backward)
    gates = [torch.cat([x.input_weight, x.recurrent_weight], dim=1) for x in pair]
    cell = forward.bias.shape[0] // 4
    offset = torch.zeros_like(forward.bias)
    offset[cell : 2 * cell] = forward.forget_bias
    projections: list[Tensor] = [x.projection for x in pair if x.projection is not None]
    return LayerWeights(
        gates=torch.stack(gates),
        bias=torch.stack([x.bias for x in pair]) + offset,
        projection=torch.stack(projections) if projections else None,
    )


def run_layer(
    forward: ProjectedLSTM,
    backward: ProjectedLSTM,
    X: Tensor,
    active: list[int],
    state: PairState,
    dtype: torch.dtype = torch.float32,
) -> tuple[Tensor, PairState]:
    """Run one layer over packed stretches.

    X (Tensor): (2, N, P) inputs of each direction in packed order.
    active (List[int]): Running stretches at each step, never increasing.
    state (PairState): Where each stretch starts; no gradient flows into it.
    dtype (torch.dtype): What it computes in, if that is narrower than X.
    RETURNS (Tuple[Tensor, PairState]): (2, N, P) outputs, and where each one ended.
    """
    weights = stack_weights(forward, backward)
    clips = (forward.cell_clip, forward.projection_clip)
    dtype = product_dtype(X, dtype)
    low = [None if part is None else part.to(dtype) for part in (X, *weights, *state)]
    Y, h, c = _Layer.apply(*low, active, clips)
    return Y.to(X.dtype), (h.to(X.dtype), c.to(X.dtype))


class _Layer(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any,
        X: Tensor,
        gate_weights: Tensor,
        bias: Tensor,
        projection: Tensor | None,
        h: Tensor,
        c: Tensor,
        active: list[int],
        clips: tuple[float | None, float | None],
    ) -> tuple[Tensor, Tensor, Tensor]:
        cell_clip, projection_clip = clips
        _, n_rows, width = X.shape
        cell = c.shape[2]
        XH = X.new_empty(2, n_rows, 2 * width)
        XH[:, :, :width] = X
        gates = X.new_empty(2, n_rows, 4 * cell)
        C, tanh_C = X.new_empty(2, 2, n_rows, cell)
        Y = X.new_empty(2, n_rows, width)
        start_c, ended = c, []
        for a, b in _steps(active):
            n = b - a
            ended.append((h[:, n:], c[:, n:]))
            XH[:, a:b, width:] = h[:, :n]
            for d in (0, 1):
                out = gates[d, a:b]
                torch.addmm(bias[d], XH[d, a:b], gate_weights[d].t(), out=out)
            i, f, g, o = _activate(gates[:, a:b])
            c_next = torch.mul(f, c[:, :n], out=C[:, a:b]).addcmul_(i, g)
            if cell_clip is not None:
                c_next.clamp_(-cell_clip, cell_clip)
            u = torch.tanh(c_next, out=tanh_C[:, a:b]) * o
            h, c = _project(u, projection, projection_clip, Y[:, a:b]), c_next
        ended.append((h, c))
        ctx.save_for_backward(XH, gates, C, tanh_C, Y, start_c, gate_weights)
        ctx.projection, ctx.active, ctx.clips = projection, active, clips
        ctx.is_spent = False
        ends = [torch.cat(parts[::-1], dim=1) for parts in zip(*ended)]
        ctx.mark_non_differentiable(*ends)
        return Y, ends[0], ends[1]

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, dY: Tensor, *_: Tensor) -> tuple[Tensor | None, ...]:
        if ctx.is_spent:
            raise RuntimeError("The gradient of this layer was already taken.")
        ctx.is_spent = True  # the buffers are overwritten below
        XH, gates, C, tanh_C, Y, start_c, gate_weights = ctx.saved_tensors
        projection, (cell_clip, projection_clip) = ctx.projection, ctx.clips
        width = dY.shape[2]
        dH, dXH = dY.clone(), torch.empty_like(XH)
        steps = _steps(ctx.active)
        carried_h, carried_c = dH[:, :0], C[:, :0]  # of the step after this one
        for t in reversed(range(len(steps))):
            a, b = steps[t]
            n, n_after = b - a, carried_h.shape[1]
            before = C[:, slice(*steps[t - 1])] if t else start_c
            dh, tanh_c = dH[:, a:b], tanh_C[:, a:b]
            dh[:, :n_after] += carried_h
            if projection_clip is not None and projection is not None:
                dh *= Y[:, a:b].abs() < projection_clip
            du = dh if projection is None else torch.bmm(dh, projection)
            i, f, g, o = gates[:, a:b].chunk(4, dim=2)
            do = du * tanh_c
            dc = aten.tanh_backward(du * o, tanh_c)
            dc[:, :n_after] += carried_c
            if cell_clip is not None:
                dc *= C[:, a:b].abs() < cell_clip
            carried_c = dc * f
            di = dc * g
            # Now tanh(c) becomes u, and each gate its gradient, in place.
            tanh_c *= o
            aten.sigmoid_backward(do, o, grad_input=o)
            aten.sigmoid_backward(dc * before[:, :n], f, grad_input=f)
            aten.tanh_backward(dc.mul_(i), g, grad_input=g)
            aten.sigmoid_backward(di, i, grad_input=i)
            for d in (0, 1):
                torch.mm(gates[d, a:b], gate_weights[d], out=dXH[d, a:b])
            carried_h = dXH[:, a:b, width:]
        d_projection = None
        if projection is not None:
            d_projection = torch.bmm(dH.transpose(1, 2), tanh_C)
        d_weights = torch.bmm(gates.transpose(1, 2), XH)
        nothing = (None,) * 4
        return dXH[:, :, :width], d_weights, gates.sum(dim=1), d_projection, *nothing


def _steps(active: list[int]) -> list[tuple[int, int]]:
    """The packed rows of each step."""
    ends = list(accumulate(active))
    return [(end - n, end) for n, end in zip(active, ends)]


def _activate(gates: Tensor) -> tuple[Tensor, ...]:
    i, f, g, o = gates.chunk(4, dim=2)  # each (2, n, cell)
    cell = i.shape[2]
    gates[:, :, : 2 * cell].sigmoid_()
    g.tanh_()
    o.sigmoid_()
    return i, f, g, o


def _project(
    u: Tensor, projection: Tensor | None, clip: float | None, out: Tensor
) -> Tensor:
    if projection is None:
        return out.copy_(u)
    for d in (0, 1):
        torch.mm(u[d], projection[d].t(), out=out[d])
    if clip is not None:
        out.clamp_(-clip, clip)
    return out
