"""Where a Doc keeps its layers: plain float32 arrays in `user_data`."""

from typing import Any

from spacy.tokens import Doc

from .types import Layers, Vectors

Key = tuple[str, str, None, None]
#: Keys have the form of spaCy's own, which knows not to copy them into parts of a Doc.
OWNER, LAYERS = "._.", "elmo_layers:"
#: The key of the mix that vectors and similarity answer from.
VECTORS: Key = (OWNER, "elmo_vectors", None, None)


def set_layers(doc: Doc, name: str, layers: Layers) -> None:
    """Keep the layers that component `name` computed. (n_layers, n_tokens, width)"""
    _user_data(doc)[_key(name)] = layers


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
    layers: Layers | None = _user_data(doc).get(_key(name))
    return layers


def stored_names(doc: Doc) -> list[str]:
    """The components that have left layers on the Doc."""
    names = [key[1] for key in _user_data(doc) if _is_of_layers(key)]
    return [name.removeprefix(LAYERS) for name in names]


def set_vectors(doc: Doc, vectors: Vectors) -> None:
    """Keep the mix that vectors and similarity answer from. (n_tokens, width)"""
    _user_data(doc)[VECTORS] = vectors


def peek_vectors(doc: Doc) -> Vectors | None:
    """That mix, even if it no longer fits."""
    vectors: Vectors | None = _user_data(doc).get(VECTORS)
    return vectors


def clear(doc: Doc) -> None:
    """Forget the layers of every component, and their mix."""
    for name in stored_names(doc):
        del _user_data(doc)[_key(name)]
    _user_data(doc).pop(VECTORS, None)


def _user_data(doc: Doc) -> dict[Any, Any]:
    # spaCy annotates the keys as str, but keeps any, its own tuples among them.
    return doc.user_data


def _key(name: str) -> Key:
    return OWNER, f"{LAYERS}{name}", None, None


def _is_of_layers(key: Any) -> bool:
    is_own = isinstance(key, tuple) and len(key) == 4 and key[0] == OWNER
    return is_own and key[1].startswith(LAYERS)
