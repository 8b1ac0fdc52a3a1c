"""Distributions over the target words, and their training losses.

Both directions share one softmax. A loss may look at a sample of the words; `nll` and
`log_probs` are always of the whole distribution.
"""

import math
from typing import Any, Protocol

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable
from torch.nn import functional as F

from .precision import product_dtype
from .sampling import sample_log_uniform

#: Scores that are computed together: so many floats, but not fewer rows than these.
BLOCK_FLOATS, MIN_ROWS = 1 << 20, 64


class Softmax(Protocol):
    """What training and evaluation need of a softmax."""

    vocabulary_size: int

    def loss(
        self, H: Tensor, targets: Tensor, dtype: torch.dtype = torch.float32
    ) -> Tensor:
        """The training loss, summed over M rows (M, P) and their targets (M,).

        dtype (torch.dtype): What products are computed in, as far as it is narrower.
        """

    def log_probs(self, H: Tensor) -> Tensor:
        """RETURNS (Tensor): (M, V) log-probabilities of every word."""

    def nll(self, H: Tensor, targets: Tensor) -> Tensor:
        """RETURNS (Tensor): (M,) negative log-probability of each target."""


class LinearSoftmax(nn.Module):
    """One weight vector and one bias a word (bilm-tf's `softmax/W` and `softmax/b`).

    vocabulary_size (int): V. width (int): P, of one direction.
    n_samples (Optional[int]): Train on so many sampled words. None, or as many as the
        vocabulary has, for all of them.
    """

    def __init__(
        self, vocabulary_size: int, width: int, n_samples: int | None = None
    ) -> None:
        super().__init__()
        self.vocabulary_size = vocabulary_size
        self.n_samples = n_samples
        self.weight = nn.Parameter(torch.empty(vocabulary_size, width))
        self.bias = nn.Parameter(torch.zeros(vocabulary_size))
        nn.init.normal_(self.weight, std=1 / math.sqrt(width))

    def loss(
        self, H: Tensor, targets: Tensor, dtype: torch.dtype = torch.float32
    ) -> Tensor:
        """Cross-entropy, summed; sampled as Jean et al. 2015.

        Sampled words that are a row's own target are left out of that row. Scores are
        corrected by how often a word is expected in the sample.
        """
        dtype = product_dtype(H, dtype)
        if self.n_samples is None or self.n_samples >= self.vocabulary_size:
            W = F.embedding(targets, self.weight)
            b = self.bias[targets]
            return _Loss.apply(H, self.weight, self.bias, W, b, targets, dtype)
        samples = sample_log_uniform(self.n_samples, self.vocabulary_size)
        ids, log_expected = (x.to(H.device) for x in samples)
        n = len(ids)
        rows = torch.cat([ids, targets])
        # One look-up for both, so that the weight gets one dense gradient.
        W = F.embedding(rows, self.weight)
        b = F.embedding(rows, self.bias[:, None])[:, 0] - log_expected[rows]
        place = torch.full((self.vocabulary_size,), -1, device=H.device)
        place[ids] = torch.arange(n, device=H.device)
        return _Loss.apply(H, W[:n], b[:n], W[n:], b[n:], place[targets], dtype)

    def log_probs(self, H: Tensor) -> Tensor:
        """RETURNS (Tensor): (M, V)."""
        return torch.log_softmax(F.linear(H, self.weight, self.bias), dim=1)

    def nll(self, H: Tensor, targets: Tensor) -> Tensor:
        """RETURNS (Tensor): (M,)."""
        size = max(MIN_ROWS, BLOCK_FLOATS // self.vocabulary_size)
        parts = []
        for h, target in zip(H.split(size), targets.split(size)):
            scores = F.linear(h, self.weight, self.bias)
            true = scores.gather(1, target[:, None])[:, 0]
            parts.append(scores.logsumexp(dim=1) - true)
        return torch.cat(parts) if parts else H.new_empty(0)


class AdaptiveSoftmax(nn.Module):
    """torch's adaptive softmax: rare words in clusters of fewer dimensions.

    Grave et al. 2017. Exact in training, and cheaper than the full softmax.

    cutoffs (List[int]): Where the clusters of rarer words begin.
    div_value (float): How much narrower each cluster is than the one before.
    """

    def __init__(
        self, vocabulary_size: int, width: int, cutoffs: list[int], div_value: float
    ) -> None:
        super().__init__()
        self.vocabulary_size = vocabulary_size
        self.clusters = nn.AdaptiveLogSoftmaxWithLoss(
            width, vocabulary_size, cutoffs, div_value=div_value
        )

    def loss(
        self, H: Tensor, targets: Tensor, dtype: torch.dtype = torch.float32
    ) -> Tensor:
        """Cross-entropy, summed; in float32, whatever the dtype."""
        return self.nll(H, targets).sum()

    def log_probs(self, H: Tensor) -> Tensor:
        """RETURNS (Tensor): (M, V)."""
        log_probs: Tensor = self.clusters.log_prob(H)
        return log_probs

    def nll(self, H: Tensor, targets: Tensor) -> Tensor:
        """RETURNS (Tensor): (M,)."""
        return -self.clusters(H, targets).output


class _Loss(torch.autograd.Function):
    """Summed cross-entropy of a true score against others; the gradient in one pass.

    A block of rows at a time: the scores, the loss, and at once the gradient, so that
    the scores of all rows never exist together.
    """

    @staticmethod
    def forward(
        ctx: Any,
        H: Tensor,
        W: Tensor,
        b: Tensor,
        W_true: Tensor,
        b_true: Tensor,
        own: Tensor,
        dtype: torch.dtype,
    ) -> Tensor:
        """H (M, P); others W (K, P), b (K,); true W_true (M, P), b_true (M,).

        own (Tensor): (M,) the row of W that is a row's own target, -1 for none.
        dtype (torch.dtype): Of the scores and their products.
        """
        true = (H * W_true).sum(dim=1) + b_true
        # One more column of scores, for the true word.
        W_low = torch.cat([W, torch.zeros_like(W[:1])]).to(dtype)
        b_low = torch.cat([b, torch.zeros_like(b[:1])]).to(dtype)
        dH, dW, db = torch.empty_like(H), torch.zeros_like(W), torch.zeros_like(b)
        p_true = torch.empty_like(true)
        size = max(MIN_ROWS, BLOCK_FLOATS // len(W))
        for start in range(0, len(H), size):
            rows = slice(start, start + size)
            h = H[rows].to(dtype)
            scores = torch.addmm(b_low, h, W_low.t())
            hits = (own[rows] >= 0).nonzero()[:, 0]
            scores[hits, own[rows][hits]] = -torch.inf
            scores[:, -1] = true[rows]
            p = torch.softmax(scores, dim=1)
            p_true[rows] = p[:, -1]
            p[:, -1] = 0
            dH[rows] = torch.mm(p, W_low)
            dW += torch.mm(p.t(), h)[:-1]
            db += p.sum(dim=0)[:-1]
        d_true = p_true - 1
        dH += d_true[:, None] * W_true
        ctx.save_for_backward(dH, dW, db, d_true, H)
        # A probability that vanishes would make the loss infinite.
        tiny = torch.finfo(p_true.dtype).tiny
        return -torch.log(p_true.clamp_min(tiny)).sum(dtype=torch.double).to(H.dtype)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        dH, dW, db, d_true, H = ctx.saved_tensors
        dW_true = d_true[:, None] * H
        return (*(grad * d for d in (dH, dW, db, dW_true, d_true)), None, None)
