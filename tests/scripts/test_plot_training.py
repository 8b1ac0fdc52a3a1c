"""The curve of a training: perplexity at the tokens seen by then."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "plot_training.py"
RECORDS = [
    {"kind": "training", "step": 10, "tokens": 2_000_000},
    {"kind": "training", "step": 20, "tokens": 4_000_000},
    {"kind": "evaluation", "step": 20, "average": 190.5},
]


def test_a_picture_is_written(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    metrics, picture = tmp_path / "metrics.jsonl", tmp_path / "curve.png"
    metrics.write_text("\n".join(map(json.dumps, RECORDS)), encoding="utf8")
    command = [sys.executable, SCRIPT, picture, f"one={metrics}", f"two={metrics}"]
    subprocess.run(command, check=True)
    assert picture.read_bytes()[:4] == b"\x89PNG"


def test_points(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib")
    monkeypatch.syspath_prepend(SCRIPT.parent)
    from plot_training import read_points

    path = tmp_path / "metrics.jsonl"
    path.write_text("\n".join(map(json.dumps, RECORDS)), encoding="utf8")
    assert read_points(path) == [(4.0, 190.5)]
