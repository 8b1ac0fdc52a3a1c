"""ltgoslo/simple_elmo_training PR #2: code points as ids overflowed the table."""

import unicodedata

import numpy as np
import pytest
from spacy.language import Language

from spacy_elmo.characters import words_to_ids
from tests.util import make_doc

WORDS = [
    "🙂",
    "👩‍👩‍👧‍👦",
    "e\u0301",
    "naïve",
    "语言",
    "المكتبة",
    "हिन्दी",
    "\x00",
    "\U0010ffff",
]


def test_every_id_is_in_the_table() -> None:
    ids = words_to_ids(WORDS)
    assert ids.min() >= 1
    assert ids.max() <= 261


@pytest.mark.parametrize("word", WORDS)
def test_every_word_gets_a_finite_vector(elmo_nlp: Language, word: str) -> None:
    layers = elmo_nlp(make_doc(elmo_nlp.vocab, [word]))._.elmo
    assert np.isfinite(layers).all()
    assert layers.any()


def test_nothing_is_normalized() -> None:
    composed, decomposed = (
        unicodedata.normalize(form, "café") for form in ("NFC", "NFD")
    )
    a, b = words_to_ids([composed, decomposed])
    assert a.tolist() != b.tolist()
