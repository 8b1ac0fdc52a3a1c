"""Products of 8-bit integers, laid out in advance or not."""

from collections.abc import Iterator

import pytest
import torch

from spacy_elmo.bilm import low_precision
from spacy_elmo.bilm.low_precision import PackedIntegers, QuantizedProduct


@pytest.fixture(autouse=True)
def processor() -> Iterator[None]:
    """Nothing that a test pretends about the processor is remembered."""
    low_precision.packs_integers.cache_clear()
    yield
    low_precision.packs_integers.cache_clear()


def quantized(monkeypatch: pytest.MonkeyPatch) -> QuantizedProduct:
    monkeypatch.setattr(low_precision, "SMALL_WEIGHT", 0)
    generator = torch.Generator().manual_seed(0)
    weight = torch.randn(60, 20, generator=generator)
    return QuantizedProduct(weight, torch.randn(60, generator=generator))


def rows(n: int) -> torch.Tensor:
    return torch.randn(n, 20, generator=torch.Generator().manual_seed(n))


@pytest.mark.skipif(not low_precision.packs_integers(), reason="no instructions for it")
@pytest.mark.parametrize("n", [5, 16, 33])
def test_packed_integers_give_the_same_bits(
    n: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    packed = quantized(monkeypatch)
    monkeypatch.setattr(low_precision, "packs_integers", lambda: False)
    plain = quantized(monkeypatch)
    assert packed._packed is not None and plain._packed is None
    assert torch.equal(packed(rows(n)), plain(rows(n)))


def test_integers_that_overflow_are_not_packed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Without VNNI, oneDNN adds pairs of products in 16 bits."""
    sums = torch.full((8, 8), 32767.0 * 32)
    monkeypatch.setattr(PackedIntegers, "__init__", lambda *_: None)
    monkeypatch.setattr(PackedIntegers, "__call__", lambda *_: sums)
    assert not low_precision.packs_integers()
    assert quantized(monkeypatch)._packed is None


def test_integers_that_nothing_can_pack(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise NotImplementedError("onednn::qlinear_prepack")

    monkeypatch.setattr(PackedIntegers, "__init__", fail)
    assert quantized(monkeypatch)._packed is None
