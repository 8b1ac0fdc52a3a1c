"""A map of one word's occurrences: near where their vectors are alike."""

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .neighbors import Occurrence

#: Occurrences on a map; of more, so many are drawn by chance. Time grows as the square.
MAX_POINTS = 1000
#: Senses that are told apart; rarer ones share a name.
MAX_SENSES = 8
OTHER, UNKNOWN = "other senses", "sense not annotated"


class SenseMap(NamedTuple):
    """Where the occurrences of a word lie.

    word (str): The query's word.
    places (NDArray): (n_layers, n + 1, 2) for each biLSTM layer; the last is the query.
    senses (List[str]): (n,) what each occurrence means.
    """

    word: str
    places: NDArray[np.float32]
    senses: list[str]


def map_senses(
    query: Occurrence, occurrences: Sequence[Occurrence], *, seed: int = 0
) -> SenseMap:
    """Lay occurrences of one word out in the plane, by t-SNE over cosine distances.

    Senses take no part in it. The token layer is left out: there the word is a point.

    RAISES (ValueError): There are too few. (ImportError): scikit-learn is missing.
    """
    if len(occurrences) < 5:
        raise ValueError(
            f"A map needs 5 occurrences of {query.word!r} or more, found "
            f"{len(occurrences)}."
        )
    if len(occurrences) > MAX_POINTS:
        drawn = np.random.default_rng(seed).permutation(len(occurrences))[:MAX_POINTS]
        occurrences = [occurrences[i] for i in drawn]
    layers = np.stack([o.vectors for o in (*occurrences, query)], axis=1)
    places = [_project(layer, seed) for layer in layers[1:]]
    senses = [o.senses[0] if o.senses else UNKNOWN for o in occurrences]
    return SenseMap(query.word, np.stack(places), _without_rare(senses))


def _project(vectors: NDArray[np.float32], seed: int) -> NDArray[np.float32]:
    """(n, D) to (n, 2)"""
    try:
        from sklearn.manifold import TSNE  # type: ignore[import-untyped]
    except ImportError as error:
        raise ImportError(
            "A map needs scikit-learn: pip install 'spacy-elmo[analysis]'."
        ) from error
    perplexity = min(30.0, (len(vectors) - 1) / 3)
    tsne: Any = TSNE(
        metric="cosine", init="pca", perplexity=perplexity, random_state=seed
    )
    return np.asarray(tsne.fit_transform(vectors), dtype=np.float32)


def _without_rare(senses: list[str]) -> list[str]:
    named = [sense for sense in senses if sense != UNKNOWN]
    kept = {sense for sense, _ in Counter(named).most_common(MAX_SENSES)} | {UNKNOWN}
    return [sense if sense in kept else OTHER for sense in senses]
