"""What the heads of a pipeline have learned about the layers."""

from dataclasses import dataclass

from spacy.language import Language
from thinc.api import Model

from ..layers.encoder import get_settings
from ..layers.listener import ElmoListener, MixInUse, mixes_of
from ..layers.scalar_mix import is_scalar_mix, mix_weights


@dataclass(frozen=True)
class LayerWeights:
    """One mix of one component.

    component (str): Its name.
    place (str): "elmo_input" or "elmo_output" where ELMo stands beside an encoder of
        the component, else "".
    upstream (Optional[str]): The ELMo component whose layers it mixes; None if they are
        of a biLM of its own.
    layers (Tuple[int, ...]): The numbers of the layers; 0 is the token layer.
    weights (Tuple[float, ...]): Their effective weights, which sum to 1.
    gamma (float): The scale of the sum.
    """

    component: str
    place: str
    upstream: str | None
    layers: tuple[int, ...]
    weights: tuple[float, ...]
    gamma: float


def layer_weights(nlp: Language) -> list[LayerWeights]:
    """The weights of every scalar mix of the heads of a pipeline, in its order.

    RAISES (ValueError): A head is not initialized yet.
    """
    return [
        _report(name, use)
        for name, pipe in nlp.components
        for use in mixes_of(getattr(pipe, "model", None))
        if is_scalar_mix(use.mix)
    ]


def _report(name: str, use: MixInUse) -> LayerWeights:
    if not use.mix.has_param("scalars"):
        raise ValueError(f"{name!r} has no layer weights yet: call nlp.initialize().")
    weights, gamma = mix_weights(use.mix)
    upstream, layers = _source(use.source)
    return LayerWeights(name, use.place, upstream, layers, tuple(weights), gamma)


def _source(source: Model) -> tuple[str | None, tuple[int, ...]]:
    """The component that computes the layers, and their numbers."""
    if isinstance(source, ElmoListener):
        return source.sender, source.layers_sent
    return None, get_settings(source).layers
