"""What a sentence's layers depend on, and what not."""

import numpy as np
import pytest
import torch
from torch import nn

from spacy_elmo.bilm import BiLM, BiLMConfig
from spacy_elmo.bilm.lstm import ProjectedLSTM
from tests.golden_elmo import SENTENCES, GoldenModel

TINY = {"char_dim": 3, "filters": ((1, 4), (3, 5)), "cell_dim": 7, "projection_dim": 4}


def layers_of(bilm: BiLM, sentences: list[list[str]]) -> list[np.ndarray]:
    batch = bilm.collate(sentences)
    with torch.no_grad():
        layers, _ = bilm(batch)
    return [part.numpy() for part in layers.split(batch.lengths.tolist(), dim=1)]


def test_same_call_same_bits() -> None:
    bilm = GoldenModel("relu_hw2").bilm()
    first, _ = layers_of(bilm, SENTENCES), layers_of(bilm, SENTENCES[:3])
    for before, after in zip(first, layers_of(bilm, SENTENCES), strict=True):
        assert np.array_equal(before, after)


@pytest.mark.parametrize("size", [1, 3, 16])
def test_batch_mates_do_not_matter(size: int) -> None:
    bilm = GoldenModel("relu_hw2").bilm()
    alone = [layers_of(bilm, [words])[0] for words in SENTENCES]
    for start in range(0, len(SENTENCES), size):
        batch = SENTENCES[start : start + size][::-1]
        for ours, theirs in zip(layers_of(bilm, batch)[::-1], alone[start:]):
            np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-5)


def test_a_token_vector_without_positive_values_stays() -> None:
    """reports B10: AllenNLP's cached path masks such a word out."""
    bilm = GoldenModel("relu_hw2").bilm()
    encoder = bilm.token_encoder
    nn.init.zeros_(encoder.projection.weight)
    nn.init.constant_(encoder.projection.bias, -0.1)
    layers = layers_of(bilm, [["a", "b"]])[0]
    assert layers.shape[1] == 4
    assert np.allclose(layers[0], -0.1)


def test_layer_0_is_the_token_vector_twice() -> None:
    layers = layers_of(BiLM(BiLMConfig(**TINY)), [["one", "two"]])[0]
    assert np.array_equal(layers[0, :, :4], layers[0, :, 4:])


def test_fewer_layers_are_the_first_ones() -> None:
    bilm = BiLM(BiLMConfig(**TINY))
    batch = bilm.collate([["one", "two"]])
    every, _ = bilm(batch)
    for n_layers in (0, 1):
        some, state = bilm(batch, n_layers=n_layers)
        assert torch.equal(some, every[: n_layers + 1])
        assert [len(direction) for direction in state] == [n_layers, n_layers]


def test_state_carries_a_text_on() -> None:
    """Half a text, then the other half from the state: the forward half is the same."""
    lstm = ProjectedLSTM(BiLMConfig(**TINY))
    X = torch.randn(6, 4)
    whole, end = lstm(X, [1] * 6, lstm.zero_state(1))
    first, middle = lstm(X[:2], [1] * 2, lstm.zero_state(1))
    second, last = lstm(X[2:], [1] * 4, middle)
    torch.testing.assert_close(torch.cat([first, second]), whole)
    torch.testing.assert_close(last, end)


def test_without_clips_it_is_torchs_lstm() -> None:
    lstm = ProjectedLSTM(BiLMConfig(**TINY, forget_bias=0.0))
    theirs = nn.LSTM(4, 7, proj_size=4)
    with torch.no_grad():
        theirs.weight_ih_l0.copy_(lstm.input_weight)
        theirs.weight_hh_l0.copy_(lstm.recurrent_weight)
        theirs.weight_hr_l0.copy_(lstm.projection)
        theirs.bias_ih_l0.zero_()
        theirs.bias_hh_l0.zero_()
    X = torch.randn(5, 4)
    ours, _ = lstm(X, [1] * 5, lstm.zero_state(1))
    torch.testing.assert_close(ours, theirs(X)[0])


def test_dropout_is_an_argument_alone() -> None:
    bilm = BiLM(BiLMConfig(**TINY))
    assert bilm.training
    batch = bilm.collate([["one", "two", "three"]])
    plain, _ = bilm(batch)
    assert torch.equal(bilm(batch)[0], plain)
    dropped, _ = bilm(batch, dropout=0.5)
    assert not torch.equal(dropped[1:], plain[1:])


@pytest.mark.parametrize("changes", [{}, {"cell_clip": 0.1, "projection_clip": 0.05}])
def test_gradients_match_finite_differences(changes: dict[str, float]) -> None:
    torch.manual_seed(0)
    bilm = BiLM(BiLMConfig(**TINY, n_highway=1, **changes)).double()
    batch = bilm.collate([["ab", "c"], ["d"], []])
    names = [name for name, _ in bilm.named_parameters()]
    wanted = torch.randn(bilm(batch)[0].shape, dtype=torch.float64)

    def loss(*values: torch.Tensor) -> torch.Tensor:
        parameters = dict(zip(names, values, strict=True))
        layers, _ = torch.func.functional_call(bilm, parameters, (batch,))
        return (layers * wanted).sum()

    values = tuple(p.detach().clone().requires_grad_() for p in bilm.parameters())
    assert torch.autograd.gradcheck(loss, values, eps=1e-6, atol=1e-5, fast_mode=True)
