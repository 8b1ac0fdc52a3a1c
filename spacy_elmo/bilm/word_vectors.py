"""Token vectors in prediction: what `TokenEncoder` computes, fast, and once a word."""

import threading
from collections.abc import Sequence
from itertools import groupby
from typing import cast

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from .packing import Product
from .product import Precision, make_product
from .token_encoder import Highway, TokenEncoder

#: Words that go through highway and projection together, places that go through the
#: filters together, and words that are too long for that. Shapes are the same, or were
#: seen to round alike, so that equal words get equal bits.
BLOCK_SIZE, FILTERED, CONVOLVED = 32, 64, 16
#: Fewer words, where that changes no bit either: a sentence has few new ones.
SMALLER = (8, 16)
#: Words that are spelled at once, which bounds the memory.
SPELLED = 128


class WordVectors:
    """The vector of each word before it is read in context, kept for later batches.

    Keeping changes no bit. When `capacity` words are kept, all are forgotten.

    encoder (TokenEncoder): Must not change from now on.
    capacity (int): Words to keep; 0 for none.
    precision (str): What to multiply in.
    """

    def __init__(
        self, encoder: TokenEncoder, capacity: int, precision: Precision = "float32"
    ) -> None:
        self._encoder = encoder
        self._capacity = capacity
        self._rows: dict[str, int] = {}
        self._lock = threading.Lock()
        self._spelling: Spelling | None = None
        self._highways: list[_HighwayProduct] = []
        self._width = encoder.word_embedding.embedding_dim if encoder.reads_words else 0
        if encoder.reads_characters:
            self._spelling = Spelling(encoder, precision)
            self._width += self._spelling.n_filters
            highways = [cast(Highway, highway) for highway in encoder.highways]
            self._highways = [_HighwayProduct(h, precision) for h in highways]
        self._projection: Product | None = None
        width = self._width
        if isinstance(encoder.projection, nn.Linear):
            linear = encoder.projection
            self._projection = make_product(linear.weight, linear.bias, precision)
            width = linear.out_features
        parameter = next(encoder.parameters())
        self._kept = parameter.detach().new_empty(capacity, width)
        self._smaller = [n for n in SMALLER if self._rounds_alike(n)]

    def __call__(self, words: Sequence[str]) -> Tensor:
        """words (Sequence[str]): W distinct words. RETURNS (Tensor): (W, P)."""
        if len(words) > self._capacity:
            return self._encode(words)
        with self._lock:
            missing = [word for word in words if word not in self._rows]
            if len(self._rows) + len(missing) > self._capacity:
                self._rows.clear()
                missing = list(words)
            if missing:
                self._keep(missing, self._encode(missing))
            return self._kept[[self._rows[word] for word in words]]

    def forget(self) -> None:
        """Keep no word of those that are kept."""
        with self._lock:
            self._rows.clear()

    def _keep(self, words: Sequence[str], vectors: Tensor) -> None:
        first = len(self._rows)
        self._kept[first : first + len(words)] = vectors
        self._rows.update((word, first + i) for i, word in enumerate(words))

    def _encode(self, words: Sequence[str]) -> Tensor:
        ids = self._encoder.to_ids(words)
        parts = []
        if self._encoder.reads_words:
            parts.append(self._encoder.word_embedding(ids[:, 0]))
            ids = ids[:, 1:]
        if self._spelling is not None:
            parts.append(self._spelling(ids))
        X = torch.cat(parts, dim=1)
        n_words = len(X)
        n_rest = n_words % BLOCK_SIZE
        size = next((n for n in self._smaller if n >= n_rest), BLOCK_SIZE)
        whole, rest = X.split([n_words - n_rest, n_rest])
        blocks = [*_split(whole, BLOCK_SIZE), *_split(rest, size)]
        return torch.cat([self._finish(block) for block in blocks])[:n_words]

    def _rounds_alike(self, size: int) -> bool:
        """Whether a block of this size gives the bits that one of `BLOCK_SIZE` does:
        whether the products add in the same order. Random words tell, for this machine
        as it is set up now.
        """
        generator = torch.Generator().manual_seed(0)
        X = torch.randn(BLOCK_SIZE, self._width, generator=generator)
        X = X.to(next(self._encoder.parameters()))
        parts = torch.cat([self._finish(x) for x in X.split(size)])
        return torch.equal(parts, self._finish(X))

    def _finish(self, X: Tensor) -> Tensor:
        """X: (words of a block, n_filters + word_dim)"""
        width = X.shape[1]
        if self._highways:
            n_filters = self._highways[0].width
            spelled = X[:, width - n_filters :]
            for highway in self._highways:
                spelled = highway(spelled)
            X = torch.cat([X[:, : width - n_filters], spelled], dim=1)
        return X if self._projection is None else self._projection(X)


class Spelling:
    """The character CNN as one product: all filters over all places of all words.

    A filter narrower than the widest is filled up with zeros. From a word's end on,
    every place sees padding alone, so one such place stands for all that follow.

    encoder (TokenEncoder): Must not change from now on.
    """

    def __init__(self, encoder: TokenEncoder, precision: Precision) -> None:
        convolutions = [cast(nn.Conv1d, c) for c in encoder.convolutions]
        self._encoder = encoder
        self._width = max(c.kernel_size[0] for c in convolutions)
        missing = [self._width - c.kernel_size[0] for c in convolutions]
        filters = [F.pad(c.weight, (0, n)) for c, n in zip(convolutions, missing)]
        weight = torch.cat(filters).transpose(1, 2)  # (n_filters, width, char_dim)
        biases = [c.bias for c in convolutions if c.bias is not None]
        bias = torch.cat(biases)
        self.n_filters = len(bias)
        self._product = make_product(weight.flatten(1), bias, precision)
        self._embedding = encoder.embedding.weight.detach().clone()

    def __call__(self, ids: Tensor) -> Tensor:
        """ids (Tensor): (W, characters). RETURNS (Tensor): (W, n_filters)."""
        padding = self._encoder.require_lexicon().padding
        lengths = (ids != padding).sum(dim=1).tolist()
        places = [self._places(length, ids.shape[1]) for length in lengths]
        order = sorted(range(len(ids)), key=places.__getitem__)
        parts = []
        for first in range(0, len(order), SPELLED):
            chosen = order[first : first + SPELLED]
            parts += self._spell(ids[chosen], [places[k] for k in chosen])
        spelled = torch.cat(parts)[torch.argsort(torch.tensor(order))]
        return self._encoder.activation(spelled)

    def _places(self, length: int, n_characters: int) -> int:
        """Places that suffice for a word; 0 if it leaves no room for padding."""
        return 0 if length + self._width > n_characters else length + 1

    def _spell(self, ids: Tensor, places: list[int]) -> list[Tensor]:
        """ids: (B, characters), words of equally many places together.

        RETURNS: (B, n_filters) in parts.
        """
        n_long = places.count(0)
        parts = [self._convolve(ids[:n_long])] if n_long else []
        groups = [(n, len(list(group))) for n, group in groupby(places[n_long:])]
        words = ids[n_long:].split([n_words for _, n_words in groups])
        windows = [
            rows.unfold(1, self._width, 1)[:, :n].reshape(-1, self._width)
            for rows, (n, _) in zip(words, groups)
        ]
        if windows:
            Y = self._filter(torch.cat(windows)).split([len(rows) for rows in windows])
            parts += [y.view(-1, n, y.shape[1]).amax(1) for y, (n, _) in zip(Y, groups)]
        return parts

    def _filter(self, windows: Tensor) -> Tensor:
        """windows: (n, width) of characters. RETURNS: (n, n_filters)."""
        blocks = _split(windows, FILTERED)
        X = [F.embedding(block, self._embedding).flatten(1) for block in blocks]
        return torch.cat([self._product(x) for x in X])[: len(windows)]

    def _convolve(self, ids: Tensor) -> Tensor:
        """ids: (B, characters). RETURNS: (B, n_filters)."""
        blocks = [self._encoder.convolve(block) for block in _split(ids, CONVOLVED)]
        return torch.cat(blocks)[: len(ids)]


def _split(X: Tensor, size: int) -> tuple[Tensor, ...]:
    """RETURNS: Parts of equally many rows, the last one filled up with zeros."""
    return F.pad(X, (0, 0, 0, -len(X) % size)).split(size) if len(X) else ()


class _HighwayProduct:
    """A highway layer whose two products are one."""

    def __init__(self, highway: Highway, precision: Precision) -> None:
        carry, transform = highway.carry, highway.transform
        self.width = carry.in_features
        weight = torch.cat([carry.weight, transform.weight])
        bias = torch.cat([carry.bias, transform.bias])
        self._product = make_product(weight, bias, precision)

    def __call__(self, X: Tensor) -> Tensor:
        carry, transform = self._product(X).chunk(2, dim=1)
        return torch.lerp(X, torch.relu(transform), torch.sigmoid(carry))
