"""explosion/spacy-transformers#132, #135, spaCy#4766: batch mates mattered."""

import numpy as np
import pytest
from spacy.language import Language

from tests.util import TEXTS

LENGTHS = [TEXTS[0], "Paris", " ".join(TEXTS * 10), "", "word " * 200, TEXTS[2]]


@pytest.mark.parametrize("batch_size", [1, 2, 8])
def test_every_batch_size_agrees_with_single_calls(
    elmo_nlp: Language, batch_size: int
) -> None:
    docs = elmo_nlp.pipe(LENGTHS, batch_size=batch_size)
    for doc, text in zip(docs, LENGTHS, strict=True):
        alone = elmo_nlp(text)
        np.testing.assert_allclose(doc._.elmo, alone._.elmo, atol=1e-5)
        np.testing.assert_allclose(doc.tensor, alone.tensor, atol=1e-5)


def test_docs_of_one_batch_are_not_mixed_up(elmo_nlp: Language) -> None:
    batch = [elmo_nlp.make_doc(text) for text in LENGTHS]
    for doc, text in zip(elmo_nlp.get_pipe("elmo").pipe(iter(batch)), LENGTHS):
        assert doc.text == text
        assert doc._.elmo.shape[1] == len(doc)
