"""allenai/allennlp#4661: users padded with empty words and got vectors for them.

spaCy has no empty tokens; whitespace is the nearest thing, and its rows are zero.
"""

import numpy as np
import pytest
from spacy.language import Language

from spacy_elmo.characters import word_to_ids
from tests.util import make_doc


def test_an_empty_word_is_its_two_marks() -> None:
    assert word_to_ids("") == [259, 260] + [261] * 48


def test_spacy_refuses_empty_tokens(elmo_nlp: Language) -> None:
    with pytest.raises(ValueError, match="E031"):
        make_doc(elmo_nlp.vocab, ["a", ""])


def test_whitespace_is_a_row_of_zeros(elmo_nlp: Language) -> None:
    layers = elmo_nlp(make_doc(elmo_nlp.vocab, ["a", " "]))._.elmo
    assert layers.shape[1] == 2
    assert not layers[:, 1].any()
    assert np.isfinite(layers).all()
