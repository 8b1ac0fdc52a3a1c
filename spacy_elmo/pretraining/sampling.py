"""Words drawn as negatives, frequent ones more often."""

import math
from typing import NamedTuple

import torch
from torch import Tensor


class Samples(NamedTuple):
    """Distinct words, and what the draw makes of every word.

    ids (Tensor): (K,) the words drawn.
    log_expected (Tensor): (V,) log of how often each word is expected in such a draw.
    """

    ids: Tensor
    log_expected: Tensor


def sample_log_uniform(n_samples: int, vocabulary_size: int) -> Samples:
    """Draw distinct words, P(k) = log((k + 2) / (k + 1)) / log(V + 1).

    Zipf's law for a vocabulary by falling frequency, as TensorFlow's candidate sampler
    has it. torch's global generator decides.
    """
    span = math.log(vocabulary_size + 1)
    drawn = torch.empty(0, dtype=torch.long)
    while True:
        u = torch.rand(2 * n_samples, dtype=torch.double)
        more = (torch.exp(u * span).long() - 1).clamp_(0, vocabulary_size - 1)
        drawn = torch.cat([drawn, more])
        first = _first_draws(drawn, vocabulary_size)
        if len(first) >= n_samples:
            break
    first = first[:n_samples]
    n_tries = int(first[-1]) + 1
    k = torch.arange(vocabulary_size, dtype=torch.double)
    p = torch.log1p(1 / (k + 1)) / span
    expected = -torch.expm1(n_tries * torch.log1p(-p))
    return Samples(drawn[first], torch.log(expected).float())


def _first_draws(drawn: Tensor, vocabulary_size: int) -> Tensor:
    """Where each word was drawn first, in the order of the draw."""
    places = torch.arange(len(drawn))
    first = torch.full((vocabulary_size,), len(drawn))
    first.scatter_reduce_(0, drawn, places, reduce="amin")
    return places[first[drawn] == places]
