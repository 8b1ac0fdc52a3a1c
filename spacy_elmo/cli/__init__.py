"""`python -m spacy elmo ...`: importing this package adds the commands to spaCy's."""

from . import (
    embed,
    evaluate,
    layer_weights,
    neighbors,
    pretrain,
    probe,
    search,
    tokenize,
    vocab,
    weights,
)
from ._app import elmo_cli

__all__ = [
    "elmo_cli",
    "embed",
    "evaluate",
    "layer_weights",
    "neighbors",
    "pretrain",
    "probe",
    "search",
    "tokenize",
    "vocab",
    "weights",
]
