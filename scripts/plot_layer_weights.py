"""Draw the layer weights that the heads of a pipeline have learned.

python scripts/plot_layer_weights.py PIPELINE OUTPUT.png
"""

import argparse
from pathlib import Path

import spacy

from spacy_elmo import LayerWeights, layer_weights


def plot(mixes: list[LayerWeights], path: Path) -> None:
    """Draw one group of bars a head, one bar a layer."""
    try:
        import matplotlib
    except ImportError as error:
        raise SystemExit(
            "The picture needs matplotlib: pip install 'spacy-elmo[plots]'."
        ) from error
    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    layers = sorted({layer for mix in mixes for layer in mix.layers})
    figure, axes = plt.subplots(figsize=(1.5 + 1.6 * len(mixes), 3.2))
    bar = 0.8 / len(layers)
    for i, layer in enumerate(layers):
        heights = [dict(zip(mix.layers, mix.weights)).get(layer, 0) for mix in mixes]
        places = [
            head + (i - (len(layers) - 1) / 2) * bar for head in range(len(mixes))
        ]
        label = "token layer" if layer == 0 else f"biLSTM layer {layer}"
        bars = axes.bar(places, heights, width=bar * 0.92, label=label)
        axes.bar_label(bars, fmt="%.2f", fontsize=8, padding=1)
    names = [f"{_name(mix)}\nγ = {mix.gamma:.2f}" for mix in mixes]
    axes.set_xticks(range(len(mixes)), names)
    axes.set_ylabel("weight in the mix")
    axes.set_ylim(0, 1.25 * max(w for mix in mixes for w in mix.weights))
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, fontsize=8, ncols=3, loc="upper center")
    figure.tight_layout()
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=150)


def _name(mix: LayerWeights) -> str:
    place = mix.place.removeprefix("elmo_")
    return f"{mix.component}, {place}" if place == "output" else mix.component


def main() -> None:
    """Load a pipeline and draw."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pipeline", help="folder or name of a trained pipeline")
    parser.add_argument("output", type=Path, help="picture to write")
    arguments = parser.parse_args()
    heads = layer_weights(spacy.load(arguments.pipeline))
    if not heads:
        raise SystemExit(f"No head of {arguments.pipeline} mixes ELMo layers.")
    plot(heads, arguments.output)
    print(f"Drawn: {arguments.output}")


if __name__ == "__main__":
    main()
