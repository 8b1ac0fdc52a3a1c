"""explosion/spaCy PR #1845, #1791: equal words were similar by 1 in any context."""

import pytest
from spacy.language import Language
from spacy.tokens import Token


@pytest.fixture(scope="module")
def bank(elmo_nlp: Language) -> Token:
    return elmo_nlp("river bank")[1]


def test_a_word_in_another_context_is_less_similar(
    elmo_nlp: Language, bank: Token
) -> None:
    other = elmo_nlp("bank loan")[0]
    assert bank.orth == other.orth
    assert bank.similarity(other) < 0.999
    assert bank.doc[1:2].similarity(other.doc[0:1]) == bank.similarity(other)


def test_a_word_in_the_same_context_is_as_similar_as_can_be(
    elmo_nlp: Language, bank: Token
) -> None:
    assert bank.similarity(elmo_nlp("river bank")[1]) == pytest.approx(1, abs=1e-6)


def test_similarity_is_the_cosine_of_vectors(elmo_nlp: Language, bank: Token) -> None:
    other = elmo_nlp("bank loan")[0]
    cosine = bank.vector @ other.vector / (bank.vector_norm * other.vector_norm)
    assert bank.similarity(other) == pytest.approx(float(cosine), abs=1e-6)
