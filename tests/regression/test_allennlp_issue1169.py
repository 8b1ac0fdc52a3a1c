"""allenai/allennlp#1169: a sentence embedded twice got two different vectors.

Also allenai/allennlp#2722 and HIT-SCIR/ELMoForManyLangs#30: state was carried over.
"""

import numpy as np
from spacy.language import Language

from tests.util import TEXTS, layers_of

TEXT = "hello my name is mud ."


def test_the_same_text_twice_is_bit_equal(elmo_nlp: Language) -> None:
    np.testing.assert_array_equal(elmo_nlp(TEXT)._.elmo, elmo_nlp(TEXT)._.elmo)


def test_a_hundred_other_texts_in_between_change_nothing(elmo_nlp: Language) -> None:
    before = elmo_nlp(TEXT)._.elmo
    layers_of(elmo_nlp, TEXTS * 34)
    np.testing.assert_array_equal(before, elmo_nlp(TEXT)._.elmo)
