"""dmlc/gluon-nlp#523: which layer, which pooling? Odd neighbours of averaged vectors.

Also allenai/allennlp#1765, #2340 and HIT-SCIR/ELMoForManyLangs#70. A Doc's vector is
the mean over its words of the average of the layers.
"""

import warnings

import numpy as np
import pytest
from spacy.language import Language

from tests.util import TEXTS, WIDTH


def test_a_vector_is_the_mean_over_words_of_the_average_layer(
    elmo_nlp: Language,
) -> None:
    doc = elmo_nlp("a  b\n\nc ")
    words = [token.i for token in doc if not token.is_space]
    assert 0 < len(words) < len(doc)
    average = doc._.elmo.mean(axis=0)
    np.testing.assert_allclose(doc.tensor, average, atol=1e-6)
    np.testing.assert_allclose(doc.vector, average[words].mean(axis=0), atol=1e-6)


def test_a_doc_is_most_similar_to_itself(elmo_nlp: Language) -> None:
    doc, other = elmo_nlp(TEXTS[0]), elmo_nlp(TEXTS[2])
    assert doc.similarity(doc) == pytest.approx(1, abs=1e-6)
    assert doc.similarity(other) < 1 - 1e-4


@pytest.mark.parametrize("text", ["", "\n\n"])
def test_a_doc_without_words_is_similar_to_nothing(
    elmo_nlp: Language, text: str
) -> None:
    empty = elmo_nlp(text)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert empty.similarity(elmo_nlp(TEXTS[0])) == 0
        assert elmo_nlp(TEXTS[0]).similarity(empty) == 0
        assert not empty.has_vector
        assert empty.vector_norm == 0
        np.testing.assert_array_equal(empty.vector, np.zeros(WIDTH))
