"""`python -m spacy elmo ...`: importing this package adds the commands to spaCy's."""

from . import evaluate, pretrain, tokenize, vocab, weights
from ._app import elmo_cli

__all__ = ["elmo_cli", "evaluate", "pretrain", "tokenize", "vocab", "weights"]
