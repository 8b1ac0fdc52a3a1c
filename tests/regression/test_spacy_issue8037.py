"""explosion/spaCy#8037, #11115, #6511, #9964: no vectors of the embedding on tokens."""

import numpy as np
from spacy.language import Language

from tests.util import TEXTS, WIDTH, make_nlp


def test_tokens_spans_and_docs_have_vectors(elmo_nlp: Language) -> None:
    assert elmo_nlp.vocab.vectors.size == 0
    doc = elmo_nlp(TEXTS[0])
    assert doc.tensor.shape == (len(doc), WIDTH)
    for part in (doc, doc[1:3], doc[1]):
        assert part.has_vector
        assert part.vector.shape == (WIDTH,)
        assert part.vector_norm == np.linalg.norm(part.vector) > 0
    np.testing.assert_array_equal(doc[1].vector, doc.tensor[1])
    np.testing.assert_array_equal(doc[1:3].vector, doc.tensor[1:3].mean(axis=0))


def test_static_vectors_do_not_hide_them() -> None:
    nlp = make_nlp(heads=())
    nlp.vocab.set_vector("bank", np.ones(7, dtype="f"))
    doc = nlp(TEXTS[0])
    assert doc[4].vector.shape == (WIDTH,)
    assert doc.has_vector and doc[0].has_vector
