"""Vectors of very many documents: streamed in, streamed out, on one machine or many."""

from .distributed import embed_on_ray
from .embedder import Embedder, Embedding
from .job import Progress, Report, embed
from .layout import Entry
from .options import Options
from .reading import VectorStore, load

__all__ = [
    "Embedder",
    "Embedding",
    "Entry",
    "Options",
    "Progress",
    "Report",
    "VectorStore",
    "embed",
    "embed_on_ray",
    "load",
]
