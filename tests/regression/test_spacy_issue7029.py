"""explosion/spaCy#7029: an empty text in a batch made all tags ADP."""

import numpy as np
import pytest
from spacy.language import Language

from tests.util import TRAIN, WIDTH, annotations_of

TEXTS = [text for text, _, _ in TRAIN[:2]]


@pytest.mark.parametrize("place", [0, 1, 2], ids=["first", "middle", "last"])
def test_an_empty_text_changes_no_annotation(trained_nlp: Language, place: int) -> None:
    expected = [trained_nlp(text) for text in TEXTS]
    assert annotations_of(expected[0]) != annotations_of(expected[1])
    docs = list(trained_nlp.pipe([*TEXTS[:place], "", *TEXTS[place:]]))
    assert docs.pop(place)._.elmo.shape == (3, 0, WIDTH)
    for doc, alone in zip(docs, expected, strict=True):
        assert annotations_of(doc) == annotations_of(alone)
        np.testing.assert_allclose(doc._.elmo, alone._.elmo, atol=1e-5)
