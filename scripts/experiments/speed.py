"""Tokens a second of trained pipelines, in turns, since machines have slow spells."""

import json
import statistics
from collections.abc import Collection
from pathlib import Path

from spacy.cli.evaluate import evaluate

from .rows import ROWS
from .runs import Folders, read


def measure_speed(
    folders: Folders, rows: Collection[str] = tuple(ROWS), rounds: int = 3
) -> None:
    """Let the first model of each row tag the test text in turns, and keep medians.

    Rows without a model in the work folder keep the figures they have.
    """
    found = {
        r["row"]: folders.model(r["row"], r["seed"]) / "model-best"
        for r in reversed(read(folders.results))
        if r["row"] in rows
    }
    models = {row: path for row, path in found.items() if path.is_dir()}
    taken: dict[str, list[float]] = {row: [] for row in models}
    for _ in range(rounds):
        for row, path in models.items():
            scores = evaluate(str(path), folders.corpus / "test.spacy", silent=True)
            taken[row].append(scores["speed"])
    medians = {row: round(statistics.median(values)) for row, values in taken.items()}
    text = json.dumps(read_speeds(folders.results) | medians, indent=2)
    _path(folders.results).write_text(text + "\n", encoding="utf8")


def read_speeds(results: Path) -> dict[str, int]:
    """RETURNS (Dict[str, int]): Tokens a second, by row, of those measured."""
    path = _path(results)
    return json.loads(path.read_text(encoding="utf8")) if path.is_file() else {}


def _path(results: Path) -> Path:
    return results.with_suffix(".speed.json")
