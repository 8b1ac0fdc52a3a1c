"""Rostlab/SeqVec#2: texts that are read by length come back in their own order."""

import numpy as np
import pytest
from spacy.language import Language

TEXTS = [" ".join(["word"] * (n % 13) + [f"end{n}"]) for n in range(40)]


@pytest.mark.parametrize("batch_size", [1, 9, 256])
def test_texts_keep_their_places_and_partners(
    elmo_nlp: Language, batch_size: int
) -> None:
    pairs = [(text, i) for i, text in enumerate(TEXTS)]
    found = list(elmo_nlp.pipe(pairs, as_tuples=True, batch_size=batch_size))
    assert [i for _, i in found] == list(range(len(TEXTS)))
    for (doc, _), text in zip(found, TEXTS, strict=True):
        assert doc.text == text
        np.testing.assert_allclose(doc._.elmo, elmo_nlp(text)._.elmo, atol=1e-5)
