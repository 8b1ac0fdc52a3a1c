"""allenai/allennlp#837, PR #842: a batch of nothing but empty sentences failed."""

import numpy as np
import pytest
from spacy.language import Language
from spacy.tokens import Doc

from spacy_elmo.bilm.engine import Engine
from tests.util import WIDTH, count_calls, elmo_of, make_nlp


@pytest.mark.parametrize("texts", [[""], ["", ""]])
def test_empty_docs_get_layers_without_rows(
    elmo_nlp: Language, texts: list[str]
) -> None:
    for doc in elmo_nlp.pipe(texts):
        assert doc._.elmo.shape == (3, 0, WIDTH)
        assert doc._.elmo.dtype == np.float32
        assert doc.tensor.shape == (0, WIDTH)


def test_an_empty_doc_keeps_the_others_in_place(elmo_nlp: Language) -> None:
    docs = list(elmo_nlp.pipe(["a", "", "b"]))
    assert [doc._.elmo.shape[1] for doc in docs] == [1, 0, 1]
    for doc in (docs[0], docs[2]):
        np.testing.assert_allclose(doc._.elmo, elmo_nlp(doc.text)._.elmo, atol=1e-5)


def test_the_network_is_not_called_without_words() -> None:
    nlp = make_nlp(heads=())
    with count_calls(Engine, "layers") as calls:
        outputs = elmo_of(nlp).predict([Doc(nlp.vocab), Doc(nlp.vocab)])
        assert calls == []
        nlp("word")
        assert len(calls) == 1
    assert [layers.shape for layers in outputs] == [(3, 0, WIDTH)] * 2
