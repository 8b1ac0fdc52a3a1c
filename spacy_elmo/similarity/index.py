"""An index that was built, searched by cosine with faiss."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, TypeVar
from zipfile import BadZipFile

import numpy as np

from ..embedding.optional import require
from .directions import CommonComponents, read_components, to_directions
from .documents import Id, read_documents
from .kept import Copies
from .settings import (
    COMPONENTS_NAME,
    COPIES_NAME,
    DOCUMENTS_NAME,
    INDEX_NAME,
    INFO_NAME,
    read_info,
    search_options,
)
from .vectors import Floats

T = TypeVar("T")


class Hit(NamedTuple):
    """A document found.

    id (Union[str, int]): Its id. score (float): The cosine, from -1 to 1.
    text (Optional[str]): Its text, if the vectors came with texts.
    """

    id: Id
    score: float
    text: str | None


class Index:
    """An index that was built before.

    path (Path): The folder that `build_index` wrote.
    RAISES (FileNotFoundError, ValueError): It is none, or is damaged; names the file.
        (ImportError): faiss or pyarrow is missing.
    """

    def __init__(self, path: str | Path) -> None:
        faiss = require("faiss", "Searching an index", "search")
        folder = Path(path)
        self.info = read_info(folder / INFO_NAME)
        self.documents = _read(read_documents, folder / DOCUMENTS_NAME)
        self.common: CommonComponents | None = None
        if self.info.settings.remove_components is not None:
            self.common = _read(read_components, folder / COMPONENTS_NAME)
        self._copies: Copies | None = None
        if self.info.settings.kind == "hnsw":
            self._copies = Copies(_read(np.load, folder / COPIES_NAME))
        self._faiss = _read(faiss.read_index, folder / INDEX_NAME)
        n_nodes = len(self.documents if self._copies is None else self._copies)
        n_documents = len(self.documents)
        if self._faiss.ntotal != n_nodes or n_documents != self.info.n_vectors:
            raise ValueError(
                f"{folder}: {INFO_NAME} tells of {self.info.n_vectors} vectors, "
                f"{DOCUMENTS_NAME} of {n_documents}, and {INDEX_NAME} holds "
                f"{self._faiss.ntotal}. Build it again."
            )

    def search(
        self, vectors: Floats, k: int = 10, *, ef_search: int = 128
    ) -> list[list[Hit]]:
        """Find the nearest documents of each query, the nearest first.

        vectors (NDArray): (n, width), made as those of the index were.
        k (int): Documents to find.
        ef_search (int): Candidates an "hnsw" index looks at, at least k.
        RETURNS (List[List[Hit]]): One list a query, of fewer than k if there are no
            more; empty for a query that is zero.
        RAISES (ValueError): The vectors are of another width.
        """
        if vectors.ndim != 2 or vectors.shape[1] != self.info.width:
            raise ValueError(
                f"Expected queries of shape (n, {self.info.width}), as wide as the "
                f"index, found {vectors.shape}."
            )
        if k < 1:
            raise ValueError(f"k: expected 1 or more, found {k}.")
        directions, asked = to_directions(vectors.astype(np.float32), self.common)
        found: list[list[Hit]] = [[] for _ in vectors]
        k = min(k, self.info.n_vectors)
        if len(asked):
            options = search_options(self.info.settings, max(ef_search, k))
            scores, rows = self._faiss.search(directions, k, params=options)
            for query, row, score in zip(asked, rows, scores):
                found[query] = self._to_hits(row, score)
        return found

    def _to_hits(self, nodes: Any, scores: Any) -> list[Hit]:
        k = len(nodes)
        hits: list[Hit] = []
        for node, score in zip(nodes.tolist(), np.clip(scores, -1, 1).tolist()):
            if node < 0 or len(hits) >= k:  # a graph may lead to fewer than k
                break
            rows = [node] if self._copies is None else self._copies.rows_of(node)[:k]
            for document in (self.documents[int(row)] for row in rows):
                hits.append(Hit(document.id, score, document.text))
        return hits[:k]


def _read(read: Callable[..., T], path: Path) -> T:
    """RAISES (ValueError): The file is damaged; names it."""
    try:
        return read(str(path))
    except (RuntimeError, ValueError, EOFError, BadZipFile) as error:
        raise ValueError(f"{path}: damaged: {error}") from error
