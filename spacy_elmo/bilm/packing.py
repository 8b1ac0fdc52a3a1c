"""Matrix products by a weight that is laid out once for the processor."""

from typing import Protocol

import torch
from torch import Tensor
from torch.nn import functional as F

#: Floats that a row is filled up to a multiple of. A plain product also rounds a row by
#: where in memory it starts.
ROW_ALIGNMENT = 4
#: Bytes of a small weight. Calling a packed product costs much beside multiplying one
#: row by it, so that row goes without; and the cache holds it for both directions.
SMALL_WEIGHT = 4 << 20


class Product(Protocol):
    """X · Wᵀ + b, for one weight and many X.

    With the number of rows fixed, a row's bits depend neither on its place nor on the
    other rows.
    """

    def __call__(self, X: Tensor) -> Tensor:
        """X (Tensor): (n, in). RETURNS (Tensor): (n, out)."""

    def add_to(self, start: Tensor, X: Tensor, *, out: Tensor) -> Tensor:
        """RETURNS (Tensor): out (n, out), now start + X · Wᵀ, without the bias."""


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
    """float32 or bfloat16 by oneDNN, which is part of torch.

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


def round_rows(n: int) -> int:
    """The next of 1, 2, ... 16, 18, ... 32, 36, ... 64: eight for each doubling."""
    step = 1 << max(0, (n - 1).bit_length() - 4)
    return -(-n // step) * step


def can_pack(weight: Tensor) -> bool:
    """Whether torch can lay out a weight in advance: on a CPU, with oneDNN."""
    known = ["_reorder_linear_weight", "_linear_pointwise"]
    if weight.dtype == torch.bfloat16:
        known.append("_is_mkldnn_bf16_supported")
    return (
        weight.device.type == "cpu"
        and weight.dtype in (torch.float32, torch.bfloat16)
        and weight.numel() > 0
        and torch.backends.mkldnn.is_available()
        and bool(torch.backends.mkldnn.enabled)
        and all(hasattr(torch.ops.mkldnn, name) for name in known)
        and (
            weight.dtype == torch.float32
            or bool(torch.ops.mkldnn._is_mkldnn_bf16_supported())
        )
    )
