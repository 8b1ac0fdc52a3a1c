"""The biLM's top layers for training: its modules, run for speed with gradients.

`BiLM.forward` answers for equal bits and for every layer. Training needs neither: it
needs the top of each direction in packed order, and its gradients.
"""

from typing import cast

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from ..bilm import BiLM
from ..bilm.lstm import ProjectedLSTM
from ..bilm.token_encoder import TokenEncoder
from ..characters import PADDING
from .batches import PredictionBatch
from .fused import can_fuse, run_fused_layer
from .precision import in_precision
from .recurrence import PairState, run_layer

#: Words of about the same length that go through the CNN together.
GROUP = 128


def read_tops(
    bilm: BiLM,
    batch: PredictionBatch,
    *,
    dropout: float = 0.0,
    state: list[PairState] | None = None,
    dtype: torch.dtype = torch.float32,
) -> tuple[Tensor, list[PairState]]:
    """Read a batch in both directions.

    dropout (float): Share of each layer's input, and of the top output, to drop.
    state (Optional[List[PairState]]): Where each layer's stretches start, in the
        batch's order of stretches; zero by default. No gradient flows into it.
    dtype (torch.dtype): What products and convolutions are computed in.
    RETURNS (Tuple[Tensor, List[PairState]]): (2, N, P) in packed order, and where each
        layer ended, in the batch's order.
    """
    with in_precision(batch.ids.device, dtype):
        words = encode_words(bilm.token_encoder, batch.ids)  # (W, P)
    words = words.to(next(bilm.parameters()).dtype)
    X = F.embedding(batch.words, words)  # (2, N, P)
    back = torch.argsort(batch.order)
    ends = []
    layers = zip(bilm.forward_lstm.layers, bilm.backward_lstm.layers)
    for k, pair in enumerate(layers):
        forward, backward = cast(tuple[ProjectedLSTM, ProjectedLSTM], pair)
        start = _zero_state(forward, len(batch.order)) if state is None else state[k]
        X = F.dropout(X, dropout, training=dropout > 0)
        start = (start[0][:, batch.order], start[1][:, batch.order])
        if can_fuse(forward, X, batch.active, len(batch.order)):
            Y, (h, c) = run_fused_layer(
                forward, backward, X, batch.active, start, dtype
            )
        else:
            Y, (h, c) = run_layer(forward, backward, X, batch.active, start, dtype)
        # The state that the layer goes on with is the one before the skip.
        X = Y + X if k > 0 and bilm.config.skip_connections else Y
        ends.append((h[:, back], c[:, back]))
    return F.dropout(X, dropout, training=dropout > 0), ends


def encode_words(encoder: TokenEncoder, ids: Tensor) -> Tensor:
    """Token vectors of distinct words, with fewer convolutions over padding.

    Words go through in groups of about a length, each as wide as its longest word and
    one whole filter of padding, after which every further step is the same.

    ids (Tensor): (W, columns). RETURNS (Tensor): (W, P).
    """
    if not encoder.reads_characters:
        return encoder.encode(ids)
    convolutions = cast(list[nn.Conv1d], list(encoder.convolutions))
    filter_width = max(convolution.kernel_size[0] for convolution in convolutions)
    first = int(encoder.reads_words)  # the column where the characters begin
    lengths, order = torch.sort((ids[:, first:] != PADDING).sum(dim=1))
    groups = [
        encoder.encode(ids[group, : first + int(longest[-1]) + filter_width])
        for group, longest in zip(order.split(GROUP), lengths.split(GROUP))
    ]
    return torch.cat(groups)[torch.argsort(order)]


def _zero_state(lstm: ProjectedLSTM, n_stretches: int) -> PairState:
    h, c = lstm.zero_state(n_stretches)
    return torch.stack([h, h]), torch.stack([c, c])
