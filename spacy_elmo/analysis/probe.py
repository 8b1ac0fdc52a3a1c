"""What a linear classifier finds in each layer (Peters et al. 2018, Table 6)."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from .classifier import fit, predict
from .inputs import LayerInputs, WordInputs, one_hot, read_layers
from .labelled import SPAN_TASKS, Labelled, Split
from .layer_reader import LayerReader, combinations
from .results import Results, Row
from .scores import accuracy, span_f1

#: One-hot classifiers, and how many words they see at each side of a word.
ONE_HOT = {"one-hot word": 0, "one-hot word and neighbours": 1}


def probe(
    reader: LayerReader,
    train: Sequence[Labelled],
    test: Sequence[Labelled],
    *,
    task: str,
    seeds: Sequence[int] = (0, 1, 2),
) -> Results:
    """Train linear classifiers on layers, and on words for comparison, and test them.

    Nothing is tuned, so that no third set is needed.

    task (str): "tag", "chunk" or "ner"; decides whether spans are scored too.
    seeds (Sequence[int]): One training each.
    """
    run = Probe(Split(train), Split(test), task, seeds)
    details = {
        "weights": reader.provenance,
        "seeds": list(seeds),
        "train": run.train.size,
        "test": run.test.size,
    }
    rows = [*run.counted(), *run.one_hot(), *run.layers(reader)]
    return Results(task, rows, details)


@dataclass(frozen=True)
class Probe:
    """All classifiers of one task, trained and tested on the same words."""

    train: Split
    test: Split
    task: str
    seeds: Sequence[int]

    def counted(self) -> Iterator[Row]:
        """The most frequent label of all words, and of each word."""
        of_words: dict[str, Counter[str]] = defaultdict(Counter)
        total: Counter[str] = Counter()
        for word, label in zip(self.train.words, self.train.labels):
            if label is not None:
                of_words[word][label] += 1
                total[label] += 1
        majority = _most_frequent(total)
        best = {word: _most_frequent(labels) for word, labels in of_words.items()}
        everywhere = [majority] * len(self.test.words)
        by_word = [best.get(word, majority) for word in self.test.words]
        yield self._row("most frequent label", [everywhere], True)
        yield self._row("most frequent label of the word", [by_word], True)

    def one_hot(self) -> Iterator[Row]:
        """Classifiers that know words by name alone."""
        for name, n_neighbours in ONE_HOT.items():
            known, tested = one_hot(self.train, self.test, n_neighbours)
            yield self._row(name, self._predict(known, tested), True)

    def layers(self, reader: LayerReader) -> Iterator[Row]:
        """Classifiers of each layer, of the mix and of the concatenation."""
        known, tested = (read_layers(reader, s) for s in (self.train, self.test))
        for combination in combinations(reader.n_layers):
            inputs = (LayerInputs(layers, combination) for layers in (known, tested))
            yield self._row(combination.name, self._predict(*inputs), False)

    def _predict(
        self, known: LayerInputs | WordInputs, tested: LayerInputs | WordInputs
    ) -> Iterator[list[str]]:
        """Train once a seed, and label the test set."""
        names = sorted({label for label in self.train.labels if label is not None})
        numbers = {label: number for number, label in enumerate(names)}
        pairs = [
            (word, numbers[label])
            for word, label in enumerate(self.train.labels)
            if label is not None
        ]
        words, labels = np.asarray(pairs, dtype=np.int64).T
        for seed in self.seeds:
            classifier = known.classifier(len(names))
            fit(classifier, known, words, labels, seed)
            best = predict(classifier, tested, len(self.test.words))
            yield [names[number] for number in best]

    def _row(
        self, name: str, predictions: Iterator[list[str]] | list[list[str]], base: bool
    ) -> Row:
        gold, cut = self.test.labels, self.test.cut
        scores: dict[str, list[float]] = defaultdict(list)
        for labels in predictions:
            if self.task in SPAN_TASKS:
                scores["F1"].append(span_f1(list(cut(gold)), list(cut(labels))))
            scores["accuracy"].append(accuracy(gold, labels))
        return Row(name, dict(scores), base)


def _most_frequent(labels: Counter[str]) -> str:
    """Of equally frequent ones the first that was seen."""
    ((label, _),) = labels.most_common(1)
    return label
