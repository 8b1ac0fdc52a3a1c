"""Matrix products in fewer bits: bfloat16, and integers of 8 bits."""

from functools import cache

import torch
from torch import Tensor
from torch.nn import functional as F

from .packing import PackedProduct, PlainProduct, can_pack, round_rows

#: Numbers of a weight from which, and rows above which, packed integers are the faster.
PACKED_SIZE, FEW_ROWS = 1 << 20, 4


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
        if weight.numel() >= PACKED_SIZE and can_pack(weight) and packs_integers():
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
def multiplies_integers() -> bool:
    """Whether torch multiplies 8-bit integers here, and without error.

    Processors without instructions for it (VNNI) add pairs of products in 16 bits,
    which overflow.
    """
    if not hasattr(torch, "_int_mm"):
        return False
    X, W, expected = _extremes()
    return torch.equal(torch._int_mm(X, W.t()).float(), expected)


@cache
def packs_integers() -> bool:
    """Whether `PackedIntegers` works here, and without error."""
    if not hasattr(torch.ops.onednn, "qlinear_pointwise"):
        return False
    X, W, expected = _extremes()
    try:
        found = PackedIntegers(W, torch.ones(len(W)))(X)
    except RuntimeError:
        return False
    return torch.equal(found, expected)


def _extremes() -> tuple[Tensor, Tensor, Tensor]:
    """Rows of 8-bit integers, a weight, and their product."""
    signs = torch.tensor([127, -127], dtype=torch.int8)
    X = signs.repeat_interleave(8)[:, None].expand(16, 512).contiguous()
    W = signs.repeat_interleave(128)[:, None].expand(256, 512).contiguous()
    return X, W, X.float() @ W.float().t()


def quantize_rows(X: Tensor) -> tuple[Tensor, Tensor]:
    """RETURNS (Tuple[Tensor, Tensor]): int8 of X's shape, and (n, 1) what a 1 means."""
    scale = X.abs().amax(dim=1, keepdim=True).clamp_min_(1e-30).div_(127)
    return (X / scale).round_().to(torch.int8), scale
