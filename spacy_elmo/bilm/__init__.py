"""The network in pure torch. It knows neither spaCy nor thinc."""

from .batch import SentenceBatch
from .config import BiLMConfig
from .model import BiLM, BiLMState
from .weights import Loader, Weights

__all__ = ["BiLM", "BiLMConfig", "BiLMState", "Loader", "SentenceBatch", "Weights"]
