"""Products of 8-bit integers, laid out in advance or not."""

from collections.abc import Iterator

import pytest
import torch

from spacy_elmo.bilm import low_precision
from spacy_elmo.bilm.low_precision import (
    HalfProduct,
    PackedIntegers,
    QuantizedProduct,
)
from spacy_elmo.bilm.packing import can_pack
from spacy_elmo.bilm.product import check_precision


@pytest.fixture(autouse=True)
def processor() -> Iterator[None]:
    """Nothing that a test pretends about the processor is remembered."""
    known = low_precision.packs_integers, low_precision.multiplies_integers
    for test in known:
        test.cache_clear()
    yield
    for test in known:
        test.cache_clear()


def quantized(
    monkeypatch: pytest.MonkeyPatch, n_inputs: int = 20, *, sign: bool = True
) -> QuantizedProduct:
    monkeypatch.setattr(low_precision, "PACKED_SIZE", 0)
    generator = torch.Generator().manual_seed(0)
    weight = torch.randn(60, n_inputs, generator=generator)
    bias = torch.randn(60, generator=generator)
    return QuantizedProduct(weight if sign else weight.abs(), bias)


@pytest.mark.skipif(not low_precision.packs_integers(), reason="no instructions for it")
@pytest.mark.parametrize("n_rows", [5, 16, 33])
@pytest.mark.parametrize("n_inputs, sign", [(20, True), (4096, False)])
def test_packed_integers_give_the_same_bits(
    n_rows: int, n_inputs: int, sign: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    X = torch.randn(n_rows, n_inputs, generator=torch.Generator().manual_seed(1))
    X = X if sign else X.abs()
    packed = quantized(monkeypatch, n_inputs, sign=sign)
    monkeypatch.setattr(low_precision, "packs_integers", lambda: False)
    plain = quantized(monkeypatch, n_inputs, sign=sign)
    assert packed._packed is not None and plain._packed is None
    assert torch.equal(packed(X), plain(X))


def test_integers_that_overflow_are_not_packed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Without VNNI, oneDNN adds pairs of products in 16 bits."""
    sums = torch.full((16, 256), 32767.0 * 256)
    monkeypatch.setattr(PackedIntegers, "__init__", lambda *_: None)
    monkeypatch.setattr(PackedIntegers, "__call__", lambda *_: sums)
    assert not low_precision.packs_integers()
    assert quantized(monkeypatch)._packed is None


def test_integers_that_nothing_can_pack(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise NotImplementedError("onednn::qlinear_prepack")

    monkeypatch.setattr(PackedIntegers, "__init__", fail)
    assert quantized(monkeypatch)._packed is None


def test_a_processor_whose_integers_overflow_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def overflow(X: torch.Tensor, W: torch.Tensor) -> torch.Tensor:
        return torch.full((len(X), W.shape[1]), 32767 * 256, dtype=torch.int32)

    monkeypatch.setattr(torch, "_int_mm", overflow)
    with pytest.raises(ValueError, match="without overflow"):
        check_precision("int8", torch.device("cpu"))


def test_bfloat16_that_onednn_does_not_know_is_not_packed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """On a processor of AVX2 alone, laying out such a weight raised."""
    monkeypatch.setattr(torch.ops.mkldnn, "_is_mkldnn_bf16_supported", lambda: False)
    assert not can_pack(torch.ones(1, 1, dtype=torch.bfloat16))
    X, W = torch.randn(3, 5), torch.randn(4, 5)
    found = HalfProduct(W, None)(X)
    torch.testing.assert_close(found, X @ W.t(), rtol=0.05, atol=0.05)
