"""Killed and resumed, a training ends with the bits of one that was left alone.

bilm-tf issues 43, 147, 163, 215, 217: a restart began the data anew.
"""

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import srsly
import torch
from thinc.api import Config

from spacy_elmo.pretraining.reports import EvaluationReport
from spacy_elmo.pretraining.session import pretrain

from .util import Recorder, make_config, make_sentences, write_text

#: Trains, and kills itself after a step.
SCRIPT = """
import os, signal, sys
import torch
from thinc.api import Config
from spacy_elmo.pretraining.reports import EvaluationReport
from spacy_elmo.pretraining.session import pretrain

class Killer:
    def step(self, report):
        if report.step == int(sys.argv[3]):
            os.kill(os.getpid(), signal.SIGKILL)
    def evaluation(self, *_): pass
    def note(self, message): pass

torch.set_num_threads(1)
pretrain(Config().from_disk(sys.argv[1]), sys.argv[2], observer=Killer(),
         resume=sys.argv[4] == "resume")
"""
WINDOWS = {"kind": "windows", "n_streams": 4, "unroll": 5}
KINDS: dict[str, dict[str, Any]] = {
    "sentences": {},
    "windows": {"batches": WINDOWS, "optimizer": {"kind": "adagrad"}},
}


@pytest.fixture(autouse=True)
def one_thread():
    """Bits depend on how many threads share a product."""
    n_threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(n_threads)


def make_text_config(folder: Path, **changes: Any) -> Config:
    files = [
        write_text(folder / f"{i}.txt", make_sentences(80, seed=i)) for i in range(2)
    ]
    dev = write_text(folder / "dev.txt", make_sentences(20, seed=9))
    return make_config(files, dev, **changes)


def kill_at(step: int, config: Config, output: Path, *, resume: bool) -> None:
    path = output.with_suffix(".cfg")
    config.to_disk(path)
    mode = "resume" if resume else "start"
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, path, output, str(step), mode], check=False
    )
    assert done.returncode == -signal.SIGKILL


def last_checkpoint(output: Path) -> dict[str, Any]:
    newest = sorted((output / "checkpoints").glob("*.pt"))[-1]
    return torch.load(newest, weights_only=True)


def assert_equal_bits(ours: Any, theirs: Any) -> None:
    assert type(ours) is type(theirs)
    if isinstance(ours, dict):
        assert ours.keys() == theirs.keys()
        ours, theirs = list(ours.values()), list(theirs.values())
    if isinstance(ours, (list, tuple)):
        assert len(ours) == len(theirs)
        for a, b in zip(ours, theirs):
            assert_equal_bits(a, b)
    elif isinstance(ours, torch.Tensor):
        assert torch.equal(ours, theirs)
    else:
        assert ours == theirs


@pytest.mark.parametrize("changes", KINDS.values(), ids=KINDS)
def test_killed_twice_and_resumed_the_bits_are_the_same(
    tmp_path: Path, changes: dict[str, Any]
):
    config = make_text_config(tmp_path, **changes)
    pretrain(config, tmp_path / "whole")
    kill_at(3, config, tmp_path / "killed", resume=False)  # before any checkpoint
    kill_at(14, config, tmp_path / "killed", resume=True)  # between two
    pretrain(config, tmp_path / "killed", resume=True)
    whole, killed = (last_checkpoint(tmp_path / name) for name in ("whole", "killed"))
    assert whole["progress"]["step"] > 20
    assert_equal_bits(killed, whole)
    for name in ("model-best", "model-last"):
        for file in ("weights.safetensors", "softmax.safetensors"):
            paths = [tmp_path / run / name / file for run in ("whole", "killed")]
            assert paths[0].read_bytes() == paths[1].read_bytes()


def test_metrics_go_on_where_they_were(tmp_path: Path):
    config = make_text_config(tmp_path, max_steps=10)
    stop_after, recorder = 7, Recorder()

    def should_stop() -> bool:
        return len(recorder.steps) == stop_after - 1

    pretrain(config, tmp_path / "out", observer=recorder, should_stop=should_stop)
    path = tmp_path / "out" / "metrics.jsonl"
    path.write_text(path.read_text() + '{"kind": "training", "step": 8}\n')
    pretrain(config, tmp_path / "out", resume=True)
    rows = [row for row in srsly.read_jsonl(path) if row["kind"] == "training"]
    assert [row["step"] for row in rows] == list(range(1, 11))
    assert "tokens" in rows[7]


def test_what_is_left_at_the_end_is_done_on_resume(tmp_path: Path):
    """Stopped after the last step's checkpoint, before the last evaluation."""
    config = make_text_config(tmp_path, max_steps=8)

    class Breaker(Recorder):
        def evaluation(self, report: EvaluationReport) -> None:
            if report.step == 8:
                raise ConnectionError

    with pytest.raises(ConnectionError):
        pretrain(config, tmp_path / "out", observer=Breaker())
    assert last_checkpoint(tmp_path / "out")["progress"]["step"] == 8
    recorder = Recorder()
    assert pretrain(config, tmp_path / "out", resume=True, observer=recorder)
    assert len(recorder.evaluations) == 1
    assert (tmp_path / "out" / "model-last" / "weights.safetensors").is_file()


def test_a_finished_training_has_nothing_left_to_do(tmp_path: Path):
    config = make_text_config(tmp_path, max_steps=5)
    pretrain(config, tmp_path / "out")
    before = last_checkpoint(tmp_path / "out")
    assert pretrain(config, tmp_path / "out", resume=True)
    assert_equal_bits(last_checkpoint(tmp_path / "out"), before)


@pytest.mark.parametrize(
    "changes, problem",
    [
        ({"seed": 5}, "seed: was 0, is 5"),
        ({"model": {"cell_dim": 16}}, "model: was"),
        ({"optimizer": {"kind": "adagrad"}}, "optimizer.kind"),
    ],
)
def test_what_cannot_change_is_refused(
    tmp_path: Path, changes: dict[str, Any], problem: str
):
    pretrain(make_text_config(tmp_path, max_steps=1), tmp_path / "out")
    config = make_text_config(tmp_path, max_steps=2, **changes)
    with pytest.raises(ValueError, match=problem):
        pretrain(config, tmp_path / "out", resume=True)


def test_nothing_to_resume_is_an_error(tmp_path: Path):
    with pytest.raises(FileNotFoundError, match="No training to resume"):
        pretrain(make_text_config(tmp_path), tmp_path / "out", resume=True)


def test_the_position_is_plain_json(tmp_path: Path):
    pretrain(make_text_config(tmp_path, max_steps=5), tmp_path / "out")
    position = json.loads(last_checkpoint(tmp_path / "out")["position"])
    assert position["epoch"] == 0 and position["batch"] > 0
