"""The biLM: two language models that read a sentence in opposite directions.

Read this page first. Words become token vectors, two stacks of LSTMs read them from
left to right and from right to left, and every layer is kept.
"""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn

from .batch import SentenceBatch, collate
from .config import BiLMConfig
from .lexicon import Lexicon
from .lstm import LSTMStack, LSTMState
from .token_encoder import TokenEncoder

#: For each direction, the state of each layer; sentences in the batch's order.
BiLMState = tuple[list[LSTMState], list[LSTMState]]


class BiLM(nn.Module):
    """A bidirectional language model whose layers are a word's vectors in context.

    Peters et al. 2018, section 3. The model holds no state: a sentence's layers depend
    on that sentence alone. States go in and come out by argument, for those who want
    to continue a text as the first implementations did.
    """

    def __init__(self, config: BiLMConfig) -> None:
        super().__init__()
        self.config = config
        self.token_encoder = TokenEncoder(config)
        self.forward_lstm = LSTMStack(config)
        self.backward_lstm = LSTMStack(config)

    def set_vocabulary(
        self,
        vocabulary: Sequence[str] | None,
        characters: Sequence[str] | None = None,
    ) -> None:
        """Say which word, and which Unicode character, each row of its tables is for.

        A biLM without tables, one that reads bytes alone, needs and keeps none.

        RAISES (ValueError): A list is missing, or does not fit the sizes.
        """
        self.token_encoder.lexicon = Lexicon(self.config, vocabulary, characters)

    def collate(self, sentences: Sequence[Sequence[str]]) -> SentenceBatch:
        """Make a batch for `forward`; the boundaries are added here."""
        encoder = self.token_encoder
        return collate(sentences, encoder.to_ids, encoder.require_lexicon().boundaries)

    def forward(
        self,
        batch: SentenceBatch,
        *,
        n_layers: int | None = None,
        dropout: float = 0.0,
        state: BiLMState | None = None,
    ) -> tuple[Tensor, BiLMState]:
        """Compute the layers of a batch.

        batch (SentenceBatch): N positions in S sentences, boundaries included.
        n_layers (Optional[int]): biLSTM layers to compute; all by default.
        dropout (float): Share of each layer's input to drop. 0 in prediction.
        state (Optional[BiLMState]): Where the sentences start from; zero by default.
        RETURNS (Tuple[Tensor, BiLMState]): Layers (1 + n_layers, N, 2 P) in flat order,
            the first of them the token vector twice, and the states at the end.
        """
        n_layers = self.config.n_layers if n_layers is None else n_layers
        options = {"n_layers": n_layers, "dropout": dropout}
        words = self.token_encoder(batch.ids)  # (W, P)
        tokens = words[batch.words]  # (N, P)
        start_forward, start_backward = state or (None, None)
        forward, end_forward = self._read(
            self.forward_lstm, tokens, batch.forward, batch, start_forward, options
        )
        backward, end_backward = self._read(
            self.backward_lstm, tokens, batch.backward, batch, start_backward, options
        )
        layers = [(tokens, tokens), *zip(forward, backward)]  # (N, P) each
        joined = torch.stack([torch.cat(both, dim=1) for both in layers])
        return joined, (end_forward, end_backward)

    def _read(
        self,
        lstm: nn.Module,
        tokens: Tensor,
        positions: Tensor,
        batch: SentenceBatch,
        state: list[LSTMState] | None,
        options: dict[str, Any],
    ) -> tuple[list[Tensor], list[LSTMState]]:
        """Read in one direction: to packed order and back again."""
        start = None if state is None else [_at(s, batch.order) for s in state]
        outputs, ends = lstm(tokens[positions], batch.active, start, **options)
        flat, unsorted = torch.argsort(positions), torch.argsort(batch.order)
        return [Y[flat] for Y in outputs], [_at(end, unsorted) for end in ends]


def _at(state: LSTMState, places: Tensor) -> LSTMState:
    h, c = state
    return h[places], c[places]
