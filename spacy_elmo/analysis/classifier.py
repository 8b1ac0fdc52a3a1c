"""Linear classifiers, trained the same way whatever they read.

The training has nothing to tune: zero weights, so that a seed decides the order of the
words alone, a fixed number of epochs, and a step that falls to zero.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional as F
from torch.optim.lr_scheduler import LinearLR

EPOCHS, BATCH_SIZE = 10, 256
#: Words whose features are computed at once outside training.
BLOCK = 8192

#: Numbers of words to what a classifier reads of them, one row a word.
Inputs = Callable[[NDArray[np.int64]], Tensor]


class VectorClassifier(nn.Module):
    """A linear classifier of vectors, each dimension brought to mean 0 and deviation 1.

    inputs (Inputs): The training vectors, for means and deviations.
    n_words (int): How many there are.
    n_labels (int): How many labels there are.
    """

    def __init__(self, inputs: Inputs, n_words: int, n_labels: int) -> None:
        super().__init__()
        self.mean, self.deviation = _moments(inputs, n_words)
        self.linear = nn.Linear(len(self.mean), n_labels)
        nn.init.zeros_(self.linear.weight)
        nn.init.zeros_(self.linear.bias)

    def optimizer(self) -> torch.optim.Optimizer:
        """What it is trained with."""
        return torch.optim.Adam(self.parameters(), lr=0.01)

    def forward(self, X: Tensor) -> Tensor:
        """X (Tensor): (n, D). RETURNS (Tensor): (n, n_labels) scores."""
        scores: Tensor = self.linear((X - self.mean) / self.deviation)
        return scores


class WordClassifier(nn.Module):
    """A linear classifier of one-hot words: a score for each word and label.

    n_rows (int): Words it knows, and row 0 for all others.
    n_labels (int): How many labels there are.
    """

    def __init__(self, n_rows: int, n_labels: int) -> None:
        super().__init__()
        self.table = nn.EmbeddingBag(
            n_rows, n_labels, mode="sum", sparse=True, padding_idx=0
        )
        self.bias = nn.Parameter(torch.zeros(n_labels))
        nn.init.zeros_(self.table.weight)

    def optimizer(self) -> torch.optim.Optimizer:
        """Adagrad: a word that is seen once takes a large step."""
        return torch.optim.Adagrad(self.parameters(), lr=1.0)

    def forward(self, X: Tensor) -> Tensor:
        """X (Tensor): (n, k) rows. RETURNS (Tensor): (n, n_labels) scores."""
        scores: Tensor = self.table(X) + self.bias
        return scores


Classifier = VectorClassifier | WordClassifier


def fit(
    classifier: Classifier,
    inputs: Inputs,
    words: NDArray[np.int64],
    labels: NDArray[np.int64],
    seed: int,
) -> None:
    """Train by cross-entropy.

    words (NDArray): (n,) the words that have labels.
    labels (NDArray): (n,) their labels.
    seed (int): Decides the order in which they are seen.
    """
    optimizer = classifier.optimizer()
    n_steps = EPOCHS * -(-len(words) // BATCH_SIZE)
    schedule = LinearLR(optimizer, 1.0, end_factor=0.0, total_iters=n_steps)
    generator, targets = np.random.default_rng(seed), torch.from_numpy(labels)
    # torch warns unless one says whether sparse gradients shall be checked.
    with torch.sparse.check_sparse_tensor_invariants(False):
        for _ in range(EPOCHS):
            order = generator.permutation(len(words))
            for start in range(0, len(order), BATCH_SIZE):
                batch = order[start : start + BATCH_SIZE]
                loss = F.cross_entropy(classifier(inputs(words[batch])), targets[batch])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                schedule.step()


def predict(classifier: nn.Module, inputs: Inputs, n_words: int) -> NDArray[np.int64]:
    """RETURNS (NDArray[np.int64]): (n_words,) the best label of each word."""
    with torch.no_grad():
        best = [classifier(inputs(b)).argmax(1).numpy() for b in _blocks(n_words)]
    return np.concatenate(best)


def _moments(inputs: Inputs, n_words: int) -> tuple[Tensor, Tensor]:
    """Mean and standard deviation of each dimension."""
    blocks = (inputs(block).double() for block in _blocks(n_words))
    parts = [(X.sum(0), X.square().sum(0)) for X in blocks]
    total, squares = (torch.stack(sums).sum(0) for sums in zip(*parts))
    mean = total / n_words
    variance = (squares / n_words - mean.square()).clamp_min(1e-12)
    return mean.float(), variance.sqrt().float()


def _blocks(n_words: int) -> list[NDArray[Any]]:
    return [
        np.arange(start, min(start + BLOCK, n_words))
        for start in range(0, n_words, BLOCK)
    ]
