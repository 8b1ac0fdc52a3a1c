"""Losses: exact where they say so, and sampled as the books have it."""

import math

import pytest
import torch
from torch import Tensor
from torch.nn import functional as F

from spacy_elmo.pretraining.sampling import sample_log_uniform
from spacy_elmo.pretraining.softmax import AdaptiveSoftmax, LinearSoftmax

V, P, M = 50, 6, 40


def make_softmax(n_samples: int | None = None) -> LinearSoftmax:
    torch.manual_seed(0)
    softmax = LinearSoftmax(V, P, n_samples).double()
    torch.nn.init.normal_(softmax.bias)
    return softmax


def make_rows() -> tuple[Tensor, Tensor]:
    torch.manual_seed(1)
    H = torch.randn(M, P, dtype=torch.double, requires_grad=True)
    return H, torch.randint(V, (M,))


def gradients(loss: Tensor, H: Tensor, softmax: LinearSoftmax) -> list[Tensor]:
    return list(torch.autograd.grad(loss, [H, softmax.weight, softmax.bias]))


@pytest.mark.parametrize("n_samples", [None, V, V + 1])
@pytest.mark.parametrize("block", [1, 7 * V, 1 << 20])
def test_the_full_loss_is_cross_entropy(
    n_samples: int | None, block: int, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("spacy_elmo.pretraining.softmax.BLOCK_FLOATS", block)
    monkeypatch.setattr("spacy_elmo.pretraining.softmax.MIN_ROWS", 1)
    softmax, (H, targets) = make_softmax(n_samples), make_rows()
    scores = F.linear(H, softmax.weight, softmax.bias)
    expected = F.cross_entropy(scores, targets, reduction="sum")
    loss = softmax.loss(H, targets)
    assert loss.item() == pytest.approx(expected.item(), rel=1e-12)
    for ours, theirs in zip(
        gradients(3 * loss, H, softmax), gradients(3 * expected, H, softmax)
    ):
        assert torch.allclose(ours, theirs, atol=1e-12)


def test_the_sampled_loss_is_corrected_and_leaves_out_accidental_hits():
    """Written out row by row."""
    softmax, (H, targets) = make_softmax(20), make_rows()
    torch.manual_seed(5)
    ids, log_expected = sample_log_uniform(20, V)
    expected = H.new_zeros(())
    for h, target in zip(H, targets.tolist()):
        others = [i for i in ids.tolist() if i != target]
        rows = torch.tensor([target, *others])
        scores = softmax.weight[rows] @ h + softmax.bias[rows] - log_expected[rows]
        expected = expected + scores.logsumexp(0) - scores[0]
    assert set(ids.tolist()) & set(targets.tolist())
    torch.manual_seed(5)
    loss = softmax.loss(H, targets)
    assert loss.item() == pytest.approx(expected.item(), rel=1e-10)
    for ours, theirs in zip(
        gradients(loss, H, softmax), gradients(expected, H, softmax)
    ):
        assert torch.allclose(ours, theirs, atol=1e-10)


def test_scores_of_sixteen_bits_give_a_loss_and_gradients_that_are_near():
    softmax, (H, targets) = make_softmax(20).float(), make_rows()
    H = H.detach().float().requires_grad_()
    results = []
    for dtype in (torch.float32, torch.bfloat16):
        torch.manual_seed(5)
        loss = softmax.loss(H, targets, dtype)
        assert loss.dtype == torch.float32
        results.append([loss, *gradients(loss, H, softmax)])
    for exact, near in zip(*results):
        assert not torch.equal(near, exact)
        torch.testing.assert_close(near, exact, rtol=0.02, atol=0.02)


def test_a_target_that_is_given_no_probability_leaves_the_loss_finite():
    softmax = make_softmax().float()
    with torch.no_grad():
        softmax.bias.zero_()
        softmax.bias[0] = -1000
    loss = softmax.loss(torch.zeros(1, P), torch.tensor([0]))
    assert 80 < loss.item() < 100


def test_samples_are_distinct():
    ids, _ = sample_log_uniform(V - 1, V)
    assert len(set(ids.tolist())) == V - 1
    assert set(ids.tolist()) < set(range(V))


def test_words_are_expected_as_often_as_they_are_drawn():
    torch.manual_seed(0)
    n_draws, counts = 3000, torch.zeros(V)
    expected = torch.zeros(V)
    for _ in range(n_draws):
        ids, log_expected = sample_log_uniform(8, V)
        counts[ids] += 1
        expected += log_expected.exp()
    # Counting tries makes the expectation of TensorFlow's sampler itself random.
    assert torch.allclose(counts / n_draws, expected / n_draws, atol=0.05)
    assert (counts[:10] > counts[20:30]).all()


def test_samples_follow_zipfs_law():
    torch.manual_seed(0)
    first = torch.stack([sample_log_uniform(1, V).ids[0] for _ in range(4000)])
    share = (first == 0).double().mean().item()
    assert share == pytest.approx(math.log(2) / math.log(V + 1), abs=0.03)


def test_nll_is_of_the_whole_distribution_whatever_the_loss():
    softmax, (H, targets) = make_softmax(5), make_rows()
    expected = -softmax.log_probs(H).gather(1, targets[:, None])[:, 0]
    assert torch.allclose(softmax.nll(H, targets), expected)
    assert torch.allclose(softmax.log_probs(H).exp().sum(dim=1), torch.ones(M).double())


def test_nll_of_no_rows_is_empty():
    nothing = torch.zeros(0, P).double(), torch.zeros(0).long()
    assert make_softmax().nll(*nothing).shape == (0,)


def test_the_adaptive_softmax_is_a_distribution_and_trains_on_all_of_it():
    torch.manual_seed(0)
    softmax = AdaptiveSoftmax(V, P, [10, 30], 2.0).double()
    H, targets = make_rows()
    log_probs = softmax.log_probs(H)
    expected = -log_probs.gather(1, targets[:, None])[:, 0]
    assert torch.allclose(log_probs.exp().sum(dim=1), torch.ones(M).double())
    assert torch.allclose(softmax.nll(H, targets), expected)
    assert softmax.loss(H, targets).item() == pytest.approx(expected.sum().item())
