"""How an index is made, what it holds, and the names of its files."""

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from ..embedding.optional import require
from .vectors import VECTOR

INDEX_NAME = "index.faiss"
DOCUMENTS_NAME = "documents.arrow"
COMPONENTS_NAME = "components.npz"
COPIES_NAME = "copies.npy"
INFO_NAME = "index.json"
FORMAT_VERSION = 1
KINDS = ("exact", "hnsw")


@dataclass(frozen=True)
class Settings:
    """How an index finds its neighbours.

    kind (str): "exact" compares with every document; "hnsw" walks a graph (Malkov and
        Yashunin 2018): much faster for many documents, and nearly as good. Copies share
        a place in the graph, since they would crowd out each other's links.
    m (int): Neighbours that each document is linked to in the graph.
    ef_construction (int): Candidates looked at to find them.
    remove_components (Optional[int]): Remove the mean of all vectors and so many
        principal components first; None leaves the vectors as they are.
    RAISES (ValueError): Names the setting, what was found and what is expected.
    """

    kind: str = "exact"
    m: int = 32
    ef_construction: int = 100
    remove_components: int | None = None

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"kind: expected one of {KINDS}, found {self.kind!r}.")
        for name, least in (("m", 2), ("ef_construction", 1)):
            if getattr(self, name) < least:
                found = getattr(self, name)
                raise ValueError(f"{name}: expected {least} or more, found {found}.")


@dataclass(frozen=True)
class IndexInfo:
    """What an index holds; `index.json`.

    width (int): Of a vector. n_vectors (int): Documents that can be found.
    n_left_out (int): Documents without a vector, or with zero for one.
    column (str): What the vectors were called.
    manifest (Dict[str, Any]): How the vectors were made, as their writer noted it.
    """

    width: int
    n_vectors: int
    n_left_out: int
    column: str = VECTOR
    settings: Settings = Settings()
    manifest: dict[str, Any] = field(default_factory=dict)


def make_faiss_index(settings: Settings, width: int) -> Any:
    """An empty faiss index of inner products."""
    faiss = require("faiss", "Building an index", "search")
    if settings.kind == "exact":
        return faiss.IndexFlatIP(width)
    index = faiss.IndexHNSWFlat(width, settings.m, faiss.METRIC_INNER_PRODUCT)
    index.hnsw.efConstruction = settings.ef_construction
    return index


def search_options(settings: Settings, ef_search: int) -> Any:
    """What faiss is given with a search."""
    if settings.kind == "exact":
        return None
    faiss = require("faiss", "Searching an index", "search")
    return faiss.SearchParametersHNSW(efSearch=ef_search)


def write_info(info: IndexInfo, path: Path) -> None:
    """Write `index.json`."""
    record = {
        "format": "spacy-elmo-index",
        "format_version": FORMAT_VERSION,
        **asdict(info),
    }
    path.write_text(json.dumps(record, indent=2, ensure_ascii=False), encoding="utf8")


def read_info(path: Path) -> IndexInfo:
    """Read `index.json`. RAISES (FileNotFoundError, ValueError): Names the file."""
    if not path.is_file():
        raise FileNotFoundError(
            f"{path.parent}: expected an index, as `python -m spacy elmo index` writes "
            f"it; found no {path.name}."
        )
    try:
        record = json.loads(path.read_text(encoding="utf8"))
        version = record.pop("format_version")
        if record.pop("format") != "spacy-elmo-index" or version != FORMAT_VERSION:
            raise ValueError(f"format version {version}, expected {FORMAT_VERSION}")
        record["settings"] = Settings(**record["settings"])
        return IndexInfo(**record)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise ValueError(f"{path}: not of this spacy-elmo: {error!r}.") from error
