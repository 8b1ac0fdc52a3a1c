"""`spacy elmo convert`, `fill-config` and `info`: weights from anywhere."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import spacy
from spacy.language import Language
from thinc.api import Config
from wasabi import msg

from ..pipeline.elmo import Elmo
from ..pipeline.report import layer_weights
from ..weights.allennlp_export import write_allennlp
from ..weights.blank import blank
from ..weights.describe import describe, fill_config
from ..weights.detect import read_weights
from ..weights.native import write_native
from ._app import Arg, Opt, elmo_cli, failing


@elmo_cli.command("convert")
def convert_cli(
    source: Annotated[Path, Arg(help="Folder of weights, in any form")],
    output: Annotated[Path, Arg(help="Folder to write")],
    pipeline: Annotated[
        str | None,
        Opt("--pipeline", "-p", help="Write a pipeline of this language instead"),
    ] = None,
    allennlp: Annotated[
        bool, Opt("--allennlp", "-a", help="Write options.json and weights.hdf5")
    ] = False,
) -> None:
    """
    Write weights of any form in our own (config.json, weights.safetensors), in
    AllenNLP's, or as a pipeline that `spacy.load` opens.
    """
    with failing():
        if pipeline is not None:
            blank(pipeline, weights=source).to_disk(output)
        elif allennlp:
            write_allennlp(read_weights(source), output)
        else:
            write_native(read_weights(source), output)
    msg.good(f"Wrote {output}")


@elmo_cli.command("fill-config")
def fill_config_cli(
    base: Annotated[Path, Arg(help="Config to fill", exists=True, dir_okay=False)],
    output: Annotated[Path, Arg(help="Config to write")],
    weights: Annotated[Path, Opt("--weights", "-w", help="Folder of weights")],
    component: Annotated[
        str, Opt("--component", "-c", help="Name of the component")
    ] = "elmo",
) -> None:
    """
    Write the sizes of weights into [components.elmo.model], and their loader into
    [initialize.components.elmo].
    """
    with failing():
        config = Config().from_disk(base, interpolate=False)
        fill_config(config, read_weights(weights), weights, component).to_disk(output)
    msg.good(f"Wrote {output}")


@elmo_cli.command("info")
def info_cli(
    path: Annotated[Path, Arg(help="Folder of weights, or a pipeline")],
    as_json: Annotated[bool, Opt("--json", help="Print JSON")] = False,
) -> None:
    """Print sizes, parameters and provenance; of a pipeline also its layer weights."""
    with failing():
        is_pipeline = (path / "config.cfg").is_file()
        figures = (
            describe_pipeline(spacy.load(path))
            if is_pipeline
            else describe(read_weights(path))
        )
    if as_json:
        print(json.dumps(figures, indent=2, ensure_ascii=False))
    else:
        rows = [(name, json.dumps(value)) for name, value in figures.items()]
        msg.table(rows, widths=(14, 100))


def describe_pipeline(nlp: Language) -> dict[str, Any]:
    """What the ELMo components and the mixes of a pipeline are.

    RETURNS (Dict[str, Any]): JSON-ready: for each component its layers, width and
        provenance, and `layer_weights`, a record for each mix.
    """
    components = {
        name: {
            "layers": pipe.layers,
            "width": pipe.width,
            "frozen": pipe.frozen,
            "provenance": pipe.provenance,
        }
        for name, pipe in nlp.components
        if isinstance(pipe, Elmo)
    }
    return {**components, "layer_weights": [asdict(mix) for mix in layer_weights(nlp)]}
