"""The layers of tokenized sentences, and the ways to make one vector a word of them."""

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from operator import itemgetter
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np
import spacy
from numpy.typing import NDArray
from spacy.tokens import Doc

from ..bilm import Weights
from ..layers.context import DocumentContext
from ..layers.encoder import build_encoder, get_shim
from ..layers.types import Layers
from ..weights.detect import read_weights
from ..weights.loaders import folder_of

#: Sentences that the biLM gets at a time; it puts those of like lengths together.
CHUNK = 512


def open_weights(name: str) -> Weights:
    """Read a folder of weights of any form, or those of the package ("bundled").

    RAISES (FileNotFoundError, ValueError): Says what the folder holds instead.
    """
    return read_weights(folder_of(name))


class HasWords(Protocol):
    """A tokenized sentence, with whatever else is known of it."""

    @property
    def words(self) -> list[str]:
        """Its tokens."""


S = TypeVar("S", bound=HasWords)


class LayerReader:
    """Reads tokenized sentences with a biLM; each sentence sees itself alone.

    weights (Weights): The biLM.
    """

    def __init__(self, weights: Weights) -> None:
        self.provenance = weights.provenance
        self.n_layers = weights.config.n_layers + 1
        self.width = weights.config.width
        self._encoder = build_encoder(weights.config, context=DocumentContext())
        get_shim(self._encoder).set_weights(weights)

    def read(self, sentences: Iterable[S]) -> Iterator[tuple[S, Layers]]:
        """Compute the layers of a stream of sentences, in its order.

        RETURNS (Iterator[Tuple[S, Layers]]): Each sentence with its layers
            (n_layers, n_words, width).
        """
        left = iter(sentences)
        while chunk := list(islice(left, CHUNK)):
            # A new vocabulary: one for all would keep every word of a corpus.
            vocab = spacy.blank("xx").vocab
            docs = [Doc(vocab, words=sentence.words) for sentence in chunk]
            for sentence, layers in zip(chunk, self._encoder.predict(docs)):
                yield sentence, np.asarray(self._encoder.ops.to_numpy(layers))

    def check_layer(self, number: int | None) -> int:
        """The number of a layer; None is the top one.

        RAISES (ValueError): There is no such layer.
        """
        top = self.n_layers - 1
        if number is None:
            return top
        if not 0 <= number <= top:
            raise ValueError(f"layer: expected 0 to {top}, found {number}.")
        return number


class Combination(NamedTuple):
    """A way to make one vector a word out of its layers.

    name (str): What tables call it.
    combine (Callable): (n_layers, n, width) to (n, any width).
    """

    name: str
    combine: Callable[[NDArray[Any]], NDArray[Any]]


def combinations(n_layers: int) -> list[Combination]:
    """Each layer alone, their average, and all side by side."""
    alone = [Combination(layer_name(k), itemgetter(k)) for k in range(n_layers)]
    return [
        *alone,
        Combination("uniform mix", _average),
        Combination("concatenation", _side_by_side),
    ]


def layer_name(number: int) -> str:
    """What a layer is called."""
    return "token layer" if number == 0 else f"biLSTM layer {number}"


def _average(layers: NDArray[Any]) -> NDArray[Any]:
    average: NDArray[Any] = layers.mean(axis=0)
    return average


def _side_by_side(layers: NDArray[Any]) -> NDArray[Any]:
    return np.concatenate(list(layers), axis=-1)
