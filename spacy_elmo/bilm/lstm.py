"""One direction of the biLM: projected, clipped LSTMs over packed sentences."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from .config import BiLMConfig

#: Output h (S, P) and cell c (S, cell_dim) of each sentence.
LSTMState = tuple[Tensor, Tensor]


class ProjectedLSTM(nn.Module):
    """One layer of one direction (Sak et al. 2014, with the clips of bilm-tf).

        c = σ(f)·c + σ(i)·tanh(g), clipped;  h = W(σ(o)·tanh(c)), clipped

    The gates are stored in the order i, f, g, o. Without clips this is `torch.nn.LSTM`
    with `proj_size`. An LSTM whose cell is as wide as its output has no projection,
    and its output is then not clipped.
    """

    def __init__(self, config: BiLMConfig) -> None:
        super().__init__()
        cell, width = config.cell_dim, config.projection_dim
        self.input_weight = nn.Parameter(torch.empty(4 * cell, width))
        self.recurrent_weight = nn.Parameter(torch.empty(4 * cell, width))
        self.bias = nn.Parameter(torch.zeros(4 * cell))
        self.projection: nn.Parameter | None = None
        if cell != width:
            self.projection = nn.Parameter(torch.empty(width, cell))
        self.forget_bias = config.forget_bias
        self.cell_clip = config.cell_clip
        self.projection_clip = config.projection_clip
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw new weights: uniform Glorot matrices and zero biases, as bilm-tf."""
        for parameter in self.parameters():
            if parameter.ndim > 1:
                nn.init.xavier_uniform_(parameter)
            else:
                nn.init.zeros_(parameter)

    def zero_state(self, n_sentences: int) -> LSTMState:
        """RETURNS (LSTMState): h (S, P) and c (S, cell_dim), all zero."""
        cell, width = len(self.bias) // 4, self.recurrent_weight.shape[1]
        zeros = self.bias.new_zeros
        return zeros(n_sentences, width), zeros(n_sentences, cell)

    def forward(
        self, X: Tensor, active: list[int], state: LSTMState
    ) -> tuple[Tensor, LSTMState]:
        """Run over packed sentences, longest first.

        X (Tensor): (N, P) inputs in packed order.
        active (List[int]): Running sentences at each step, never increasing.
        state (LSTMState): Where each sentence starts from; longest first.
        RETURNS (Tuple[Tensor, LSTMState]): (N, P) outputs, and where each one ended.
        """
        inputs = F.linear(X, self.input_weight, self.gate_bias())  # (N, 4 cell)
        recurrent = self.recurrent_weight.t()
        h, c = state
        outputs, ended = [], []
        for step in inputs.split(active):  # (n, 4 cell), n of S sentences
            n = len(step)
            ended.append((h[n:], c[n:]))
            h, c = self._step(torch.addmm(step, h[:n], recurrent), c[:n])
            outputs.append(h)
        ended.append((h, c))
        final_h, final_c = zip(*reversed(ended))
        Y = torch.cat(outputs) if outputs else X  # (N, P)
        return Y, (torch.cat(final_h), torch.cat(final_c))

    def _step(self, gates: Tensor, c: Tensor) -> LSTMState:
        i, f, g, o = gates.chunk(4, dim=1)  # each (n, cell)
        c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
        if self.cell_clip is not None:
            c = c.clamp(-self.cell_clip, self.cell_clip)
        h = torch.sigmoid(o) * torch.tanh(c)
        if self.projection is not None:
            h = F.linear(h, self.projection)  # (n, P)
            if self.projection_clip is not None:
                h = h.clamp(-self.projection_clip, self.projection_clip)
        return h, c

    def gate_bias(self) -> Tensor:
        i, f, g, o = self.bias.chunk(4)
        return torch.cat([i, f + self.forget_bias, g, o])


class LSTMStack(nn.Module):
    """All layers of one direction: a language model that reads one way."""

    def __init__(self, config: BiLMConfig) -> None:
        super().__init__()
        self.skip_connections = config.skip_connections
        self.layers = nn.ModuleList(
            ProjectedLSTM(config) for _ in range(config.n_layers)
        )

    def forward(
        self,
        X: Tensor,
        active: list[int],
        state: list[LSTMState] | None,
        *,
        n_layers: int,
        dropout: float,
    ) -> tuple[list[Tensor], list[LSTMState]]:
        """Run the first layers over packed sentences, longest first.

        X (Tensor): (N, P) token vectors in packed order.
        active (List[int]): Running sentences at each step, never increasing.
        state (Optional[List[LSTMState]]): Where each layer starts; zero by default.
        n_layers (int): How many layers to run.
        dropout (float): Share of each layer's input to drop.
        RETURNS (Tuple[List[Tensor], List[LSTMState]]): Each layer's outputs (N, P), and
            where it ended.
        """
        outputs: list[Tensor] = []
        ends: list[LSTMState] = []
        for k, lstm in enumerate(self.layers[:n_layers]):
            assert isinstance(lstm, ProjectedLSTM)
            start = lstm.zero_state(sum(active[:1])) if state is None else state[k]
            X = F.dropout(X, dropout, training=dropout > 0)
            Y, end = lstm(X, active, start)
            # The state that the layer goes on with is the one before the skip.
            X = Y + X if k > 0 and self.skip_connections else Y
            outputs.append(X)
            ends.append(end)
        return outputs, ends
