"""Near-duplicates: documents that say again what an earlier one has said."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from .building import common_components
from .directions import CommonComponents, to_directions
from .documents import Document, Documents
from .kept import BLOCK_ROWS, KeptVectors
from .settings import Settings, make_faiss_index, search_options
from .vectors import VECTOR, Floats, VectorFolder


class Duplicate(NamedTuple):
    """A document that is near an earlier one.

    document (Document): The later one. kept (Document): The earlier one, no duplicate
        itself. score (float): Their cosine.
    """

    document: Document
    kept: Document
    score: float


def find_duplicates(
    vectors: str | Path,
    *,
    threshold: float = 0.95,
    kind: str = "exact",
    remove_components: int | None = None,
    ef_search: int = 128,
    column: str = VECTOR,
) -> Iterator[Duplicate]:
    """Find the documents that are near-duplicates of an earlier one.

    The documents are read in order. One whose cosine with every document kept so far is
    below the threshold is kept itself; any other is a duplicate of the nearest kept
    one. So a thousand copies are 999 duplicates and not half a million pairs, and no
    chain of small changes makes duplicates of two documents that differ. Memory holds
    what is kept, 4 bytes a number. Documents without a vector, or with zero for one,
    are passed over.

    vectors (Union[str, Path]): What `spacy elmo embed` wrote.
    threshold (float): The cosine from which on two documents are duplicates.
    kind (str), remove_components (Optional[int]): See `Settings`. "hnsw" may miss some.
    ef_search (int): Candidates that "hnsw" looks at.
    column (str): The column of vectors; see `VectorFolder`.
    RAISES (FileNotFoundError, ValueError): Names the file or setting. (ImportError):
        faiss or pyarrow is missing.
    """
    if not -1 < threshold <= 1:
        raise ValueError(f"threshold: expected a cosine up to 1, found {threshold}.")
    settings = Settings(kind, remove_components=remove_components)
    source = VectorFolder(Path(vectors), column)
    common = common_components(source, settings.remove_components)
    kept = KeptVectors(
        make_faiss_index(settings, source.width),
        threshold,
        search_options(settings, ef_search),
    )
    return _read_all(source, common, kept)


def _read_all(
    source: VectorFolder, common: CommonComponents | None, kept: KeptVectors
) -> Iterator[Duplicate]:
    documents = Documents()
    for batch in source.batches(BLOCK_ROWS):
        directions, rows = to_directions(batch.vectors, common)
        yield from _read(batch.documents.take(rows), directions, kept, documents)


def _read(
    block: Any, directions: Floats, kept: KeptVectors, documents: Documents
) -> Iterator[Duplicate]:
    """The duplicates of a block. documents (Documents): Those kept; it grows."""
    nodes, scores, is_new = kept.assign(directions)
    documents.add(block.take(np.flatnonzero(is_new)))
    read = Documents([block])
    for row in np.flatnonzero(~is_new).tolist():
        score = min(float(scores[row]), 1.0)
        yield Duplicate(read[row], documents[int(nodes[row])], score)
