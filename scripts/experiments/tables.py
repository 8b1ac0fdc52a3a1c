"""Results as Markdown tables: mean ± standard deviation over the seeds."""

import statistics
from collections.abc import Iterator
from pathlib import Path

from .rows import BASELINE, ROWS
from .runs import Record, by_row, read
from .speed import read_speeds

SCORES = ("tag_acc", "ents_f")


def comparison(results: Path) -> Iterator[str]:
    """Scores, change of the error against the baseline, speed, and learned mixes."""
    runs, speeds = by_row(read(results)), read_speeds(results)
    yield (
        "| | seeds | tags | error | entities F1 | error | tokens/s "
        "| learned: tagger | learned: NER |"
    )
    yield "|---|---|---|---|---|---|---|---|---|"
    for key in ROWS:
        if not runs[key]:
            continue
        cells = [ROWS[key].label, seeds(runs[key]), *scores(runs[key], runs[BASELINE])]
        cells.append(f"{speeds[key]:,}" if key in speeds else "")
        cells += [learned(runs[key], head) for head in ("tagger", "ner")]
        yield line(*cells)


def line(*cells: str) -> str:
    """RETURNS (str): A line of a Markdown table."""
    return "| " + " | ".join(cells) + " |"


def scores(runs: list[Record], base: list[Record]) -> Iterator[str]:
    """YIELDS (str): Two cells for each score: it, and the change of the error."""
    for score in SCORES:
        yield spread(percents(runs, score))
        yield reduction(runs, base, score)


def seeds(runs: list[Record]) -> str:
    """RETURNS (str): Which seeds have run."""
    return ", ".join(str(run["seed"]) for run in runs)


def percents(runs: list[Record], score: str) -> list[float]:
    """RETURNS (List[float]): A score of each run, in percent."""
    return [100 * run[score] for run in runs]


def spread(values: list[float]) -> str:
    """RETURNS (str): The mean, and with several values the deviation."""
    mean = statistics.mean(values)
    return (
        f"{mean:.2f} ± {statistics.stdev(values):.2f}" if values[1:] else f"{mean:.2f}"
    )


def reduction(runs: list[Record], base: list[Record], score: str) -> str:
    """RETURNS (str): The change of the error against the baseline, in percent of it."""
    if not base:
        return ""
    error = 100 - statistics.mean(percents(base, score))
    change = (100 - statistics.mean(percents(runs, score))) / error - 1
    return f"{100 * change:+.1f} %" if abs(change) > 1e-9 else ""


def learned(runs: list[Record], head: str) -> str:
    """RETURNS (str): Effective layer weights of a head, and gamma after the ×."""
    found = [run["learned"][head] for run in runs if head in run["learned"]]
    if not found:
        return ""
    *weights, gamma = (statistics.mean(values) for values in zip(*found))
    return " ".join(f"{w:.2f}" for w in weights) + f" × {gamma:.2f}"
