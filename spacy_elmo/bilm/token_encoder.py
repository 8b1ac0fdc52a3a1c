"""Words to token vectors: CNN over characters, highway, word table, projection."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from .config import BiLMConfig
from .lexicon import Lexicon, needs_lists

#: Words that go through the network together, which bounds the memory.
BLOCK_SIZE = 256


class TokenEncoder(nn.Module):
    """A word's vector from its letters, from a table of words, or from both.

    Convolutions of several widths over the characters, the maximum over time, an
    activation and highway layers (Kim et al. 2016; Peters et al. 2018, A); beside them
    the word's row of a table; a linear projection of the two. The config says which of
    these there are. The vector depends on the word alone, so a batch encodes each
    distinct word once.

    lexicon (Optional[Lexicon]): The rows of words and characters. A biLM of bytes has
        one at once, any other when it is told its lists.
    """

    def __init__(self, config: BiLMConfig) -> None:
        super().__init__()
        self.lexicon = None if needs_lists(config) else Lexicon(config)
        self.reads_words = config.n_words > 0
        self.reads_characters = config.characters != "none"
        if self.reads_words:
            self.word_embedding = nn.Embedding(config.n_words, config.word_dim)
        if self.reads_characters:
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
            nn.Linear(config.n_filters + config.word_dim, config.projection_dim)
            if config.projects_tokens
            else nn.Identity()
        )

    def to_ids(self, words: Sequence[str]) -> Tensor:
        """Encode words for `forward`, on the device of the parameters.

        RETURNS (Tensor): (W, columns) row of the word table, then character ids.
        RAISES (ValueError): The words or characters it has rows for are not known.
        """
        ids = torch.from_numpy(self.require_lexicon().ids(words))
        return ids.to(next(self.parameters()).device)

    def forward(self, ids: Tensor) -> Tensor:
        """Encode distinct words in blocks.

        ids (Tensor): (W, columns) from `to_ids`.
        RETURNS (Tensor): (W, P) token vectors.
        """
        return torch.cat([self.encode(block) for block in ids.split(BLOCK_SIZE)])

    def encode(self, ids: Tensor) -> Tensor:
        """Encode distinct words at once.

        ids (Tensor): (W, columns). RETURNS (Tensor): (W, P).
        """
        parts = []
        if self.reads_words:
            parts.append(self.word_embedding(ids[:, 0]))  # (W, word_dim)
            ids = ids[:, 1:]
        if self.reads_characters:
            parts.append(self._spell(ids))  # (W, n_filters)
        projected: Tensor = self.projection(torch.cat(parts, dim=1))  # (W, P)
        return projected

    def convolve(self, ids: Tensor) -> Tensor:
        """The convolutions' greatest value over a word, before the activation.

        ids (Tensor): (W, characters). RETURNS (Tensor): (W, n_filters).
        """
        X = self.embedding(ids).transpose(1, 2)  # (W, char_dim, C)
        pooled = [convolution(X).amax(dim=2) for convolution in self.convolutions]
        return torch.cat(pooled, dim=1)

    def _spell(self, ids: Tensor) -> Tensor:
        Y = self.activation(self.convolve(ids))  # (W, n_filters)
        for highway in self.highways:
            Y = highway(Y)  # (W, n_filters)
        return Y

    def require_lexicon(self) -> Lexicon:
        """RAISES (ValueError): `set_vocabulary` is still to be called."""
        if self.lexicon is None:
            raise ValueError(
                "This biLM has tables of words or characters, and was not told which "
                "row is whose. Call `bilm.set_vocabulary(vocabulary, characters)` with "
                "the lists that came with its weights."
            )
        return self.lexicon


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
