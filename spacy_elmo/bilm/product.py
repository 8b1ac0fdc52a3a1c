"""Matrix products by a weight that is laid out once for the processor."""

import sys
from collections.abc import Sequence
from functools import cache
from typing import Literal, Protocol, get_args

import torch
from torch import Tensor
from torch.nn import functional as F

Precision = Literal["float32", "bfloat16", "int8"]

#: Floats that a row is filled up to a multiple of. A plain product also rounds a row by
#: where in memory it starts.
ROW_ALIGNMENT = 4
#: Bytes of a weight up to which calling a packed product costs much beside multiplying
#: one row; such a row goes without.
SMALL_WEIGHT = 4 << 20
#: Rows of 8-bit integers up to which a product that is not packed is the faster one.
FEW_ROWS = 4


class Product(Protocol):
    """X · Wᵀ + b, for one weight and many X.

    In products of equally many rows, a row's bits do not depend on its place, and never
    on what the other rows hold.
    """

    def __call__(self, X: Tensor) -> Tensor:
        """X (Tensor): (n, in). RETURNS (Tensor): (n, out)."""

    def add_to(self, start: Tensor, X: Tensor, *, out: Tensor) -> Tensor:
        """RETURNS (Tensor): out (n, out), now start + X · Wᵀ, without the bias."""


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

    def add_to(self, start: Tensor, X: Tensor, *, out: Tensor) -> Tensor:
        """RETURNS (Tensor): (n, out)."""
        return torch.addmm(start, self._align(X), self._weight.t(), out=out)

    def _align(self, X: Tensor) -> Tensor:
        return F.pad(X, (0, self._missing)) if self._missing else X


class PackedProduct:
    """float32 by oneDNN, which is part of torch.

    A plain product lays the weight out anew each time, which for few rows costs more
    than the arithmetic. The operator is one that torch's compiler uses. oneDNN keeps a
    compiled kernel for each number of rows, so there are few such numbers.
    """

    def __init__(self, weight: Tensor, bias: Tensor | None) -> None:
        self._weight = torch.ops.mkldnn._reorder_linear_weight(weight)
        self._bias = bias

    def __call__(self, X: Tensor) -> Tensor:
        """X (Tensor): (n, in). RETURNS (Tensor): (n, out)."""
        n = len(X)
        rows = round_rows(n)
        if rows > n:
            X = F.pad(X, (0, 0, 0, rows - n))
        run = torch.ops.mkldnn._linear_pointwise
        Y: Tensor = run(X, self._weight, self._bias, "none", [], "")
        return Y[:n] if rows > n else Y

    def add_to(self, start: Tensor, X: Tensor, *, out: Tensor) -> Tensor:
        """RETURNS (Tensor): (n, out)."""
        return torch.add(start, self(X), out=out)


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

    def add_to(self, start: Tensor, X: Tensor, *, out: Tensor) -> Tensor:
        """RETURNS (Tensor): (n, out)."""
        return torch.add(start, self._product(X.bfloat16()), out=out)


class QuantizedProduct:
    """Multiplies 8-bit integers: each row of W and each row of X has its own scale.

    torch's dynamic quantization has one scale for all of X, by which the rows of a
    batch would change each other.
    """

    def __init__(self, weight: Tensor, bias: Tensor | None) -> None:
        whole, scale = quantize_rows(weight)
        self._weight, self._scale = whole.t(), scale[:, 0].contiguous()
        self._packed = None
        if weight.nbytes > SMALL_WEIGHT and packs_integers():
            self._packed = PackedIntegers(whole, self._scale)
        self._bias = torch.zeros_like(self._scale) if bias is None else bias

    def __call__(self, X: Tensor) -> Tensor:
        """X (Tensor): (n, in). RETURNS (Tensor): (n, out)."""
        Y, scale = self._multiply(X)
        return torch.addcmul(self._bias, Y, scale, out=Y)

    def add_to(self, start: Tensor, X: Tensor, *, out: Tensor) -> Tensor:
        """RETURNS (Tensor): (n, out)."""
        Y, scale = self._multiply(X)
        return torch.addcmul(start, Y, scale, out=out)

    def _multiply(self, X: Tensor) -> tuple[Tensor, Tensor]:
        """RETURNS (Tuple[Tensor, Tensor]): (n, out), and (n, 1) its rows' scales."""
        whole, scale = quantize_rows(X)
        n = len(X)
        whole = F.pad(whole, (0, 0, 0, round_rows(n) - n))
        if self._packed is not None and n > FEW_ROWS:
            return self._packed(whole)[:n], scale
        return torch._int_mm(whole, self._weight)[:n].float().mul_(self._scale), scale


class PackedIntegers:
    """X · Wᵀ of 8-bit integers by oneDNN, times what a 1 of each row of W means.

    Its integers of X have no sign, so 128 is added to them, and said to be zero.

    weight (Tensor): (out, in) int8. scale (Tensor): (out,).
    """

    def __init__(self, weight: Tensor, scale: Tensor) -> None:
        self._weight = torch.ops.onednn.qlinear_prepack(weight, None)
        self._scale = scale
        self._zero_points = torch.zeros(len(scale), dtype=torch.int64)

    def __call__(self, X: Tensor) -> Tensor:
        """X (Tensor): (n, in) int8. RETURNS (Tensor): (n, out) float32."""
        shifted = X.view(torch.uint8).bitwise_xor(128)
        Y: Tensor = torch.ops.onednn.qlinear_pointwise(
            *(shifted, 1.0, 128),
            *(self._weight, self._scale, self._zero_points),
            *(None, 1.0, 0, torch.float32, "none", [], ""),
        )
        return Y


@cache
def packs_integers() -> bool:
    """Whether `PackedIntegers` works here, and without error.

    Processors without instructions for it add pairs of products in 16 bits, which
    overflow.
    """
    if not hasattr(torch.ops.onednn, "qlinear_pointwise"):
        return False
    largest = torch.full((8, 64), 127, dtype=torch.int8)
    try:
        found = PackedIntegers(largest, torch.ones(8))(largest)
    except RuntimeError:
        return False
    return bool((found == 127 * 127 * 64).all())


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
            self._weights = weights.transpose(1, 2).contiguous()
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


def round_rows(n: int) -> int:
    """The next of 1, 2, ... 16, 18, ... 32, 36, ... 64: eight for each doubling."""
    step = 1 << max(0, (n - 1).bit_length() - 4)
    return -(-n // step) * step


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
