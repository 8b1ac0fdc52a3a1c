"""Which layers become vectors: single ones, or a mix of them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from spacy.language import Language
from thinc.api import Model
from thinc.util import torch2xp

from ..layers.encoder import EncoderSettings, get_settings, get_shim
from ..layers.listener import ElmoListener, mixes_of
from ..layers.mix import Mix
from ..layers.reading import batches
from ..layers.types import Docs, Layers, LayersList
from ..pipeline.elmo import Elmo

DEFAULT_NAME = "elmo"


@dataclass(frozen=True)
class Origin:
    """Where the layers of a pipeline come from.

    encoder (Model[Docs, LayersList]): Computes them.
    mix (Mix), mixed (Tuple[int, ...]): What "mix" stands for, and the layers it mixes.
    name (str): The component that a document passes last.
    """

    encoder: Model[Docs, LayersList]
    mix: Mix
    mixed: tuple[int, ...]
    name: str


@dataclass(frozen=True)
class LayerChoice:
    """Computes the chosen layers, and no others than these need.

    names (Tuple[str, ...]): The choices as they were written, such as "0" and "mix".
    width (int): The width of each.
    origin (Origin): Whose layers they are.
    settings (EncoderSettings): The encoder's, but with the layers that are needed.
    rows (Tuple[Tuple[int, ...], ...]): Where among these each choice finds its own.
    """

    names: tuple[str, ...]
    width: int
    origin: Origin
    settings: EncoderSettings
    rows: tuple[tuple[int, ...], ...]

    def vectors(self, docs: Docs) -> NDArray[np.float32]:
        """The vectors of all tokens of Docs, one Doc after another.

        RETURNS (NDArray): (N, K, width) for K choices; zero for whitespace.
        """
        settings, ops = self.settings, self.origin.encoder.ops
        engine = get_shim(self.origin.encoder).engine(
            kept_words=settings.word_cache, precision=settings.precision
        )
        starts = np.cumsum([0, *map(len, docs)])
        found = np.zeros((starts[-1], len(self.names), self.width), dtype=np.float32)
        for readings in batches(docs, settings.context, settings.batch_words):
            words = [reading.words for reading in readings]
            layers = cast(Layers, torch2xp(engine.layers(words, settings.layers)))
            rows = np.concatenate([starts[r.doc] + r.tokens for r in readings])
            kept = np.concatenate([reading.kept for reading in readings])
            found[rows[kept]] = ops.to_numpy(self._select(layers))[kept]
        return found

    def _select(self, layers: Layers) -> Layers:
        """(L, N, D) of the layers that are needed to (N, K, width)."""
        parts = []
        for name, rows in zip(self.names, self.rows):
            if name == "mix":
                mixed = layers if len(rows) == len(layers) else layers[list(rows)]
                parts.append(self.origin.mix.predict([mixed])[0])
            else:
                parts.append(layers[rows[0]])
        chosen: Layers = self.origin.encoder.ops.xp.stack(parts, axis=1)
        return chosen

    def identity(self) -> dict[str, Any]:
        """RETURNS (Dict[str, Any]): Equal where the vectors are. JSON-ready."""
        context = self.settings.context
        return {
            "weights": get_shim(self.origin.encoder).fingerprint().hex(),
            "precision": self.settings.precision,
            "mix": sha256(self.origin.mix.to_bytes()).hexdigest(),
            # A function's name, or the settings of a dataclass.
            "context": getattr(context, "__qualname__", repr(context)),
        }


def choose_layers(origin: Origin, layers: str) -> LayerChoice:
    """Find out what is asked for.

    layers (str): "mix", "top" or numbers, several between commas.
    RAISES (ValueError): Names the layer, and those there are.
    """
    settings, shim = get_settings(origin.encoder), get_shim(origin.encoder)
    shim.require_weights()
    names = tuple(name.strip() for name in layers.split(","))
    n_layers, width = shim.bilm.config.n_layers, origin.encoder.get_dim("nO")
    wanted = [_numbers(name, origin.mixed, n_layers) for name in names]
    if len(set(names)) < len(names):
        raise ValueError(f"layers: {layers!r} names one of them twice.")
    widths = {
        name: origin.mix.get_dim("nO") if name == "mix" else width for name in names
    }
    if len(set(widths.values())) > 1:
        raise ValueError(f"layers: they are of several widths, {widths}.")
    needed = sorted({number for numbers in wanted for number in numbers})
    rows = tuple(tuple(needed.index(n) for n in numbers) for numbers in wanted)
    # What is kept for training is of no use here.
    settings = replace(settings, layers=tuple(needed), cache=None)
    return LayerChoice(names, widths[names[0]], origin, settings, rows)


def find_origin(nlp: Language, head: str | None = None) -> Origin:
    """Find what computes the layers of a pipeline, and the mix that is asked for.

    head (Optional[str]): The component whose mix it shall be, maybe with the place of
        the mix: "tagger", "tagger.elmo_input".
    RAISES (ValueError): There is none, or there are several.
    """
    if head is not None:
        return _origin_of_head(nlp, head)
    pipes = {name: pipe for name, pipe in nlp.pipeline if isinstance(pipe, Elmo)}
    name = next(iter(pipes)) if len(pipes) == 1 else DEFAULT_NAME
    if name not in pipes:
        raise ValueError(
            f"Expected a pipeline with one ELMo component, or one named "
            f"{DEFAULT_NAME!r}; found {list(pipes)} among {nlp.pipe_names}. "
            'nlp.add_pipe("elmo") adds one; `head` names a component with one inside.'
        )
    pipes[name].check_loader()
    return Origin(pipes[name].model, pipes[name].mix, pipes[name].layers, name)


def _origin_of_head(nlp: Language, head: str) -> Origin:
    name, place = (head, "") if head in nlp.component_names else _split(head)
    if name not in nlp.component_names:
        raise ValueError(f"head: no component {name!r}; found {nlp.component_names}.")
    uses = mixes_of(getattr(nlp.get_pipe(name), "model", None))
    found = [use for use in uses if place in ("", use.place)]
    if len(found) != 1:
        names = sorted(f"{name}.{u.place}" if u.place else name for u in uses)
        raise ValueError(f"head: expected one of the mixes {names}, found {head!r}.")
    source, mix, _ = found[0]
    if mix.has_dim("nO") is None or any(
        mix.has_param(key) is None for key in mix.param_names
    ):
        raise ValueError(f"head: {name!r} is not trained yet; it has no mix.")
    if isinstance(source, ElmoListener):
        upstream = nlp.get_pipe(source.sender)
        assert isinstance(upstream, Elmo)
        upstream.check_loader()
        return Origin(upstream.model, mix, source.layers_sent, source.sender)
    return Origin(source, mix, get_settings(source).layers, name)


def _split(head: str) -> tuple[str, str]:
    name, _, place = head.rpartition(".")
    return (name, place) if name else (head, "")


def _numbers(name: str, mixed: Sequence[int], n_layers: int) -> tuple[int, ...]:
    """The layers that a choice is made of."""
    if name == "mix":
        return tuple(mixed)
    number = n_layers if name == "top" else int(name) if name.isdecimal() else -1
    if not 0 <= number <= n_layers:
        raise ValueError(
            f"layers: expected 'mix', 'top' or numbers from 0 (the token layer) to "
            f"{n_layers}, with commas between them; found {name!r}."
        )
    return (number,)
