"""Pictures of the results. They need matplotlib."""

import statistics
from pathlib import Path
from typing import Any

from spacy_elmo.analysis.plots import import_pyplot

from .paper import SHARES
from .rows import ROWS
from .runs import Record, by_row, read
from .speed import read_speeds
from .tables import percents

MEASURES = (("tag_acc", "tag accuracy, %"), ("ents_f", "entity F1, %"))
STYLES = {"cnn": ("0.5", "s", "HashEmbedCNN"), "enhanced": ("tab:blue", "o", "+ ELMo")}
#: The rows that are compared; one with too few updates would dwarf the differences.
LOOKS = {
    "words": ("P", "0.7"),
    "cnn": ("s", "0.4"),
    "vectors": ("D", "tab:green"),
    "shared": ("v", "0.6"),
    "pretrained": ("^", "tab:olive"),
    "elmo": ("o", "tab:cyan"),
    "enhanced": ("X", "tab:blue"),
    "vectors-elmo": ("d", "tab:purple"),
    "minilm-long": ("*", "tab:red"),
}


def plot_costs(results: Path, output: Path) -> None:
    """Quality against tokens a second, and against the cost of training."""
    runs, speeds = by_row(read(results)), read_speeds(results)
    shown = [key for key in LOOKS if runs[key] and key in speeds]
    figure, axes = import_pyplot().subplots(
        2, 2, figsize=(9, 7.2), sharex="col", sharey="row", layout="constrained"
    )
    for line, (score, name) in zip(axes, MEASURES):
        for key in shown:
            mark, colour = LOOKS[key]
            quality = statistics.mean(percents(runs[key], score))
            cost = statistics.mean(r["cpu_seconds"] for r in runs[key])
            style = {"marker": mark, "color": colour, "s": 70, "label": _label(key)}
            line[0].scatter(speeds[key], quality, **style)
            line[1].scatter(cost, quality, **style)
        line[0].set_ylabel(name)
        for panel in line:
            _tidy(panel)
    for panel in axes[1]:
        panel.set_xscale("log")
        panel.xaxis.set_major_formatter("{x:,.0f}")
    axes[1][0].set_xlabel("tokens a second, two cores (right: faster)")
    axes[1][1].set_xlabel("training, CPU seconds (left: cheaper)")
    handles, labels = axes[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3, frameon=False)
    figure.savefig(output, dpi=150)


def _label(key: str) -> str:
    label = ROWS[key].label
    return "HashEmbedCNN, pretrained" if key == "pretrained" else label


def plot_efficiency(results: Path, output: Path) -> None:
    """Figure 1 of the paper: scores by the share of sentences, and learning curves."""
    runs = by_row(read(results))
    figure, axes = import_pyplot().subplots(
        2, 2, figsize=(8, 5.6), sharey="row", layout="constrained"
    )
    for column, (line, (score, name)) in enumerate(zip(axes, MEASURES), start=1):
        for base, (colour, mark, label) in STYLES.items():
            style = {"color": colour, "marker": mark, "label": label}
            points = [
                (percent, runs[f"{base}{suffix}"])
                for percent, suffix in SHARES
                if runs[f"{base}{suffix}"]
            ]
            means = [statistics.mean(percents(found, score)) for _, found in points]
            line[0].plot([percent for percent, _ in points], means, **style)
            if runs[base]:
                line[1].plot(*_curve(runs[base], column), **style)
        line[0].set_ylabel(f"{name}")
        line[0].set_xscale("log")
        for panel in line:
            _tidy(panel)
    axes[1][0].set_xticks([percent for percent, _ in SHARES])
    axes[0][0].set_xticks([percent for percent, _ in SHARES])
    for panel in (axes[0][0], axes[1][0]):
        panel.set_xticklabels([f"{percent} %" for percent, _ in SHARES])
        panel.minorticks_off()
    axes[1][0].set_xlabel("training sentences (scores on test)")
    axes[1][1].set_xlabel("updates (scores on dev)")
    axes[0][0].legend(frameon=False)
    figure.savefig(output, dpi=150)


def _curve(runs: list[Record], column: int) -> tuple[list[int], list[float]]:
    """The mean over the seeds; the first point, before any update, is left out."""
    steps = [int(point[0]) for point in runs[0]["curve"][1:]]
    curves = [[point[column] for point in run["curve"][1:]] for run in runs]
    return steps, [statistics.mean(values) for values in zip(*curves)]


def _tidy(panel: Any) -> None:
    panel.grid(alpha=0.3)
    panel.spines[["top", "right"]].set_visible(False)
