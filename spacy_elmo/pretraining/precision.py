"""Arithmetic of 16 bits: what the setting `precision` means.

Matrix products and convolutions are computed in 16 bits; weights, cell states, sums and
evaluations stay in 32. A processor with bfloat16 instructions is several times faster
at the products.
"""

from contextlib import AbstractContextManager, nullcontext

import torch
from torch import Tensor

#: Values of the setting `precision`.
DTYPES = {
    "float32": torch.float32,
    "bfloat16": torch.bfloat16,
    "float16": torch.float16,
}


def in_precision(device: torch.device, dtype: torch.dtype) -> AbstractContextManager:
    """Let torch compute in 16 bits where that is safe; nothing for float32."""
    if dtype == torch.float32:
        return nullcontext()
    return torch.autocast(device.type, dtype)


def product_dtype(X: Tensor, dtype: torch.dtype) -> torch.dtype:
    """What to multiply X in: `dtype` if it is narrower, else what X has."""
    return X.dtype if dtype == torch.float32 else dtype
