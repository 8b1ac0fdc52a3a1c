"""explosion/spaCy#5471: the vector of an empty text had length 0, others had 96."""

import numpy as np
import pytest
from spacy.language import Language

from tests.util import WIDTH


@pytest.mark.parametrize("text", ["", " ", "Paris", "He sat on the bank."])
def test_every_doc_vector_has_one_width(elmo_nlp: Language, text: str) -> None:
    doc = elmo_nlp(text)
    assert doc.vector.shape == (WIDTH,)
    assert doc.vector.dtype == np.float32
    assert doc._.elmo.shape[-1] == WIDTH
