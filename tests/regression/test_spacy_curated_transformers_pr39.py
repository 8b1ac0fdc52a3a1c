"""explosion/spacy-curated-transformers PR #39: whitespace tokens are not read.

Their rows are zero, and their neighbours do not notice them.
"""

import numpy as np
import pytest
from spacy.language import Language

from tests.util import WIDTH


@pytest.mark.parametrize("text", ["a  b", "a\n\nb", " a b", "a b  ", "a \t\n b\n"])
def test_neighbours_do_not_notice_whitespace(elmo_nlp: Language, text: str) -> None:
    doc = elmo_nlp(text)
    spaces = np.array([token.is_space for token in doc])
    assert spaces.any()
    assert doc._.elmo.shape == (3, len(doc), WIDTH)
    np.testing.assert_array_equal(doc._.elmo[:, ~spaces], elmo_nlp("a b")._.elmo)
    assert not doc._.elmo[:, spaces].any()


@pytest.mark.parametrize("text", ["\n\n", " ", "\t \n"])
def test_a_text_of_whitespace_is_rows_of_zeros(
    trained_nlp: Language, text: str
) -> None:
    doc = trained_nlp(text)
    assert len(doc) > 0
    np.testing.assert_array_equal(doc._.elmo, np.zeros((3, len(doc), WIDTH)))
