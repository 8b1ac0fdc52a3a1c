"""Which layers become vectors: single ones, or a mix of them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

from spacy.language import Language
from thinc.api import Model

from ..layers.encoder import forward, get_settings, get_shim
from ..layers.listener import ElmoListener, mixes_of
from ..layers.mix import Mix
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
    """An encoder that computes no other layers than the chosen ones need.

    names (Tuple[str, ...]): The choices as they were written, such as "0" and "mix".
    width (int): The width of each.
    """

    encoder: Model[Docs, LayersList]
    names: tuple[str, ...]
    width: int
    _origin: Origin
    _rows: tuple[tuple[int, ...], ...]

    def select(self, layers: Layers) -> Any:
        """(L, N, D) of what the encoder computes to (N, K, width), K choices."""
        xp = self.encoder.ops.xp
        parts = []
        for name, rows in zip(self.names, self._rows):
            if name == "mix":
                mixed = layers if len(rows) == len(layers) else layers[list(rows)]
                parts.append(self._origin.mix.predict([mixed])[0])
            else:
                parts.append(layers[rows[0]])
        return xp.stack(parts, axis=1)

    def identity(self) -> dict[str, Any]:
        """RETURNS (Dict[str, Any]): Equal where the vectors are. JSON-ready."""
        settings = get_settings(self.encoder)
        return {
            "weights": get_shim(self.encoder).fingerprint().hex(),
            "precision": settings.precision,
            "mix": sha256(self._origin.mix.to_bytes()).hexdigest(),
            # A function's name, or the settings of a dataclass.
            "context": getattr(
                settings.context, "__qualname__", repr(settings.context)
            ),
        }


def choose_layers(origin: Origin, layers: str) -> LayerChoice:
    """Make an encoder of what is asked for.

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
    encoder: Model[Docs, LayersList] = Model(
        origin.encoder.name,
        forward,
        dims={"nO": width},
        attrs={
            **origin.encoder.attrs,
            "settings": replace(settings, layers=tuple(needed), cache=None),
        },
        shims=[shim],
        ops=origin.encoder.ops,
    )
    rows = tuple(tuple(needed.index(n) for n in numbers) for numbers in wanted)
    return LayerChoice(encoder, names, widths[names[0]], origin, rows)


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
