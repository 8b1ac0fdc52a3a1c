"""Character ids to token vectors: CNN, highway, projection."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from ..characters import words_to_ids
from .config import BiLMConfig

#: Words that go through the network together. A matrix product rounds a row by the
#: shape it sits in, so the shape is always the same: equal words, equal bits.
BLOCK_SIZE = 32


class CharacterCNN(nn.Module):
    """A word's vector from its letters (Kim et al. 2016; Peters et al. 2018, A).

    Convolutions of several widths over the characters, the maximum over time, an
    activation, highway layers and a linear projection. The vector depends on the word
    alone, so a batch encodes each distinct word once.
    """

    def __init__(self, config: BiLMConfig) -> None:
        super().__init__()
        self.max_characters = config.max_characters
        self.activation = torch.relu if config.activation == "relu" else torch.tanh
        self.embedding = nn.Embedding(config.n_characters, config.char_dim)
        self.convolutions = nn.ModuleList(
            nn.Conv1d(config.char_dim, number, width)
            for width, number in config.filters
        )
        self.highways = nn.ModuleList(
            Highway(config.n_filters) for _ in range(config.n_highway)
        )
        self.projection = (
            nn.Linear(config.n_filters, config.projection_dim)
            if config.n_filters != config.projection_dim
            else nn.Identity()
        )

    def to_ids(self, words: Sequence[str]) -> Tensor:
        """Encode words for `forward`, on the device of the parameters.

        RETURNS (Tensor): (W, C) character ids.
        """
        ids = torch.from_numpy(words_to_ids(words, self.max_characters))
        return ids.to(self.embedding.weight.device)

    def forward(self, ids: Tensor) -> Tensor:
        """Encode distinct words.

        ids (Tensor): (W, C) character ids, 1 to 261.
        RETURNS (Tensor): (W, P) token vectors, the same bits for a word in any batch.
        """
        n_words = len(ids)
        padded = F.pad(ids, (0, 0, 0, -n_words % BLOCK_SIZE))  # (W', C)
        blocks = [self._encode(block) for block in padded.split(BLOCK_SIZE)]
        return torch.cat(blocks)[:n_words]  # (W, P)

    def _encode(self, ids: Tensor) -> Tensor:
        X = self.embedding(ids).transpose(1, 2)  # (W, char_dim, C)
        pooled = [convolution(X).amax(dim=2) for convolution in self.convolutions]
        Y = self.activation(torch.cat(pooled, dim=1))  # (W, n_filters)
        for highway in self.highways:
            Y = highway(Y)  # (W, n_filters)
        projected: Tensor = self.projection(Y)  # (W, P)
        return projected


class Highway(nn.Module):
    """A layer that learns how much of its input to carry on (Srivastava et al. 2015).

    The gate weighs the *transformed* side, as in bilm-tf; AllenNLP stores the opposite
    sign.
    """

    def __init__(self, width: int) -> None:
        super().__init__()
        self.carry = nn.Linear(width, width)
        self.transform = nn.Linear(width, width)

    def forward(self, X: Tensor) -> Tensor:
        """X (Tensor): (W, n_filters). RETURNS (Tensor): The same shape."""
        gate = torch.sigmoid(self.carry(X))
        return gate * torch.relu(self.transform(X)) + (1 - gate) * X
