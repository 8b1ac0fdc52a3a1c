"""What the heads of a pipeline have learned about the layers."""

from dataclasses import dataclass

from spacy.language import Language
from thinc.api import Model

from ..layers.encoder import get_settings
from ..layers.listener import ElmoListener, mixes_of
from ..layers.mix import Mix
from ..layers.scalar_mix import is_scalar_mix, mix_weights
from .elmo import Elmo


@dataclass(frozen=True)
class LayerWeights:
    """One mix of one component.

    component (str): Its name.
    upstream (str): The ELMo component whose layers it mixes.
    layers (Tuple[int, ...]): The numbers of the layers; 0 is the token layer.
    weights (Tuple[float, ...]): Their effective weights, which sum to 1.
    gamma (float): The scale of the sum.
    """

    component: str
    upstream: str
    layers: tuple[int, ...]
    weights: tuple[float, ...]
    gamma: float


def layer_weights(nlp: Language) -> list[LayerWeights]:
    """The weights of every scalar mix in a pipeline, in its order.

    The one behind an ELMo component's `doc.tensor` stands under that component's name.
    """
    reports = []
    for name, pipe in nlp.components:
        if isinstance(pipe, Elmo) and is_scalar_mix(pipe.mix):
            weights = _effective(pipe.mix)
            reports.append(LayerWeights(name, name, pipe.layers, *weights))
        for source, mix in mixes_of(getattr(pipe, "model", None)):
            if is_scalar_mix(mix):
                upstream, layers = _source(name, source)
                reports.append(LayerWeights(name, upstream, layers, *_effective(mix)))
    return reports


def _source(name: str, source: Model) -> tuple[str, tuple[int, ...]]:
    """The component that computes the layers, and their numbers."""
    if isinstance(source, ElmoListener):
        return source.upstream_name, source.layers_sent
    return name, get_settings(source).layers


def _effective(mix: Mix) -> tuple[tuple[float, ...], float]:
    weights, gamma = mix_weights(mix)
    return tuple(weights), gamma
