"""A map of one word's occurrences."""

import sys

import numpy as np
import pytest

from spacy_elmo.analysis import sense_map
from spacy_elmo.analysis.neighbors import Occurrence
from spacy_elmo.analysis.sense_map import OTHER, UNKNOWN, map_senses


def occurrence(*angles: float, sense: str | None = None) -> Occurrence:
    """A token layer without meaning, and one vector for each layer above."""
    vectors = [[1.0, 1.0, 1.0], *([np.cos(a), np.sin(a), 0.5] for a in angles)]
    senses = [] if sense is None else [sense]
    return Occurrence(["line"], 0, np.asarray(vectors, dtype=np.float32), senses)


def test_near_vectors_are_near_on_the_map() -> None:
    """In layer 1 the senses lie apart; in layer 2 they do not."""
    angles = np.linspace(-0.2, 0.2, 20)
    left = [occurrence(a, a, sense="A") for a in angles]
    right = [occurrence(np.pi + a, a, sense="B") for a in angles]
    found = map_senses(occurrence(np.pi, 0), left + right)
    assert found.word == "line"
    assert found.places.shape == (2, 41, 2)
    assert found.senses == ["A"] * 20 + ["B"] * 20
    distances = []
    for layer in found.places:
        a, b, query = layer[:20], layer[20:40], layer[40]
        to_a, to_b = (np.linalg.norm(x - query, axis=1).min() for x in (a, b))
        distances.append(to_a / to_b)
    assert distances[0] > 5 > distances[1]


def test_the_same_seed_gives_the_same_map() -> None:
    corpus = [occurrence(a, sense="A") for a in np.linspace(0, 3, 12)]
    first, again = (map_senses(occurrence(1), corpus, seed=4) for _ in range(2))
    assert np.array_equal(first.places, again.places)


def test_of_too_many_some_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sense_map, "MAX_POINTS", 10)
    corpus = [occurrence(n / 10, sense=str(n % 3)) for n in range(30)]
    found = map_senses(occurrence(1), corpus)
    assert found.places.shape == (1, 11, 2)
    assert len(found.senses) == 10


def test_rare_and_unknown_senses_share_names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sense_map, "MAX_SENSES", 2)
    senses = ["A", "A", "B", "B", "C", None, None, None]
    corpus = [occurrence(n, sense=sense) for n, sense in enumerate(senses)]
    found = map_senses(occurrence(1), corpus)
    assert found.senses == ["A", "A", "B", "B", OTHER, UNKNOWN, UNKNOWN, UNKNOWN]


def test_too_few_occurrences() -> None:
    with pytest.raises(ValueError, match="5 occurrences of 'line' or more, found 2"):
        map_senses(occurrence(1), [occurrence(1)] * 2)


def test_without_scikit_learn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sklearn.manifold", None)
    with pytest.raises(ImportError, match=r"spacy-elmo\[analysis\]"):
        map_senses(occurrence(1), [occurrence(1)] * 9)
