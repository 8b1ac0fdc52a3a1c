"""Runs are added once, and again when what they depend on has changed."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab

from spacy_elmo.weights.loaders import BUNDLED

SCRIPT = Path(__file__).parents[2] / "scripts" / "experiment.py"


def write_corpus(folder: Path, name: str) -> None:
    doc = Doc(
        Vocab(),
        words=[name, "visits", "York", "."],
        tags=["NNP", "VBZ", "NNP", "."],
        ents=["B-PER", "O", "B-LOC", "O"],
    )
    folder.mkdir(exist_ok=True)
    for split in ("train", "dev", "test"):
        DocBin(docs=[doc] * 3).to_disk(folder / f"{split}.spacy")


def experiment(*arguments: Any) -> str:
    command = [sys.executable, SCRIPT, *map(str, arguments)]
    process = subprocess.run(command, capture_output=True, text=True)
    assert process.returncode == 0, process.stderr
    return process.stdout


def run(folder: Path, *options: Any) -> list[dict[str, Any]]:
    results = folder / "results.jsonl"
    steps = ("--max-steps", 2, "--eval-frequency", 1, "--seeds", 0)
    experiment("run", folder / "corpus", results, folder, *steps, *options)
    return [json.loads(line) for line in results.read_text().splitlines()]


def test_runs_are_skipped_until_something_changes(tmp_path: Path) -> None:
    write_corpus(tmp_path / "corpus", "Ada")
    (first,) = run(tmp_path, "--rows", "enhanced")
    assert (first["row"], first["seed"], first["weights"]) == (
        "enhanced",
        0,
        BUNDLED.name,
    )
    *weights, gamma = first["learned"]["tagger"]
    assert sum(weights) == pytest.approx(1, abs=0.01) and 0.5 < gamma < 2
    assert run(tmp_path, "--rows", "enhanced") == [first]
    experiment("speed", tmp_path / "corpus", tmp_path / "results.jsonl", tmp_path)
    speeds = json.loads((tmp_path / "results.speed.json").read_text())
    assert speeds.keys() == {"enhanced"} and speeds["enhanced"] > 0
    others = ("--rows", "cnn")
    experiment(
        "speed", tmp_path / "corpus", tmp_path / "results.jsonl", tmp_path, *others
    )
    assert json.loads((tmp_path / "results.speed.json").read_text()) == speeds
    precision = ("precision", tmp_path / "corpus", tmp_path / "results.jsonl", tmp_path)
    *_, exact, bfloat16, int8 = experiment(*precision).splitlines()
    assert "| float32 |" in exact and "| bfloat16 | +0.00 |" in bfloat16
    assert "| int8 | +0.00 |" in int8
    write_corpus(tmp_path / "corpus", "Eve")
    assert len(run(tmp_path, "--rows", "enhanced")) == 2


def test_a_share_of_the_sentences(tmp_path: Path) -> None:
    write_corpus(tmp_path / "corpus", "Ada")
    (record,) = run(tmp_path, "--rows", "cnn-10")
    assert [step for step, _, _ in record["curve"]] == [0, 1, 2]
    sample = DocBin().from_disk(tmp_path / "samples" / "0.1-0.spacy")
    assert len(sample) == 1
