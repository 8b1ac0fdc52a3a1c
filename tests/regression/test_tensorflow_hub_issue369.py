"""tensorflow/hub#369: a longer text in the batch changed the vectors of a word."""

import numpy as np
import pytest
from spacy.language import Language

from tests.util import layers_of


@pytest.mark.parametrize("length", [1, 2, 31, 32, 33, 100, 500])
def test_no_batch_mate_changes_a_vector(elmo_nlp: Language, length: int) -> None:
    mate = "and the word goes on " * (length // 5) + "word " * (length % 5)
    alone = elmo_nlp("word")._.elmo
    together = layers_of(elmo_nlp, ["word", mate])[0]
    np.testing.assert_allclose(together, alone, atol=1e-5)
    np.testing.assert_array_equal(together[0], alone[0])
