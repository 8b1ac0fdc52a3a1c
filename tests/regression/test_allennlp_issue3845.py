"""allenai/allennlp#3845, #3995: vectors changed from one pass of a loop to the next."""

import numpy as np
from spacy.language import Language

from tests.util import TEXTS, layers_of


def test_the_same_stream_twice_is_bit_equal(elmo_nlp: Language) -> None:
    for a, b in zip(
        layers_of(elmo_nlp, TEXTS), layers_of(elmo_nlp, TEXTS), strict=True
    ):
        np.testing.assert_array_equal(a, b)


def test_equal_texts_are_equal_wherever_they_stand(elmo_nlp: Language) -> None:
    first, *_, last = layers_of(elmo_nlp, [TEXTS[0], *TEXTS[1:], TEXTS[0]])
    np.testing.assert_allclose(first, last, atol=1e-5)
