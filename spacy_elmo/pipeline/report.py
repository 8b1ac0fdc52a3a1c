"""What the heads of a pipeline have learned about the layers."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

from spacy.language import Language
from spacy.pipeline import TrainablePipe

from ..layers.listener import find_readers
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
    """The weights of every scalar mix that an ELMo component feeds.

    First the mix behind `doc.tensor`, under the component's own name, then those of the
    heads that listen to it.
    """
    return [
        LayerWeights(head, name, upstream.layers, *_effective(mix))
        for name, upstream in nlp.components
        if isinstance(upstream, Elmo)
        for head, mix in _mixes(nlp, name, upstream)
        if is_scalar_mix(mix)
    ]


def _mixes(nlp: Language, name: str, upstream: Elmo) -> Iterator[tuple[str, Mix]]:
    yield name, upstream.mix
    for head in upstream.listening_components:
        for reader in find_readers(cast(TrainablePipe, nlp.get_pipe(head)).model, name):
            yield head, reader.get_ref("mix")


def _effective(mix: Mix) -> tuple[tuple[float, ...], float]:
    weights, gamma = mix_weights(mix)
    return tuple(weights), gamma
