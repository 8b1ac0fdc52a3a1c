"""Classifiers of layers, and what they are compared with."""

import random
import statistics

import pytest

from spacy_elmo.analysis.labelled import Labelled
from spacy_elmo.analysis.probe import probe
from spacy_elmo.analysis.results import Results
from tests.analysis.util import make_reader

WORDS = ["one", "two", "three", "four"]


def previous_words(n: int, seed: int) -> list[Labelled]:
    """Sentences of random words, each labelled with the word before it."""
    generator = random.Random(seed)
    sentences = []
    for _ in range(n):
        words = [generator.choice(WORDS) for _ in range(8)]
        sentences.append(Labelled(words, ["first", *words[:-1]]))
    return sentences


def scores(results: Results, column: str = "accuracy") -> dict[str, float]:
    return {row.name: statistics.mean(row.scores[column]) for row in results.rows}


@pytest.fixture(scope="module")
def context() -> Results:
    """A task that words alone do not solve."""
    train, test = previous_words(150, 0), previous_words(40, 1)
    return probe(make_reader(), train, test, task="tag", seeds=(0, 1))


def test_context_is_in_the_bilstm_layers_and_not_in_the_token_layer(
    context: Results,
) -> None:
    found = scores(context)
    for blind in ("most frequent label of the word", "one-hot word", "token layer"):
        assert found[blind] < 0.35
    for layer in ("biLSTM layer 1", "biLSTM layer 2", "uniform mix", "concatenation"):
        assert found[layer] > 0.5
    assert found["one-hot word and neighbours"] == 1


def test_details(context: Results) -> None:
    assert context.details["seeds"] == [0, 1]
    assert context.details["train"] == {"sentences": 150, "words": 1200}
    assert context.details["test"] == {"sentences": 40, "words": 320}
    assert context.details["weights"]["source"] == "weights.hdf5"


def test_counted_baselines_have_no_seeds(context: Results) -> None:
    lengths = {row.name: len(row.scores["accuracy"]) for row in context.rows}
    counted = {"most frequent label", "most frequent label of the word"}
    assert lengths == {name: 1 if name in counted else 2 for name in lengths}
    baselines = [row.name for row in context.rows if row.is_baseline]
    assert baselines == [
        *sorted(counted),
        "one-hot word",
        "one-hot word and neighbours",
    ]


def test_counted_baselines() -> None:
    train = [Labelled(["a", "b", "b", "b", "c"], ["X", "Y", "X", "Y", "X"])]
    test = [Labelled(["a", "b", "c", "d"], ["X", "Y", "Y", "X"])]
    found = scores(probe(make_reader(), train, test, task="tag", seeds=[0]))
    assert found["most frequent label"] == 0.5
    assert found["most frequent label of the word"] == 0.75


def test_spans_are_scored_where_labels_mark_them() -> None:
    train = [Labelled(["Anna", "Lee", "saw", "Rome"], ["B-P", "I-P", "O", "B-L"])] * 30
    test = [Labelled(["Rome", "saw", "Anna", "Lee"], ["B-L", "O", "B-P", "I-P"])]
    results = probe(make_reader(), train, test, task="ner", seeds=[0])
    assert results.columns == ["F1", "accuracy"]
    assert scores(results, "F1")["most frequent label of the word"] == 1
    assert scores(results, "F1")["token layer"] == 1


def test_words_without_labels_are_read_but_neither_learned_nor_scored() -> None:
    train = [Labelled(["a", "b", "c"], ["X", None, "Y"])] * 20
    test = [Labelled(["a", "b", "c"], ["X", None, "Y"])]
    found = scores(probe(make_reader(), train, test, task="tag", seeds=[0]))
    assert found["token layer"] == found["one-hot word"] == 1


def test_a_seed_gives_the_same_scores() -> None:
    sentences = previous_words(20, 2)
    first, again = (
        probe(make_reader(), sentences, sentences[:5], task="tag", seeds=[3])
        for _ in range(2)
    )
    assert first.rows == again.rows
