"""What a user meets on a Doc: `doc._.elmo`, vectors, norms and similarity by context.

The hooks replace spaCy's own answers, because without them spaCy scores two equal words
1.0 whatever their context. They are functions of the module, so Docs can be pickled;
`Doc.to_bytes`, `DocBin` and `n_process` lose them, and `restore_hooks` puts them back.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from spacy.tokens import Doc, Span, Token
from thinc.api import get_array_module

from ..layers.storage import (
    clear,
    peek_layers,
    peek_vectors,
    set_layers,
    stored_names,
)
from ..layers.types import Layers, Vectors

Vector = NDArray[Any]  # (width,)

DEFAULT_NAME = "elmo"


def install_extension() -> None:
    """Make `doc._.elmo` known to spaCy."""
    if not Doc.has_extension("elmo"):
        Doc.set_extension("elmo", getter=get_elmo, setter=set_elmo)


def get_elmo(doc: Doc) -> Layers | None:
    """The layers on a Doc, (n_layers, n_tokens, width), or None.

    They are those of the only ELMo component that ran, or of the one named "elmo".
    None also where tokens were merged, split or cut out since.
    """
    names = stored_names(doc)
    name = names[0] if len(names) == 1 else DEFAULT_NAME
    layers = peek_layers(doc, name)
    if layers is None or layers.shape[1] != len(doc):
        return None
    return layers


def set_elmo(doc: Doc, layers: Layers | None) -> None:
    """Set the layers of "elmo"; None forgets those of every component, and vectors."""
    if doc.tensor is not None and tensor_is_free(doc):
        doc.tensor = np.zeros((0,), dtype="f")
    clear(doc)
    if layers is not None:
        set_layers(doc, DEFAULT_NAME, layers)


def set_hooks(doc: Doc) -> None:
    """Let `vector`, `has_vector`, `vector_norm` and `similarity` answer by context.

    They answer for the Doc, its spans and its tokens; see `vectors_of`.
    """
    for hooks in (doc.user_hooks, doc.user_token_hooks, doc.user_span_hooks):
        hooks["has_vector"] = has_vector
        hooks["similarity"] = similarity
        hooks["vector"] = mean_vector
    doc.user_token_hooks["vector"] = token_vector
    # Not on spans: spaCy 3.8 answers Span.vector_norm from the hook "vector".
    for hooks in (doc.user_hooks, doc.user_token_hooks):
        hooks["vector_norm"] = vector_norm


def restore_hooks(docs: Doc | Iterable[Doc]) -> None:
    """Put the hooks back on Docs that came through bytes, DocBin or another process.

    RAISES (ValueError): A Doc holds no vectors.
    """
    install_extension()
    for doc in [docs] if isinstance(docs, Doc) else docs:
        vectors = vectors_of(doc)
        if tensor_is_free(doc):
            doc.tensor = vectors
        set_hooks(doc)


def tensor_is_free(doc: Doc) -> bool:
    """Whether `doc.tensor` is ours to write, and not read by a tok2vec's listeners."""
    tensor, ours = doc.tensor, peek_vectors(doc)
    if tensor is None or not tensor.size or len(tensor) != len(doc):
        return True
    if ours is None:
        return False
    xp = get_array_module(tensor)
    return len(ours) != len(doc) or bool(xp.array_equal(ours, tensor))


def vectors_of(doc: Doc) -> Vectors:
    """One vector a token: the mix that the component left, or else `doc.tensor`.

    spaCy's tok2vec writes to `doc.tensor` too, and `DocBin` leaves it out. Where tokens
    were merged or split, spaCy has kept `doc.tensor` in step.

    RETURNS (Vectors): (n_tokens, width).
    RAISES (ValueError): Neither is there, or fits.
    """
    for vectors in (peek_vectors(doc), doc.tensor):
        if vectors is not None and vectors.ndim == 2 and len(vectors) == len(doc):
            return vectors
    raise ValueError(
        "This Doc has no ELMo vectors. Doc.to_bytes keeps them, and so does "
        "DocBin(store_user_data=True); doc_cleaner and doc._.elmo = None drop them. "
        "Run the pipeline on it again."
    )


def token_vector(token: Token) -> Vector:
    """The token's row. (width,)"""
    row: Vector = vectors_of(token.doc)[token.i]
    return row


def mean_vector(tokens: Doc | Span) -> Vector:
    """The mean over the tokens that are not whitespace, zero if there are none."""
    rows = [token.i for token in tokens if not token.is_space]
    vectors = vectors_of(tokens.doc)
    if not rows:
        return get_array_module(vectors).zeros(vectors.shape[1], dtype="f")
    return vectors[rows].mean(axis=0)


def has_vector(tokens: Doc | Span | Token) -> bool:
    """Whether there is a token that is not whitespace."""
    if isinstance(tokens, Token):
        return not tokens.is_space
    return any(not token.is_space for token in tokens)


def vector_norm(tokens: Doc | Span | Token) -> float:
    """The length of the vector."""
    vector = tokens.vector
    return float(get_array_module(vector).linalg.norm(vector))


def similarity(tokens: Doc | Span | Token, other: Any) -> float:
    """The cosine of the two vectors; 0 where one of them is zero.

    RAISES (ValueError): The vectors are of different widths.
    """
    ours, theirs = tokens.vector, other.vector
    if ours.shape != theirs.shape:
        raise ValueError(
            f"Cannot compare vectors of shapes {ours.shape} and {theirs.shape}: "
            f"{other!r} was not read by the same ELMo component."
        )
    norms = vector_norm(tokens) * vector_norm(other)
    return float(ours @ theirs) / norms if norms else 0.0
