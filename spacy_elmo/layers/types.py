"""The types that pass between the layers.

Arrays are float32, of numpy, or of CuPy where thinc runs on a GPU.
"""

from typing import Any

from numpy.typing import NDArray
from spacy.tokens import Doc

#: The biLM's layers of one Doc: (n_layers, n_tokens, width).
Layers = NDArray[Any]
#: One vector a token of one Doc: (n_tokens, width).
Vectors = NDArray[Any]

Docs = list[Doc]
LayersList = list[Layers]
VectorsList = list[Vectors]
