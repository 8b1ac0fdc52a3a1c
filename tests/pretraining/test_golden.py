"""bilm-tf's trainer: its batches, losses, gradients, state and two updates."""

from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from spacy_elmo.pretraining.batches import PredictionBatch
from spacy_elmo.pretraining.folder import weights_of
from spacy_elmo.pretraining.language_model import LanguageModel
from spacy_elmo.pretraining.optimization import build_optimizer
from spacy_elmo.pretraining.settings import Adagrad
from spacy_elmo.pretraining.softmax import LinearSoftmax
from spacy_elmo.pretraining.vocabulary import read_vocabulary
from spacy_elmo.pretraining.windows import Streams
from spacy_elmo.weights.allennlp import read_allennlp
from spacy_elmo.weights.allennlp_layout import to_datasets

GOLDEN = Path(__file__).parent.parent / "golden" / "bilm_train"
UNROLL, N_STREAMS = 5, 3
SETTINGS = Adagrad(kind="adagrad", loss_scale=UNROLL, grad_clip=1.0)
EXPECTED: dict[str, NDArray[Any]] = dict(np.load(GOLDEN / "expected.npz"))


def read_model() -> LanguageModel:
    weights = read_allennlp(GOLDEN / "options.json", GOLDEN / "weights.hdf5")
    softmax = LinearSoftmax(17, weights.config.projection_dim)
    state = {"weight": EXPECTED["softmax/W"], "bias": EXPECTED["softmax/b"]}
    softmax.load_state_dict({k: torch.from_numpy(v) for k, v in state.items()})
    return LanguageModel(
        weights.to_model(), softmax, read_vocabulary(GOLDEN / "vocab.txt")
    )


def read_batches(model: LanguageModel) -> list[PredictionBatch]:
    lines = (GOLDEN / "text.txt").read_text(encoding="utf8").splitlines()
    windows = Streams.from_size(N_STREAMS).windows(
        [line.split() for line in lines], unroll=UNROLL, is_last=False
    )
    batcher = model.batcher
    return [batcher.from_stretches(*window) for window in islice(windows, 3)]


def named_arrays(model: LanguageModel, tensors: dict[str, Any]) -> dict[str, Any]:
    """Parameters or gradients by the names of the hdf5 file."""
    copied = read_model()
    copied.load_state_dict(tensors)
    datasets = to_datasets(weights_of(copied).state, copied.bilm.config)
    softmax = {"softmax/W": copied.softmax.weight, "softmax/b": copied.softmax.bias}
    tensors = datasets | softmax
    return {name: tensor.detach().numpy() for name, tensor in tensors.items()}


@pytest.mark.parametrize("i", range(3))
def test_windows_hold_the_reference_readers_batches(i: int):
    batch = read_batches(read_model())[i]
    for direction, suffix in enumerate(("", "_reverse")):
        # Ours is step by step, theirs stream by stream; no +1 on their characters.
        targets = batch.targets[direction].reshape(UNROLL, N_STREAMS).T
        assert np.array_equal(targets, EXPECTED[f"batch{i}/next_token_id{suffix}"])
        ids = batch.ids[batch.words[direction]] - 1
        ids = ids.reshape(UNROLL, N_STREAMS, -1).transpose(0, 1)
        assert np.array_equal(ids, EXPECTED[f"batch{i}/tokens_characters{suffix}"])


def test_losses_gradient_norms_and_carried_states():
    model, state = read_model(), None
    for i, batch in enumerate(read_batches(model)):
        model.zero_grad()
        nll, _ = model.nll(batch, state)
        loss, state = model.loss(batch, state=state)
        loss = loss / batch.n_predictions
        (loss * UNROLL).backward()
        losses = [*nll.mean(dim=1).tolist(), loss.item()]
        assert losses == pytest.approx(
            EXPECTED[f"noupdate/batch{i}_losses_fwd_bwd_total"].tolist(), rel=1e-6
        )
        gradients = [p.grad.flatten() for p in model.parameters() if p.grad is not None]
        if i < 2:
            norm = EXPECTED[f"noupdate/batch{i}_grad_global_norm"]
            assert torch.cat(gradients).norm().item() == pytest.approx(norm, rel=1e-5)
    assert state is not None
    for k in range(8):
        direction, layer, is_h = k // 4, (k // 2) % 2, k % 2
        found = state[layer][0 if is_h else 1][direction]
        expected = EXPECTED[f"noupdate/final_state_{k}"]
        assert np.allclose(found, expected, atol=2e-6)


def test_gradients_of_every_weight():
    model = read_model()
    first, second, _ = read_batches(model)
    _, state = model.loss(first)
    loss, _ = model.loss(second, state=state)
    (loss / second.n_predictions * UNROLL).backward()
    tensors = {name: p.grad for name, p in model.named_parameters()}
    for name, found in named_arrays(model, tensors).items():
        expected = EXPECTED[f"grad_batch1/{name}"]
        assert np.allclose(found, expected, atol=2e-6), name


def test_two_updates():
    model, state = read_model(), None
    parameters = list(model.parameters())
    optimizer = build_optimizer(SETTINGS, parameters)
    batches = read_batches(model)
    for i, batch in enumerate(batches[:2]):
        optimizer.zero_grad()
        loss, state = model.loss(batch, state=state)
        loss = loss / batch.n_predictions
        (loss * SETTINGS.loss_scale).backward()
        torch.nn.utils.clip_grad_norm_(parameters, SETTINGS.grad_clip or 0)
        optimizer.step()
        assert loss.item() == pytest.approx(EXPECTED[f"train/step{i}_loss"], rel=1e-6)
    loss, _ = model.loss(batches[2], state=state)
    loss = loss / batches[2].n_predictions
    assert loss.item() == pytest.approx(
        EXPECTED["train/loss_batch2_after_2_steps"], rel=1e-6
    )
    for name, found in named_arrays(model, model.state_dict()).items():
        expected = EXPECTED[f"train/after_2_steps/{name}"]
        assert np.allclose(found, expected, atol=1e-6), name
