"""The matrix products of prediction, in the precision that is asked for."""

import sys
from collections.abc import Sequence
from typing import Literal, get_args

import torch
from torch import Tensor

from .low_precision import HalfProduct, QuantizedProduct, multiplies_integers
from .packing import SMALL_WEIGHT, PackedProduct, PlainProduct, Product, can_pack

Precision = Literal["float32", "bfloat16", "int8"]


def make_product(
    weight: Tensor, bias: Tensor | None = None, precision: Precision = "float32"
) -> Product:
    """Lay out a weight; it is copied.

    weight (Tensor): (out, in). bias (Optional[Tensor]): (out,).
    precision (str): What to multiply in; see `check_precision`.
    """
    weight = weight.detach().clone()
    bias = None if bias is None else bias.detach().clone()
    if precision == "int8":
        return QuantizedProduct(weight, bias)
    if precision == "bfloat16":
        return HalfProduct(weight, bias)
    return (
        PackedProduct(weight, bias) if can_pack(weight) else PlainProduct(weight, bias)
    )


def check_precision(
    precision: str, device: torch.device, dtype: torch.dtype = torch.float32
) -> None:
    """RAISES (ValueError): There is no such precision, or not on this machine."""
    if precision not in get_args(Precision):
        expected = ", ".join(get_args(Precision))
        raise ValueError(f"precision: expected one of {expected}; found {precision!r}.")
    if precision != "float32" and dtype != torch.float32:
        raise ValueError(
            f'precision = "{precision}" needs a biLM of torch.float32, found {dtype}. '
            'Take "float32", which leaves it as it is.'
        )
    if precision == "int8" and not (device.type == "cpu" and multiplies_integers()):
        raise ValueError(
            'precision = "int8" needs a CPU that multiplies integers of 8 bits without '
            f"overflow (VNNI) and a torch with _int_mm, found {device} and torch "
            f'{torch.__version__}. Take "float32" or "bfloat16".'
        )


class DirectionsProduct:
    """The products X · Wᵀ of D directions, which have weights of equal size.

    weights (Tensor): (D, out, in); they are copied.
    precision (str): What to multiply in.
    """

    def __init__(self, weights: Tensor, precision: Precision) -> None:
        exact = precision == "float32"
        plain = exact and not can_pack(weights)
        small = exact and weights[0].nbytes <= SMALL_WEIGHT
        self._batched_rows = sys.maxsize if plain else 1
        self._weights: Tensor | None = None  # (D, in, out)
        if plain or small:
            self._weights = weights.clone().transpose(1, 2)
            if weights.shape[1] > weights.shape[2]:  # the longer side lies together
                self._weights = self._weights.contiguous()
        self._products: list[Product] = []
        if not plain:
            self._products = [make_product(w, precision=precision) for w in weights]

    def write(self, X: Tensor, *, out: Tensor) -> Tensor:
        """X (Tensor): (D, n, in). RETURNS (Tensor): out (D, n, out)."""
        if self._weights is not None and X.shape[1] <= self._batched_rows:
            return torch.bmm(X, self._weights, out=out)
        for product, x, y in zip(self._products, X, out):
            y.copy_(product(x))
        return out

    def add_to(self, starts: Sequence[Tensor], X: Tensor, *, out: Tensor) -> Tensor:
        """starts (Sequence[Tensor]): D of (n, out). X (Tensor): (D, n, in).

        RETURNS (Tensor): out (D, n, out), now starts + X · Wᵀ.
        """
        if self._weights is not None and X.shape[1] <= self._batched_rows:
            start = torch.stack(tuple(starts))
            return torch.baddbmm(start, X, self._weights, out=out)
        for product, start, x, y in zip(self._products, starts, X, out):
            product.add_to(start, x, out=y)
        return out
