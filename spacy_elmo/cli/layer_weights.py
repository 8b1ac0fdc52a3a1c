"""`spacy elmo weights PIPELINE`: how the heads mix the layers."""

from dataclasses import asdict
from typing import Annotated

import srsly
from wasabi import msg

from ..analysis.layer_reader import layer_name
from ..analysis.plots import name_of, plot_layer_weights
from ..pipeline.report import LayerWeights, layer_weights
from ._app import Arg, elmo_cli, failing
from .embed import load_pipeline
from .probe import Figure, Output


@elmo_cli.command("weights")
def weights_cli(
    pipeline: Annotated[str, Arg(help="Trained pipeline, by path or name")],
    output: Output = None,
    figure: Figure = None,
) -> None:
    """
    Print the weight of each layer, and gamma, in the mix of each head: what training
    has found useful. The weights of a mix sum to 1.
    """
    with failing():
        mixes = layer_weights(load_pipeline(pipeline, None, "en"))
        if not mixes:
            raise ValueError(f"{pipeline}: no head mixes ELMo layers.")
        if figure is not None:
            plot_layer_weights(mixes, figure)
    if output is not None:
        srsly.write_json(output, [asdict(mix) for mix in mixes])
    print_layer_weights(mixes)


def print_layer_weights(mixes: list[LayerWeights]) -> None:
    """Print a line for each mix."""
    layers = sorted({layer for mix in mixes for layer in mix.layers})
    rows = []
    for mix in mixes:
        weights = dict(zip(mix.layers, mix.weights))
        cells = [f"{weights[k]:.3f}" if k in weights else "" for k in layers]
        rows.append([name_of(mix), *cells, f"{mix.gamma:.3f}"])
    header = ["head", *map(layer_name, layers), "gamma"]
    aligns = ["l", *"r" * (len(header) - 1)]
    msg.table(rows, header=header, divider=True, aligns=aligns)
