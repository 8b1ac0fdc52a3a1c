"""What a linear classifier reads of each word: its vectors, or its name."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from .classifier import VectorClassifier, WordClassifier
from .labelled import Split
from .layer_reader import Combination, LayerReader

#: The row of a word that was not in the training set.
UNKNOWN = 0
#: A word beside another: how far to the right of it, and its text.
Neighbour = tuple[int, str]


@dataclass(frozen=True)
class LayerInputs:
    """The vectors of N words.

    layers (NDArray): (n_layers, N, width); a batch is computed in float32.
    combination (Combination): Makes one vector of the layers.
    """

    layers: NDArray[np.float16]
    combination: Combination

    def __call__(self, words: NDArray[np.int64]) -> Tensor:
        """RETURNS (Tensor): (n, D) vectors of some of the words."""
        layers = self.layers[:, words].astype(np.float32)
        return torch.from_numpy(self.combination.combine(layers))

    def classifier(self, n_labels: int) -> VectorClassifier:
        """An untrained classifier, fitted to means and deviations of these words."""
        return VectorClassifier(self, self.layers.shape[1], n_labels)


@dataclass(frozen=True)
class WordInputs:
    """One-hot features of N words.

    rows (NDArray): (N, k) the rows of a word and its neighbours in the classifier.
    n_rows (int): How many rows it has.
    """

    rows: NDArray[np.int64]
    n_rows: int

    def __call__(self, words: NDArray[np.int64]) -> Tensor:
        """RETURNS (Tensor): (n, k) rows of some of the words."""
        return torch.from_numpy(self.rows[words])

    def classifier(self, n_labels: int) -> WordClassifier:
        """An untrained classifier."""
        return WordClassifier(self.n_rows, n_labels)


def read_layers(reader: LayerReader, split: Split) -> NDArray[np.float16]:
    """The layers of all words, in float16 because they are many.

    RETURNS (NDArray): (n_layers, N, width).
    """
    shape = reader.n_layers, len(split.words), reader.width
    layers, end = np.empty(shape, dtype=np.float16), 0
    for _, part in reader.read(split.sentences):
        start, end = end, end + part.shape[1]
        layers[:, start:end] = part
    return layers


def one_hot(
    train: Split, test: Split, n_neighbours: int
) -> tuple[WordInputs, WordInputs]:
    """The inputs of a classifier that knows the words of the training set by name.

    n_neighbours (int): How many words at each side of a word it sees.
    """
    rows: dict[Neighbour, int] = {}
    for neighbours in _neighbours(train, n_neighbours):
        for neighbour in neighbours:
            rows.setdefault(neighbour, len(rows) + 1)

    def inputs(split: Split) -> WordInputs:
        found = [
            [rows.get(neighbour, UNKNOWN) for neighbour in neighbours]
            for neighbours in _neighbours(split, n_neighbours)
        ]
        return WordInputs(np.asarray(found, dtype=np.int64), len(rows) + 1)

    return inputs(train), inputs(test)


def _neighbours(split: Split, n: int) -> Iterator[list[Neighbour]]:
    """For each word itself and its neighbours; beyond the sentence they are empty."""
    for sentence in split.sentences:
        padded = [""] * n + sentence.words + [""] * n
        for place in range(len(sentence.words)):
            window = padded[place : place + 2 * n + 1]
            yield [(offset - n, word) for offset, word in enumerate(window)]
