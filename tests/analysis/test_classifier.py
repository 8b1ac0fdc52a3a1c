"""Linear classifiers."""

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from spacy_elmo.analysis.classifier import Classifier, fit, predict
from spacy_elmo.analysis.inputs import LayerInputs, WordInputs
from spacy_elmo.analysis.layer_reader import combinations

N = 600
GENERATOR = np.random.default_rng(0)
LABELS = GENERATOR.integers(0, 3, N)
#: Three clouds, far from the origin and of unequal scales.
VECTORS = (
    np.eye(3)[LABELS] * [1, 10, 0.1] + GENERATOR.normal(0, 0.05, (N, 3)) * [1, 10, 0.1]
) + 100
LAYERS = LayerInputs(VECTORS[None].astype(np.float16), combinations(1)[0])
WORDS = WordInputs(LABELS[:, None] + 1, 4)


def train(inputs: LayerInputs | WordInputs, seed: int = 0) -> Classifier:
    classifier = inputs.classifier(3)
    fit(classifier, inputs, np.arange(N), LABELS, seed)
    return classifier


def parameters(classifier: Classifier) -> NDArray[np.float32]:
    return torch.cat([p.detach().flatten() for p in classifier.parameters()]).numpy()


@pytest.mark.parametrize("inputs", [LAYERS, WORDS], ids=["vectors", "words"])
def test_it_learns_what_is_linear(inputs: LayerInputs | WordInputs) -> None:
    found = predict(train(inputs), inputs, N)
    # float16 is coarse around 100: the third direction is lost, the others are enough.
    assert (found == LABELS).mean() > 0.99


def test_vectors_are_brought_to_mean_0_and_deviation_1() -> None:
    classifier = LAYERS.classifier(3)
    X = LAYERS(np.arange(N))
    scaled = (X - classifier.mean) / classifier.deviation
    np.testing.assert_allclose(scaled.mean(0), 0, atol=1e-4)
    np.testing.assert_allclose(scaled.std(0, correction=0), 1, atol=1e-4)


def test_a_dimension_that_never_changes() -> None:
    constant = LayerInputs(np.ones((1, N, 2), dtype=np.float16), combinations(1)[0])
    assert np.isfinite(parameters(train(constant))).all()


def test_words_seen_with_several_labels_take_the_most_frequent() -> None:
    rows = WordInputs(np.ones((N, 1), dtype=np.int64), 2)
    labels = np.where(np.arange(N) % 3 == 0, 1, 2)
    classifier = rows.classifier(3)
    fit(classifier, rows, np.arange(N), labels, 0)
    assert predict(classifier, rows, N).tolist() == [2] * N


def test_it_can_learn_from_some_of_the_words() -> None:
    words = np.flatnonzero(LABELS > 0)
    classifier = LAYERS.classifier(3)
    fit(classifier, LAYERS, words, LABELS[words], 0)
    found = predict(classifier, LAYERS, N)
    assert (found[words] == LABELS[words]).mean() > 0.99


def test_a_seed_gives_the_same_bits_and_another_does_not() -> None:
    first, again, other = (parameters(train(LAYERS, seed)) for seed in (0, 0, 1))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)
