"""The scalar mix in torch, with the layer normalisation of the first implementations.

Kept for comparison with their outputs. The pipeline mixes in `layers/scalar_mix.py`,
where no sentence can change the vectors of another.
"""

from collections.abc import Sequence

import torch
from torch import Tensor


def mix_layers(layers: Tensor, scalars: Sequence[float], gamma: float = 1.0) -> Tensor:
    """Weigh the layers by softmax(scalars) and gamma (Peters et al. 2018, eq. 1).

    layers (Tensor): (L, N, D). RETURNS (Tensor): (N, D).
    """
    weights = torch.softmax(torch.as_tensor(scalars, dtype=layers.dtype), dim=0)
    return gamma * torch.einsum("l,lnd->nd", weights.to(layers.device), layers)


def batch_layer_norm(layers: Tensor, epsilon: float = 1e-13) -> Tensor:
    """Normalise each layer by one mean and variance over the whole batch.

    AllenNLP (epsilon 1e-13) counts the boundaries <S> and </S> in, bilm-tf (1e-12) not:
    pass the layers with or without them. A batch mate changes every output.

    layers (Tensor): (L, N, D) of real positions. RETURNS (Tensor): The same shape.
    """
    mean = layers.mean(dim=(1, 2), keepdim=True)  # (L, 1, 1)
    variance = ((layers - mean) ** 2).mean(dim=(1, 2), keepdim=True)
    return (layers - mean) / torch.sqrt(variance + epsilon)
