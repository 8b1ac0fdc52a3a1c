"""Training on a GPU: torch's own LSTM.

The network is the same, with the same parameters; only what runs it differs. Nothing
here is used on a CPU, where `recurrence.py` is faster.
"""

import warnings

import torch
from torch import Tensor

from ..bilm.lstm import ProjectedLSTM
from .recurrence import PairState, stack_weights


def can_fuse(lstm: ProjectedLSTM, X: Tensor, active: list[int], n: int) -> bool:
    """Whether torch's LSTM does for a layer what `run_layer` does.

    It knows no clips, and none of the `n` stretches may be empty.
    """
    has_clips = lstm.cell_clip is not None or (
        lstm.projection is not None and lstm.projection_clip is not None
    )
    return X.is_cuda and not has_clips and active[:1] == [n]


def run_fused_layer(
    forward: ProjectedLSTM,
    backward: ProjectedLSTM,
    X: Tensor,
    active: list[int],
    state: PairState,
    dtype: torch.dtype = torch.float32,
) -> tuple[Tensor, PairState]:
    """`recurrence.run_layer` by torch's LSTM with `proj_size`.

    dtype (torch.dtype): What it computes in; what comes in and goes out stays as it is.
    """
    weights = stack_weights(forward, backward)
    width = X.shape[2]
    batch_sizes = torch.tensor(active)
    outputs, ends_h, ends_c = [], [], []
    for d in (0, 1):
        gates, bias = weights.gates[d], weights.bias[d]
        flat = [gates[:, :width], gates[:, width:], bias, torch.zeros_like(bias)]
        if weights.projection is not None:
            flat.append(weights.projection[d])
        start = [part[d : d + 1].to(dtype) for part in state]
        with warnings.catch_warnings():
            # The weights are new tensors in each step; cuDNN would have them in one.
            warnings.filterwarnings("ignore", message="RNN module weights")
            Y, h, c = torch._VF.lstm(
                X[d].to(dtype),
                batch_sizes,
                start,
                [weight.to(dtype).contiguous() for weight in flat],
                True,  # biases
                1,  # layers
                0.0,  # dropout
                True,  # training
                False,  # both directions: the other reads another text
            )
        outputs.append(Y.to(X.dtype))
        ends_h.append(h.detach().to(X.dtype))
        ends_c.append(c.detach().to(X.dtype))
    return torch.stack(outputs), (torch.cat(ends_h), torch.cat(ends_c))
