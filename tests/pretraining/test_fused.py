"""What runs on a GPU, tried on the CPU: torch's LSTM, 16 bits, scaled losses."""

from pathlib import Path

import pytest
import torch
from thinc.api import Config

from spacy_elmo.bilm.lstm import ProjectedLSTM
from spacy_elmo.pretraining import network, session
from spacy_elmo.pretraining.checkpoints import Checkpoints
from spacy_elmo.pretraining.fused import can_fuse, run_fused_layer
from spacy_elmo.pretraining.optimization import Updater, build_optimizer
from spacy_elmo.pretraining.recurrence import run_layer
from spacy_elmo.pretraining.settings import SECTION, Adam, PretrainingSettings

from .test_network import VARIANTS, make_batcher, make_bilm
from .util import Recorder, make_config, write_text

ACTIVE = [3, 3, 2, 1]
FUSED = {name: VARIANTS[name] for name in ("plain", "three_layers_no_skip", "words")}
FUSED["no_projection"] = {"cell_dim": 8}
SENTENCES = [["ab", "cat"], [], ["a", "b", "c", "d", "é" * 20]]


def make_layers(**sizes) -> tuple[ProjectedLSTM, ProjectedLSTM]:
    bilm = make_bilm(**sizes).float()
    layers = (bilm.forward_lstm.layers[0], bilm.backward_lstm.layers[0])
    assert all(isinstance(layer, ProjectedLSTM) for layer in layers)
    return layers  # type: ignore[return-value]


@pytest.mark.parametrize("sizes", [{}, {"cell_dim": 8}], ids=["projected", "plain"])
def test_a_fused_layer_is_our_layer(sizes: dict):
    layers = make_layers(forget_bias=1.0, **sizes)
    cell = len(layers[0].bias) // 4
    state = (torch.randn(2, 3, 8), torch.randn(2, 3, cell))
    results = []
    for run in (run_layer, run_fused_layer):
        torch.manual_seed(0)
        X = torch.randn(2, sum(ACTIVE), 8, requires_grad=True)
        Y, ends = run(*layers, X, ACTIVE, state)
        inputs = [X, *layers[0].parameters(), *layers[1].parameters()]
        gradients = torch.autograd.grad((Y * torch.randn_like(Y)).sum(), inputs)
        results.append([Y, *ends, *gradients])
        assert not any(end.requires_grad for end in ends)
    for ours, fused in zip(*results):
        torch.testing.assert_close(fused, ours, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("sizes", FUSED.values(), ids=FUSED)
def test_a_fused_network_is_our_network(sizes: dict, monkeypatch: pytest.MonkeyPatch):
    bilm = make_bilm(**sizes).float()
    batch = make_batcher(bilm).from_sentences(SENTENCES)
    parameters = list(bilm.parameters())
    results = []
    for fuses in (False, True):
        monkeypatch.setattr(network, "can_fuse", lambda *_, answer=fuses: answer)
        tops, ends = network.read_tops(bilm, batch)
        torch.manual_seed(1)
        loss = (tops * torch.randn_like(tops)).sum()
        states = [tensor for end in ends for tensor in end]
        results.append([tops, *states, *torch.autograd.grad(loss, parameters)])
    for ours, fused in zip(*results):
        torch.testing.assert_close(fused, ours, rtol=1e-5, atol=1e-5)


def test_the_cpu_never_takes_the_fused_layer():
    forward, _ = make_layers()
    assert not can_fuse(forward, torch.zeros(2, 9, 8), ACTIVE, 3)


class OnGPU:
    is_cuda = True


@pytest.mark.parametrize(
    "sizes, n_stretches, expected",
    [
        ({}, 3, True),
        ({"cell_clip": 3.0}, 3, False),
        ({"projection_clip": 3.0}, 3, False),
        # Without a projection there is nothing to clip.
        ({"cell_dim": 8, "projection_clip": 3.0}, 3, True),
        # An empty stretch beside the three.
        ({}, 4, False),
    ],
)
def test_clips_and_empty_stretches_take_our_layer(
    sizes: dict, n_stretches: int, expected: bool
):
    forward, _ = make_layers(**sizes)
    assert can_fuse(forward, OnGPU(), ACTIVE, n_stretches) is expected  # type: ignore[arg-type]


@pytest.mark.parametrize("fuses", [True, False])
def test_sixteen_bits_are_near_and_leave_float32_behind(
    fuses: bool, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(network, "can_fuse", lambda *_: fuses)
    bilm = make_bilm().float()
    batch = make_batcher(bilm).from_sentences(SENTENCES)
    exact, _ = network.read_tops(bilm, batch)
    near, ends = network.read_tops(bilm, batch, dtype=torch.bfloat16)
    assert near.dtype == torch.float32
    assert all(h.dtype == c.dtype == torch.float32 for h, c in ends)
    assert not torch.equal(near, exact)
    torch.testing.assert_close(near, exact, rtol=0.05, atol=0.05)
    near.sum().backward()
    gradients = [p.grad for p in bilm.parameters()]
    assert all(g is not None and g.dtype == torch.float32 for g in gradients)


def make_updater(parameter: torch.nn.Parameter) -> Updater:
    settings = Adam(kind="adam", learn_rate=0.1, schedule="constant", grad_clip=None)
    return Updater(settings, [parameter], scales_loss=True)


def test_a_scaled_loss_gives_the_same_weights():
    scaled, plain = (torch.nn.Parameter(torch.ones(3)) for _ in range(2))
    updater = make_updater(scaled)
    optimizer = build_optimizer(updater.settings, [plain])
    weights = torch.tensor([1.0, -2.0, 3.0])
    updater.backward((scaled * weights).sum())
    assert scaled.grad is not None and scaled.grad[0] > 1000
    update = updater.apply(step=0, progress=0.0)
    (plain * weights).sum().backward()
    optimizer.step()
    assert update.grad_norm == pytest.approx(14**0.5)
    torch.testing.assert_close(scaled, plain)


def test_an_overflow_skips_the_step_and_halves_the_scale():
    parameter = torch.nn.Parameter(torch.ones(3))
    updater = make_updater(parameter)
    assert updater.scaler is not None
    scales = [updater.scaler.get_scale()]
    for _ in range(2):
        parameter.grad = torch.full((3,), torch.inf)
        updater.scaler.scale(torch.zeros(()))  # as `backward` does
        update = updater.apply(step=0, progress=0.0)
        assert update.is_skipped and not update.is_finite
        scales.append(updater.scaler.get_scale())
    assert scales == [scales[0], scales[0] / 2, scales[0] / 4]
    assert torch.equal(parameter, torch.ones(3))


def test_the_scale_goes_on_from_a_checkpoint():
    parameter = torch.nn.Parameter(torch.ones(3))
    updater = make_updater(parameter)
    parameter.grad = torch.full((3,), torch.inf)
    assert updater.scaler is not None
    updater.scaler.scale(torch.zeros(()))
    updater.apply(step=0, progress=0.0)
    other = make_updater(parameter)
    other.load_state_dict(updater.state_dict())
    assert other.scaler is not None
    assert other.scaler.get_scale() == updater.scaler.get_scale()


def test_bfloat16_learns_on_a_cpu_and_keeps_float32_weights(tmp_path: Path):
    text = write_text(tmp_path / "text.txt", [["the", "cat", "sat", "on", "it"]] * 60)
    recorder, output = Recorder(), tmp_path / "out"
    config = make_config(text, text, max_epochs=6, precision="bfloat16")
    session.pretrain(config, output, observer=recorder)
    first, *_, last = [e.average for e in recorder.evaluations]
    assert last < 4 < first
    weights = Checkpoints(output / "checkpoints", 2).load(print)["model"]
    assert {w.dtype for w in weights.values() if w.is_floating_point()} == {
        torch.float32
    }


@pytest.mark.parametrize("precision", ["bfloat16", "float16"])
def test_a_training_in_sixteen_bits_learns_and_resumes(
    precision: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """As on a GPU, with what keeps it off the CPU taken away."""
    monkeypatch.setattr(network, "can_fuse", lambda *_: True)
    monkeypatch.setattr(session, "read_settings", read_unchecked)
    text = write_text(tmp_path / "text.txt", [["the", "cat", "sat", "on", "it"]] * 60)
    recorder, output = Recorder(), tmp_path / "out"
    config = make_config(
        text, text, max_epochs=6, max_steps=20, dropout=0.0, precision=precision
    )
    session.pretrain(config, output, observer=recorder)
    scaler = Checkpoints(output / "checkpoints", 2).load(print)["scaler"]
    assert (scaler is not None) == (precision == "float16")
    config["pretraining_elmo"]["max_steps"] = None
    session.pretrain(config, output, resume=True, observer=recorder)
    first, *_, last = [e.average for e in recorder.evaluations]
    assert last < 4 < first


def read_unchecked(config: Config) -> PretrainingSettings:
    return PretrainingSettings.model_validate(dict(config[SECTION]))
