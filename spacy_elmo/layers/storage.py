"""Where a Doc keeps its layers: plain float32 arrays in `user_data`."""

from typing import Any

from spacy.tokens import Doc

from .types import Layers

#: First part of the keys in `user_data`; the second is the component's name.
PREFIX = "spacy_elmo"


def set_layers(doc: Doc, name: str, layers: Layers) -> None:
    """Keep the layers that component `name` computed. (n_layers, n_tokens, width)"""
    _user_data(doc)[(PREFIX, name)] = layers


def get_layers(doc: Doc, name: str) -> Layers | None:
    """The layers that component `name` computed, or None.

    RAISES (ValueError): They no longer fit, because tokens were merged or split.
    """
    layers = peek_layers(doc, name)
    if layers is not None and layers.shape[1] != len(doc):
        raise ValueError(
            f"The vectors of {name!r} are of {layers.shape[1]} tokens, but the Doc has "
            f"{len(doc)}. Was it retokenized (merge, split) or cut out of another? Run "
            f"{name!r} on it again, or retokenize after the components that read it."
        )
    return layers


def peek_layers(doc: Doc, name: str) -> Layers | None:
    """The layers that component `name` left, even if they no longer fit."""
    layers: Layers | None = _user_data(doc).get((PREFIX, name))
    return layers


def stored_names(doc: Doc) -> list[str]:
    """The components that have left layers on the Doc."""
    return [key[1] for key in _user_data(doc) if _is_ours(key)]


def clear_layers(doc: Doc) -> None:
    """Forget the layers of every component."""
    for name in stored_names(doc):
        del _user_data(doc)[(PREFIX, name)]


def _user_data(doc: Doc) -> dict[Any, Any]:
    # spaCy annotates the keys as str, but keeps any, its own tuples among them.
    return doc.user_data


def _is_ours(key: Any) -> bool:
    return isinstance(key, tuple) and len(key) == 2 and key[0] == PREFIX
