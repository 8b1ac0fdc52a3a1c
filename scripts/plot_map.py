"""Draw documents as points of a plane: near where their vectors are alike.

    python scripts/plot_map.py VECTORS OUTPUT.png

VECTORS is what `python -m spacy elmo embed` wrote. The plane is that of the two largest
principal components of the unit vectors. Points take their colour from their id, as far
as its last hyphen: "thanks" of "thanks-07".
"""

import argparse
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from spacy_elmo.analysis.plots import import_pyplot
from spacy_elmo.similarity.directions import find_components, to_directions
from spacy_elmo.similarity.documents import Id
from spacy_elmo.similarity.vectors import Floats, VectorFolder

#: More groups than this are not told apart by colour.
MAX_COLOURS = 10


def read_sample(
    folder: VectorFolder, max_points: int, seed: int = 0
) -> tuple[list[Id], Floats]:
    """Ids and unit vectors of documents drawn by chance, in their order."""
    rng = np.random.default_rng(seed)
    size = min(max_points, folder.n_rows)
    is_drawn = np.zeros(folder.n_rows, dtype=bool)
    is_drawn[rng.choice(folder.n_rows, size, replace=False)] = True
    ids: list[Id] = []
    parts: list[Floats] = []
    start = 0
    for batch in folder.batches():
        drawn = np.flatnonzero(is_drawn[start : start + len(batch.vectors)])
        start += len(batch.vectors)
        directions, rows = to_directions(batch.vectors[drawn])
        ids += batch.documents["id"].take(drawn[rows]).to_pylist()
        parts.append(directions)
    return ids, np.concatenate(parts)


def project(vectors: Floats) -> Floats:
    """The places of vectors in the plane of most variance. (n, 2)"""
    found = find_components([vectors], 2)
    centered: Floats = vectors - found.mean
    return centered @ found.components.T


def group_of(document: Id) -> str:
    """What an id says of its document's group."""
    return str(document).rpartition("-")[0]


def plot(ids: list[Id], places: NDArray[np.float32], path: Path) -> None:
    """Draw the points."""
    try:
        plt = import_pyplot()
    except ImportError as error:
        raise SystemExit(str(error)) from error
    groups = np.array([group_of(document) for document in ids])
    names = list(dict.fromkeys(groups))
    figure, axes = plt.subplots(figsize=(7, 5))
    if len(names) > MAX_COLOURS:
        axes.scatter(places[:, 0], places[:, 1], s=8)
    else:
        for name in names:
            x, y = places[groups == name].T
            axes.scatter(x, y, s=24, label=name or "documents")
        axes.legend(
            frameon=False, fontsize=8, loc="center left", bbox_to_anchor=(1, 0.5)
        )
    axes.set_xticks([])
    axes.set_yticks([])
    figure.tight_layout()
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=150)


def main() -> None:
    """Read vectors and draw."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("vectors", type=Path, help="folder that `embed` wrote")
    parser.add_argument("output", type=Path, help="picture to write")
    parser.add_argument("--max-points", type=int, default=5000)
    arguments = parser.parse_args()
    ids, vectors = read_sample(VectorFolder(arguments.vectors), arguments.max_points)
    plot(ids, project(vectors), arguments.output)
    print(f"Drawn: {arguments.output}, {len(ids)} documents")


if __name__ == "__main__":
    main()
