"""Ctrl-C ends a training with a checkpoint."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ..pretraining.util import make_config, make_sentences, write_text

SCRIPT = "import spacy_elmo.cli; from spacy.cli import app; app()"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_with_a_checkpoint(tmp_path: Path, number: signal.Signals):
    text = write_text(tmp_path / "text.txt", make_sentences(100))
    config = make_config(
        text, max_epochs=None, max_steps=10**9, checkpoints={"every_steps": 10**9}
    )
    config.to_disk(tmp_path / "config.cfg")
    output = tmp_path / "out"
    arguments = ["elmo", "pretrain", str(tmp_path / "config.cfg"), str(output)]
    process = subprocess.Popen(
        [sys.executable, "-c", SCRIPT, *arguments], stdout=subprocess.PIPE, text=True
    )
    deadline = time.monotonic() + 60
    while not (output / "metrics.jsonl").is_file() and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(number)
    printed, _ = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Go on with --resume" in printed
    first, last = sorted((output / "checkpoints").glob("step-*.pt"))
    assert first.name == "step-000000000.pt" and last.name > first.name
