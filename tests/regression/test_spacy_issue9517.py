"""explosion/spaCy#9517: a one-word text's vector was unrelated to the word's."""

import numpy as np
from spacy.language import Language


def test_a_doc_of_one_token_has_its_vector(elmo_nlp: Language) -> None:
    doc = elmo_nlp("Paris")
    np.testing.assert_array_equal(doc.vector, doc[0].vector)
