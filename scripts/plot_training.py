"""Perplexity against tokens seen, of one training or of several.

python scripts/plot_training.py OUTPUT.png NAME=metrics.jsonl [NAME=metrics.jsonl ...]
"""

import argparse
import json
from pathlib import Path

from matplotlib.ticker import ScalarFormatter

from spacy_elmo.analysis.plots import import_pyplot


def main() -> None:
    """Draw a line a training."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("output", type=Path)
    parser.add_argument("trainings", nargs="+", metavar="NAME=FILE")
    arguments = parser.parse_args()
    figure, axes = import_pyplot().subplots(figsize=(6, 3.6), layout="constrained")
    for training in arguments.trainings:
        name, path = training.split("=", 1)
        points = read_points(Path(path))
        axes.plot(*zip(*points), marker="o", label=name)
        millions, perplexity = points[-1]
        axes.annotate(
            f"{perplexity:.0f}",
            (millions, perplexity),
            textcoords="offset points",
            xytext=(0, 7),
            ha="center",
        )
    axes.set_xlabel("million tokens seen")
    axes.set_ylabel("perplexity of held-out text")
    axes.set_yscale("log")
    for axis in (axes.yaxis.set_major_formatter, axes.yaxis.set_minor_formatter):
        axis(ScalarFormatter())
    axes.grid(alpha=0.3, which="both")
    axes.spines[["top", "right"]].set_visible(False)
    if len(arguments.trainings) > 1:
        axes.legend(frameon=False)
    figure.savefig(arguments.output, dpi=150)


def read_points(path: Path) -> list[tuple[float, float]]:
    """RETURNS (List[Tuple[float, float]]): Million tokens and perplexity."""
    lines = path.read_text(encoding="utf8").splitlines()
    records = [json.loads(line) for line in lines]
    tokens = {r["step"]: r["tokens"] for r in records if r["kind"] == "training"}
    return [
        (tokens[r["step"]] / 1e6, r["average"])
        for r in records
        if r["kind"] == "evaluation"
    ]


if __name__ == "__main__":
    main()
