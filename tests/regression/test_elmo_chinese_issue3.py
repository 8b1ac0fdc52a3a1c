"""rokid/ELMo-chinese#3: the limit on a word's length counts bytes, not characters."""

import numpy as np
import pytest
from spacy.language import Language

from spacy_elmo.characters import word_to_ids
from tests.util import make_doc

CUT = "a" + "é" * 30  # 61 bytes


def test_a_long_word_is_cut_at_48_bytes_even_inside_a_character() -> None:
    ids = word_to_ids(CUT)
    assert len(ids) == 50
    assert ids[0] == 259
    assert ids[1:49] == [byte + 1 for byte in CUT.encode("utf8")[:48]]
    assert ids[48] == 0xC3 + 1
    assert ids[49] == 260


@pytest.mark.parametrize("word", ["语" * 60, "x" * 60, "y" * 10_000])
def test_a_cut_word_keeps_its_end_mark(word: str) -> None:
    ids = word_to_ids(word)
    assert len(ids) == 50
    assert ids[-1] == 260
    assert max(ids) < 262


def test_words_equal_in_48_bytes_have_equal_token_vectors(elmo_nlp: Language) -> None:
    start = "x" * 48
    doc = elmo_nlp(make_doc(elmo_nlp.vocab, [start + "a", start + "b", start[1:]]))
    token_layer = doc._.elmo[0]
    np.testing.assert_array_equal(token_layer[0], token_layer[1])
    assert np.abs(token_layer[0] - token_layer[2]).max() > 0
