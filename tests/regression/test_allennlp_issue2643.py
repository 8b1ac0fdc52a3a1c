"""allenai/allennlp#2643: a text's place in the file decided its vectors."""

import numpy as np
import pytest
from spacy.language import Language

from tests.util import TEXTS, layers_of

MANY = [f"{text} {i}" for i in range(10) for text in TEXTS]


@pytest.mark.parametrize("batch_size", [1, 7, 64])
def test_the_batch_size_decides_nothing(elmo_nlp: Language, batch_size: int) -> None:
    expected = [elmo_nlp(text)._.elmo for text in MANY]
    for a, b in zip(
        layers_of(elmo_nlp, MANY, batch_size=batch_size), expected, strict=True
    ):
        np.testing.assert_allclose(a, b, atol=1e-5)


def test_reversing_the_texts_reverses_the_vectors(elmo_nlp: Language) -> None:
    there = layers_of(elmo_nlp, MANY)
    back = layers_of(elmo_nlp, MANY[::-1])[::-1]
    for a, b in zip(there, back, strict=True):
        np.testing.assert_allclose(a, b, atol=1e-5)
