"""Pictures of what was found. They need matplotlib."""

import math
import statistics
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..pipeline.report import LayerWeights
from .layer_reader import layer_name
from .results import Results, spread
from .sense_map import OTHER, UNKNOWN, SenseMap

BASELINE, BILM = "0.7", "tab:blue"


def plot_results(results: Results, path: str | Path) -> None:
    """Draw the first column of a table as bars, with standard deviations.

    RAISES (ImportError): matplotlib is missing.
    """
    plt, (column, *_), rows = import_pyplot(), results.columns, results.rows
    scores = [row.scores[column] for row in rows]
    heights = [100 * statistics.mean(values) for values in scores]
    deviations = [100 * (spread(values) or math.nan) for values in scores]
    figure, axes = plt.subplots(figsize=(6.5, 0.9 + 0.35 * len(rows)))
    bars = axes.barh(
        [row.name for row in rows],
        heights,
        xerr=deviations,
        color=[BASELINE if row.is_baseline else BILM for row in rows],
        error_kw={"capsize": 2, "elinewidth": 1},
    )
    axes.bar_label(bars, fmt="%.1f", padding=4, fontsize=8)
    axes.invert_yaxis()
    axes.set_xlim(0, 1.12 * max(*heights, 1))
    axes.set_xlabel(f"{results.task}: {column}, %")
    axes.spines[["top", "right"]].set_visible(False)
    _save(figure, path)


def plot_layer_weights(mixes: Sequence[LayerWeights], path: str | Path) -> None:
    """Draw one group of bars a head, one bar a layer (Peters et al. 2018, Figure 2).

    RAISES (ImportError): matplotlib is missing.
    """
    plt = import_pyplot()
    layers = sorted({layer for mix in mixes for layer in mix.layers})
    figure, axes = plt.subplots(figsize=(2.5 + 1.6 * len(mixes), 3.2))
    width = 0.8 / len(layers)
    for i, layer in enumerate(layers):
        heights = [dict(zip(mix.layers, mix.weights)).get(layer, 0) for mix in mixes]
        places = np.arange(len(mixes)) + (i - (len(layers) - 1) / 2) * width
        bars = axes.bar(places, heights, width=width * 0.92, label=layer_name(layer))
        axes.bar_label(bars, fmt="%.2f", fontsize=8, padding=1)
    names = [f"{name_of(mix)}\nγ = {mix.gamma:.2f}" for mix in mixes]
    axes.set_xticks(range(len(mixes)), names)
    axes.set_ylabel("weight in the mix")
    axes.set_ylim(0, 1.12 * max(w for mix in mixes for w in mix.weights))
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, fontsize=8, loc="lower center", bbox_to_anchor=(0.5, 1))
    _save(figure, path)


def name_of(mix: LayerWeights) -> str:
    """What a mix is called: its component, and the place if that has several."""
    place = mix.place.removeprefix("elmo_")
    return f"{mix.component}, {place}" if place == "output" else mix.component


def plot_senses(found: SenseMap, path: str | Path) -> None:
    """Draw a map of one word's occurrences for each biLSTM layer, coloured by sense.

    RAISES (ImportError): matplotlib is missing.
    """
    plt, n_layers = import_pyplot(), len(found.places)
    senses = np.asarray(found.senses)
    figure, panels = plt.subplots(
        1, n_layers, figsize=(4.2 * n_layers + 2, 4), squeeze=False
    )
    for number, (axes, places) in enumerate(zip(panels[0], found.places), 1):
        for sense, n in _by_frequency(found.senses):
            x, y = places[:-1][senses == sense].T
            colour = BASELINE if sense in (OTHER, UNKNOWN) else None
            axes.scatter(x, y, s=10, alpha=0.8, label=f"{sense} ({n})", color=colour)
        style = {"s": 180, "marker": "*", "color": "black", "edgecolor": "white"}
        axes.scatter(*places[-1], **style, label="your sentence")
        axes.set_title(f"“{found.word}”, {layer_name(number)}", fontsize=10)
        axes.set_xticks([])
        axes.set_yticks([])
    handles, labels = panels[0][0].get_legend_handles_labels()
    figure.legend(
        handles, labels, frameon=False, fontsize=8, loc="center left",
        bbox_to_anchor=(1, 0.5),
    )  # fmt: skip
    _save(figure, path)


def _by_frequency(senses: list[str]) -> list[tuple[str, int]]:
    """The most frequent first, those without a colour of their own at the end."""
    counted = Counter(senses).most_common()
    return sorted(counted, key=_is_grey)


def _is_grey(counted: tuple[str, int]) -> bool:
    return counted[0] in (OTHER, UNKNOWN)


def import_pyplot() -> Any:
    """RAISES (ImportError): matplotlib is missing; says how to get it."""
    try:
        import matplotlib
    except ImportError as error:
        raise ImportError(
            "A picture needs matplotlib: pip install 'spacy-elmo[plots]'."
        ) from error
    matplotlib.use("Agg")
    from matplotlib import pyplot

    return pyplot


def _save(figure: Any, path: str | Path) -> None:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    figure.tight_layout()
    figure.savefig(path, dpi=150, bbox_inches="tight")
    import_pyplot().close(figure)
