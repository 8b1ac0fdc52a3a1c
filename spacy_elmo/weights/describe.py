"""What weights are, for people and for configs."""

from pathlib import Path
from typing import Any

from thinc.api import Config

from ..bilm import Weights


def describe(weights: Weights) -> dict[str, Any]:
    """Sizes, parameters and provenance.

    RETURNS (Dict[str, Any]): JSON-ready: `sizes`, `width` of a layer, `n_layers` that
        `doc._.elmo` has, `n_parameters`, `vocabulary` and `characters` (how many, or
        None), `provenance`.
    """
    lists = {"vocabulary": weights.vocabulary, "characters": weights.characters}
    return {
        "sizes": weights.config.to_dict(),
        "width": weights.config.width,
        "n_layers": weights.config.n_layers + 1,
        "n_parameters": sum(tensor.numel() for tensor in weights.state.values()),
        **{name: None if x is None else len(x) for name, x in lists.items()},
        "provenance": weights.provenance,
    }


def fill_config(
    config: Config, weights: Weights, path: str | Path, component: str = "elmo"
) -> Config:
    """Write the sizes of weights, and a loader of them, into a config.

    config (Config): With a block [components.<component>].
    path (Union[str, Path]): The folder of the weights, as the loader shall name it.
    RETURNS (Config): A filled copy; its other settings stay as they are.
    RAISES (ValueError): The config has no such component.
    """
    filled = config.copy()
    block = filled.get("components", {}).get(component)
    if block is None:
        found = sorted(filled.get("components", {}))
        raise ValueError(f"No block [components.{component}]; found {found}.")
    model = block.setdefault("model", {"@architectures": "spacy-elmo.Elmo.v1"})
    model.update(weights.config.to_dict())
    loader = {"@misc": "spacy-elmo.FolderWeights.v1", "path": str(path)}
    initialize = filled.setdefault("initialize", {}).setdefault("components", {})
    initialize.setdefault(component, {})["loader"] = loader
    return filled
