"""explosion/spaCy#6402, #5057, PR #6595: user hooks vanish on their way through bytes.

Also MartinoMensio/spacy-sentence-bert#2. spaCy says so by W109; `restore_hooks` puts
ours back.
"""

import warnings

import numpy as np
import pytest
from spacy.language import Language
from spacy.tokens import Doc, DocBin

from spacy_elmo import restore_hooks
from tests.util import TEXTS, make_nlp


def through_bytes(nlp: Language, doc: Doc) -> Doc:
    with pytest.warns(UserWarning, match="W109"):
        data = doc.to_bytes()
    return Doc(nlp.vocab).from_bytes(data)


def test_hooks_warn_and_are_lost(elmo_nlp: Language) -> None:
    doc = through_bytes(elmo_nlp, elmo_nlp(TEXTS[0]))
    assert not doc.user_hooks and not doc.user_token_hooks and not doc.user_span_hooks


def test_a_component_without_hooks_does_not_warn() -> None:
    doc = make_nlp(heads=(), elmo={"hooks": False})(TEXTS[0])
    assert not doc.user_hooks
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        doc.to_bytes()


def test_they_are_restored_after_bytes(elmo_nlp: Language) -> None:
    doc = elmo_nlp(TEXTS[0])
    loaded = through_bytes(elmo_nlp, doc)
    restore_hooks(loaded)
    other = elmo_nlp(TEXTS[2])
    assert loaded.similarity(other) == doc.similarity(other)
    assert loaded[1].similarity(other[1]) == doc[1].similarity(other[1])
    np.testing.assert_array_equal(loaded[1:3].vector, doc[1:3].vector)


@pytest.mark.parametrize("weights", [None, [0.5, 0.25, 0.25]])
def test_they_are_restored_after_docbin_which_keeps_no_tensor(
    weights: list[float] | None,
) -> None:
    mix = {"@architectures": "spacy-elmo.ScalarMix.v1", "weights": weights}
    nlp = make_nlp(heads=(), elmo={"mix": mix})
    docs = [nlp(text) for text in ["", *TEXTS]]
    docbin = DocBin(store_user_data=True, docs=docs)
    loaded = list(DocBin().from_bytes(docbin.to_bytes()).get_docs(nlp.vocab))
    restore_hooks(loaded)
    for ours, theirs in zip(docs, loaded, strict=True):
        np.testing.assert_allclose(theirs.tensor, ours.tensor, atol=1e-6)
        assert theirs.tensor.shape == ours.tensor.shape
        assert theirs.user_hooks.keys() == ours.user_hooks.keys()


def test_a_doc_without_layers_is_refused(elmo_nlp: Language) -> None:
    with pytest.raises(ValueError, match="store_user_data=True"):
        restore_hooks(elmo_nlp.make_doc(TEXTS[0]))
