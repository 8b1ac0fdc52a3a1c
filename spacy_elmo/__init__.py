"""ELMo for spaCy: contextual word vectors from a bidirectional language model."""

from .pipeline.report import LayerWeights, layer_weights
from .pipeline.vectors import restore_hooks
from .weights.blank import blank

__version__ = "0.1.0"
__all__ = ["LayerWeights", "blank", "layer_weights", "restore_hooks"]
