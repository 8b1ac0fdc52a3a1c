"""An index is built in one pass over the vectors, a batch at a time."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ..embedding.optional import require
from .directions import CommonComponents, find_components, to_directions
from .documents import write_documents
from .kept import BLOCK_ROWS, KeptVectors
from .settings import (
    COMPONENTS_NAME,
    COPIES_NAME,
    DOCUMENTS_NAME,
    INDEX_NAME,
    INFO_NAME,
    IndexInfo,
    Settings,
    make_faiss_index,
    search_options,
    write_info,
)
from .vectors import VECTOR, VectorFolder

#: Candidates to find an earlier copy among; it is the nearest there can be.
COPY_EF_SEARCH = 32


def build_index(
    vectors: str | Path,
    output: str | Path,
    *,
    kind: str = "exact",
    m: int = 32,
    ef_construction: int = 100,
    remove_components: int | None = None,
    column: str = VECTOR,
    on_batch: Callable[[int], None] | None = None,
) -> IndexInfo:
    """Build an index of a folder of vectors.

    The vectors are read a batch at a time, so that nothing grows but the index itself:
    4 bytes a number, and for "hnsw" 8 m bytes a document; as much again for a moment,
    when faiss makes room for more.

    vectors (Union[str, Path]): What `spacy elmo embed` wrote.
    output (Union[str, Path]): Folder to write; an index in it is replaced.
    column (str): The column of vectors; see `VectorFolder`.
    on_batch (Optional[Callable[[int], None]]): Called with the rows just read.
    The other settings: see `Settings`.
    RAISES (FileNotFoundError, ValueError): Names the file or setting. (ImportError):
        faiss or pyarrow is missing.
    """
    settings = Settings(kind, m, ef_construction, remove_components)
    source, folder = VectorFolder(Path(vectors), column), Path(output)
    index = make_faiss_index(settings, source.width)
    kept = KeptVectors(index, 1.0, search_options(settings, COPY_EF_SEARCH))
    common = common_components(source, remove_components)
    folder.mkdir(parents=True, exist_ok=True)
    # Written last and removed first: a folder without it is not taken for an index.
    (folder / INFO_NAME).unlink(missing_ok=True)
    nodes = [np.zeros(0, dtype=np.int64)]

    def indexed() -> Iterator[Any]:
        for batch in source.batches(BLOCK_ROWS):
            directions, rows = to_directions(batch.vectors, common)
            if kind == "hnsw":
                nodes.append(kept.assign(directions).nodes)
            else:
                index.add(directions)
            yield batch.documents.take(rows)
            if on_batch is not None:
                on_batch(len(batch.vectors))

    n_vectors = write_documents(indexed(), folder / DOCUMENTS_NAME)
    if not n_vectors:
        raise ValueError(f"{source.path}: there is no vector to search among.")
    if kind == "hnsw":
        np.save(folder / COPIES_NAME, np.concatenate(nodes))
    if common is not None:
        common.to_disk(folder / COMPONENTS_NAME)
    require("faiss", "Building an index", "search").write_index(
        index, str(folder / INDEX_NAME)
    )
    info = IndexInfo(
        width=source.width,
        n_vectors=n_vectors,
        n_left_out=source.n_rows - n_vectors,
        column=column,
        settings=settings,
        manifest=source.manifest,
    )
    write_info(info, folder / INFO_NAME)
    return info


def common_components(source: VectorFolder, n: int | None) -> CommonComponents | None:
    """Find what the vectors of a folder have in common; None where n is None."""
    if n is None:
        return None
    return find_components((batch.vectors for batch in source.batches()), n)
