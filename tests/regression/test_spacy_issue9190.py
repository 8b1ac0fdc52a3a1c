"""explosion/spaCy#9190, PR #9226: DocBin stored user data although told not to."""

import numpy as np
from spacy.language import Language
from spacy.tokens import Doc, DocBin

from tests.util import TEXTS


def saved(docs: list[Doc], store_user_data: bool) -> DocBin:
    return DocBin(store_user_data=store_user_data, docs=docs)


def test_without_user_data_the_vectors_take_no_room(elmo_nlp: Language) -> None:
    with_vectors = [elmo_nlp(text) for text in TEXTS]
    without = [elmo_nlp.make_doc(text) for text in TEXTS]
    sizes = {len(saved(docs, False).to_bytes()) for docs in (with_vectors, without)}
    assert len(sizes) == 1


def test_with_user_data_the_vectors_come_back(elmo_nlp: Language) -> None:
    docs = [elmo_nlp(text) for text in TEXTS]
    docbin = DocBin().from_bytes(saved(docs, True).to_bytes())
    for ours, theirs in zip(docs, docbin.get_docs(elmo_nlp.vocab), strict=True):
        np.testing.assert_array_equal(ours._.elmo, theirs._.elmo)
