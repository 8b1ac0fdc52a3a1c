"""Matrix products by a weight that is laid out once for the processor."""

from typing import Literal, Protocol, get_args

import torch
from torch import Tensor
from torch.nn import functional as F

Precision = Literal["float32", "bfloat16", "int8"]

#: Floats that a row is filled up to a multiple of. A plain product also rounds a row by
#: where in memory it starts.
ROW_ALIGNMENT = 4


class Product(Protocol):
    """X · Wᵀ + b, for one weight and many X.

    In products of equally many rows, a row's bits do not depend on its place, and never
    on what the other rows hold.
    """

    def __call__(self, X: Tensor) -> Tensor:
        """X (Tensor): (n, in). RETURNS (Tensor): (n, out)."""

    def add_to(self, start: Tensor, X: Tensor) -> Tensor:
        """RETURNS (Tensor): (n, out) start + X · Wᵀ, without the bias."""


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


def check_precision(precision: str, device: torch.device) -> None:
    """RAISES (ValueError): There is no such precision, or not on this machine."""
    if precision not in get_args(Precision):
        expected = ", ".join(get_args(Precision))
        raise ValueError(f"precision: expected one of {expected}; found {precision!r}.")
    if precision == "int8" and not (device.type == "cpu" and hasattr(torch, "_int_mm")):
        raise ValueError(
            f'precision = "int8" needs a CPU and a torch with _int_mm, found {device} '
            f'and torch {torch.__version__}. Take "float32" or "bfloat16".'
        )


class PlainProduct:
    """Where nothing can be laid out in advance: `F.linear`."""

    def __init__(self, weight: Tensor, bias: Tensor | None) -> None:
        self._missing = -weight.shape[1] % ROW_ALIGNMENT
        self._weight, self._bias = F.pad(weight, (0, self._missing)), bias

    def __call__(self, X: Tensor) -> Tensor:
        """X (Tensor): (n, in). RETURNS (Tensor): (n, out)."""
        return F.linear(self._align(X), self._weight, self._bias)

    def add_to(self, start: Tensor, X: Tensor) -> Tensor:
        """RETURNS (Tensor): (n, out)."""
        return torch.addmm(start, self._align(X), self._weight.t())

    def _align(self, X: Tensor) -> Tensor:
        return F.pad(X, (0, self._missing)) if self._missing else X


class PackedProduct:
    """float32 by oneDNN, which is part of torch.

    A plain product lays the weight out anew each time, which for few rows costs more
    than the arithmetic. The operators are those that torch's compiler uses.
    """

    def __init__(self, weight: Tensor, bias: Tensor | None) -> None:
        self._weight = torch.ops.mkldnn._reorder_linear_weight(weight)
        self._bias = bias

    def __call__(self, X: Tensor) -> Tensor:
        """X (Tensor): (n, in). RETURNS (Tensor): (n, out)."""
        run = torch.ops.mkldnn._linear_pointwise
        Y: Tensor = run(X, self._weight, self._bias, "none", [], "")
        return Y

    def add_to(self, start: Tensor, X: Tensor) -> Tensor:
        """RETURNS (Tensor): (n, out)."""
        run = torch.ops.mkldnn._linear_pointwise.binary
        Y: Tensor = run(X, start, self._weight, None, "add")
        return Y


class HalfProduct:
    """Multiplies in bfloat16, where three digits of a factor remain."""

    def __init__(self, weight: Tensor, bias: Tensor | None) -> None:
        weight = weight.bfloat16()
        packs = can_pack(weight)
        self._product = (PackedProduct if packs else PlainProduct)(weight, None)
        self._bias = bias

    def __call__(self, X: Tensor) -> Tensor:
        """X (Tensor): (n, in). RETURNS (Tensor): (n, out)."""
        Y = self._product(X.bfloat16()).float()
        return Y if self._bias is None else Y.add_(self._bias)

    def add_to(self, start: Tensor, X: Tensor) -> Tensor:
        """RETURNS (Tensor): (n, out)."""
        return self(X).add_(start)


class QuantizedProduct:
    """Multiplies 8-bit integers: each row of W and each row of X has its own scale.

    torch's dynamic quantization has one scale for all of X, by which the rows of a
    batch would change each other.
    """

    def __init__(self, weight: Tensor, bias: Tensor | None) -> None:
        self._weight, scale = quantize_rows(weight)
        self._scale, self._bias = scale[:, 0], bias

    def __call__(self, X: Tensor) -> Tensor:
        """X (Tensor): (n, in). RETURNS (Tensor): (n, out)."""
        whole, scale = quantize_rows(X)
        Y = torch._int_mm(whole, self._weight.t()).float()
        Y.mul_(scale).mul_(self._scale)
        return Y if self._bias is None else Y.add_(self._bias)

    def add_to(self, start: Tensor, X: Tensor) -> Tensor:
        """RETURNS (Tensor): (n, out)."""
        return self(X).add_(start)


def quantize_rows(X: Tensor) -> tuple[Tensor, Tensor]:
    """RETURNS (Tuple[Tensor, Tensor]): int8 of X's shape, and (n, 1) what a 1 means."""
    scale = X.abs().amax(dim=1, keepdim=True).clamp_min_(1e-30).div_(127)
    return (X / scale).round_().to(torch.int8), scale


def can_pack(weight: Tensor) -> bool:
    """Whether torch can lay out a weight in advance: on a CPU, with oneDNN."""
    known = ("_reorder_linear_weight", "_linear_pointwise")
    return (
        weight.device.type == "cpu"
        and weight.dtype in (torch.float32, torch.bfloat16)
        and weight.numel() > 0
        and torch.backends.mkldnn.is_available()
        and bool(torch.backends.mkldnn.enabled)
        and all(hasattr(torch.ops.mkldnn, name) for name in known)
    )
