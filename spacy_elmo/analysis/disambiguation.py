"""Word senses by the nearest centroid (Peters et al. 2018, Table 5)."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .layer_reader import Combination, LayerReader, combinations
from .results import Results, Row
from .senses import Entry, Sense, SenseSentence

#: Ways to answer without a biLM.
FIRST_SENSE, MOST_FREQUENT = "WordNet's first sense", "most frequent sense in training"
#: All test sets together.
ALL = "F1, all"

#: The vectors of one occurrence: (n_layers, width).
Vectors = NDArray[np.float32]
#: For each way to answer a sense key; None where it knows nothing of the word.
Answers = dict[str, str | None]


@dataclass
class Centroid:
    """The average over the occurrences of a sense."""

    total: Vectors
    count: int = 0

    def add(self, vectors: Vectors) -> None:
        """Take in one occurrence."""
        self.total += vectors
        self.count += 1

    @property
    def mean(self) -> Vectors:
        """(n_layers, width)"""
        return self.total / np.float32(self.count)


class Judged(NamedTuple):
    """A test word.

    is_known (bool): Whether the training text has its lemma as this part of speech.
    is_right (Dict[str, bool]): For each way to answer.
    """

    is_known: bool
    is_right: dict[str, bool]


@dataclass(frozen=True)
class Disambiguator:
    """Answers with the sense whose centroid is nearest.

    ways (List[Combination]): How to make one vector of an occurrence's layers.
    first_senses (Mapping[Entry, str]): The answer for words without centroids.
    centroids (Dict[Entry, Dict[str, Centroid]]): Of each sense of each word.
    """

    ways: list[Combination]
    first_senses: Mapping[Entry, str]
    centroids: dict[Entry, dict[str, Centroid]] = field(default_factory=dict)

    def learn(self, sense: Sense, vectors: Vectors) -> None:
        """Take in an occurrence of the training text."""
        of_word = self.centroids.setdefault(sense.entry, {})
        for key in sense.keys:
            of_word.setdefault(key, Centroid(np.zeros_like(vectors))).add(vectors)

    def answer(self, entry: Entry, vectors: Vectors) -> Answers:
        """The sense of one occurrence, by each way."""
        first, of_word = self.first_senses.get(entry), self.centroids.get(entry)
        names = [MOST_FREQUENT, *(way.name for way in self.ways)]
        if of_word is None:
            return dict.fromkeys([FIRST_SENSE, *names], first)
        keys = list(of_word)
        means = np.stack([c.mean for c in of_word.values()], axis=1)  # (L, n, D)
        frequent = keys[int(np.argmax([c.count for c in of_word.values()]))]
        answers: Answers = {FIRST_SENSE: first, MOST_FREQUENT: frequent}
        for way in self.ways:
            cosines = _cosines(way.combine(means), way.combine(vectors))
            answers[way.name] = keys[int(cosines.argmax())]
        return answers

    def judge(self, sense: Sense, vectors: Vectors) -> Judged:
        """Answer and compare. Any of several keys is right."""
        answers = self.answer(sense.entry, vectors)
        is_right = {name: key in sense.keys for name, key in answers.items()}
        return Judged(sense.entry in self.centroids, is_right)


def disambiguate(
    reader: LayerReader,
    train: Iterable[SenseSentence],
    tests: Mapping[str, Iterable[SenseSentence]],
    first_senses: Mapping[Entry, str],
) -> Results:
    """Find the senses of words by the nearest centroid, layer by layer.

    A word takes, among the senses that its lemma and part of speech have in `train`,
    the one with the highest cosine between the occurrence and the average of the
    sense's occurrences. A word that `train` lacks takes WordNet's first sense. Every
    word is answered, so that the share of right ones is precision, recall and F1 at
    once. Nothing is random, so that there are no seeds.

    train (Iterable[SenseSentence]): Read once; centroids alone are kept.
    tests (Mapping[str, Iterable[SenseSentence]]): Test sets by name.
    first_senses (Mapping[Entry, str]): From `read_first_senses`.
    RAISES (ValueError): A test set without senses.
    """
    model = Disambiguator(combinations(reader.n_layers), first_senses)
    for sense, vectors in _occurrences(reader, train):
        model.learn(sense, vectors)
    judged = {
        name: [model.judge(*found) for found in _occurrences(reader, sentences)]
        for name, sentences in tests.items()
    }
    for name, words in judged.items():
        if not words:
            raise ValueError(f"{name}: no word has a sense.")
    judged = {ALL: list(chain.from_iterable(judged.values())), **judged}
    details = {
        "weights": reader.provenance,
        "train": {
            "words": len(model.centroids),
            "senses": sum(map(len, model.centroids.values())),
        },
        "test": {name: _size(words) for name, words in judged.items()},
    }
    return Results("sense", list(_rows(judged)), details)


def _occurrences(
    reader: LayerReader, sentences: Iterable[SenseSentence]
) -> Iterator[tuple[Sense, Vectors]]:
    """Every word that has a sense, with its vectors."""
    for sentence, layers in reader.read(sentences):
        for sense in sentence.senses:
            yield sense, layers[:, sense.place]


def _cosines(means: NDArray[Any], vector: NDArray[Any]) -> NDArray[Any]:
    """The cosine of each mean (n, D) and a vector (D,), times the vector's norm."""
    norms = np.linalg.norm(means, axis=1)
    return (means @ vector) / np.maximum(norms, 1e-12)


def _rows(judged: dict[str, list[Judged]]) -> Iterator[Row]:
    for name in judged[ALL][0].is_right:
        scores = {
            test: [sum(word.is_right[name] for word in words) / len(words)]
            for test, words in judged.items()
        }
        yield Row(name, scores, is_baseline=name in (FIRST_SENSE, MOST_FREQUENT))


def _size(words: list[Judged]) -> dict[str, int]:
    n_known = sum(word.is_known for word in words)
    return {"words": len(words), "backed_off": len(words) - n_known}
