"""What a user meets on a Doc: `doc._.elmo`, vectors, norms and similarity by context.

The hooks replace spaCy's own answers, because without them spaCy scores two equal words
1.0 whatever their context. They are functions of the module, so Docs can be pickled;
`Doc.to_bytes`, `DocBin` and `n_process` lose them, and `restore_hooks` puts them back.
"""

from collections.abc import Iterable
from typing import Any

from numpy.typing import NDArray
from spacy.tokens import Doc, Span, Token
from thinc.api import get_array_module

from ..layers.mix import Mix
from ..layers.storage import clear_layers, peek_layers, set_layers, stored_names
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
    """Set the layers of "elmo"; None forgets those of every component."""
    clear_layers(doc)
    if layers is not None:
        set_layers(doc, DEFAULT_NAME, layers)


def set_hooks(doc: Doc) -> None:
    """Let `vector`, `has_vector`, `vector_norm` and `similarity` answer by context.

    They read `doc.tensor`, for the Doc, its spans and its tokens.
    """
    for hooks in (doc.user_hooks, doc.user_token_hooks, doc.user_span_hooks):
        hooks["has_vector"] = has_vector
        hooks["similarity"] = similarity
        hooks["vector"] = mean_vector
    doc.user_token_hooks["vector"] = token_vector
    # Not on spans: spaCy 3.8 answers Span.vector_norm from the hook "vector".
    for hooks in (doc.user_hooks, doc.user_token_hooks):
        hooks["vector_norm"] = vector_norm


def restore_hooks(docs: Doc | Iterable[Doc], mix: Mix | None = None) -> None:
    """Put the hooks back on Docs that came through bytes, DocBin or another process.

    docs (Union[Doc, Iterable[Doc]]): Docs with `doc._.elmo`.
    mix (Optional[Mix]): Makes `doc.tensor` where it was not kept, as by DocBin: pass
        `nlp.get_pipe("elmo").mix`. The default is the component's own, the average.
    RAISES (ValueError): A Doc holds no layers.
    """
    install_extension()
    for doc in [docs] if isinstance(docs, Doc) else docs:
        if doc.tensor.shape[0] != len(doc) or doc.tensor.ndim != 2:
            doc.tensor = _mixed(doc, mix)
        set_hooks(doc)


def token_vector(token: Token) -> Vector:
    """The token's row of `doc.tensor`. (width,)"""
    row: Vector = token.doc.tensor[token.i]
    return row


def mean_vector(tokens: Doc | Span) -> Vector:
    """The mean over the tokens that are not whitespace, zero if there are none."""
    doc = tokens.doc
    rows = [token.i for token in tokens if not token.is_space]
    tensor: Vectors = doc.tensor
    if not rows:
        return get_array_module(tensor).zeros(tensor.shape[1], dtype="f")
    return tensor[rows].mean(axis=0)


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


def _mixed(doc: Doc, mix: Mix | None) -> Vectors:
    layers = get_elmo(doc)
    if layers is None:
        raise ValueError(
            "This Doc has neither doc.tensor nor doc._.elmo. Save it with "
            "DocBin(store_user_data=True), or run the pipeline on it again."
        )
    mixed: Vectors = layers.mean(axis=0) if mix is None else mix.predict([layers])[0]
    return mixed
