"""Nearest neighbours and near-duplicates among the vectors of many documents."""

from .building import build_index
from .duplicates import Duplicate, find_duplicates
from .index import Hit, Index
from .query import QueryEmbedder
from .settings import IndexInfo, Settings

__all__ = [
    "Duplicate",
    "Hit",
    "Index",
    "IndexInfo",
    "QueryEmbedder",
    "Settings",
    "build_index",
    "find_duplicates",
]
