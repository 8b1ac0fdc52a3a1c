"""`doc._.elmo`, the vectors spaCy shows, and how to be rid of them."""

import copy
from collections.abc import Callable

import numpy as np
import pytest
import spacy
import torch
from spacy.language import Language
from spacy.tokens import Doc

from spacy_elmo import restore_hooks
from tests.util import TEXTS, WIDTH, bilm_of, make_nlp, pickled

# ---- Layers ----------------------------------------------------------------------


def test_doc_i_gets_its_own_rows(elmo_nlp: Language) -> None:
    """camphr gave Doc 2 the second representation of the batch."""
    texts = [TEXTS[2], TEXTS[1], TEXTS[0]]
    for doc, text in zip(elmo_nlp.pipe(texts), texts, strict=True):
        assert doc._.elmo.shape == (3, len(elmo_nlp.make_doc(text)), WIDTH)
        np.testing.assert_allclose(doc._.elmo, elmo_nlp(text)._.elmo, atol=1e-5)


def test_the_token_layer_is_the_token_vector_twice(elmo_nlp: Language) -> None:
    """allenai/allennlp#1614, #2343: 512 values, shown as 1024."""
    token_layer = elmo_nlp(TEXTS[0])._.elmo[0]
    half = WIDTH // 2
    np.testing.assert_array_equal(token_layer[:, :half], token_layer[:, half:])


def test_a_token_vector_without_a_positive_value_keeps_its_place() -> None:
    """AllenNLP's cache took such a word for padding."""
    nlp = make_nlp(heads=())
    with torch.no_grad():
        bilm_of(nlp).token_encoder.projection.bias.fill_(-100)
    token_layer = nlp("a b c")._.elmo[0]
    assert token_layer.max() < 0
    for row, word in zip(token_layer, "abc", strict=True):
        np.testing.assert_array_equal(row, nlp(word)._.elmo[0, 0])


def test_predict_leaves_the_docs_alone(elmo_nlp: Language) -> None:
    doc = elmo_nlp.make_doc(TEXTS[0])
    elmo_nlp.get_pipe("elmo").predict([doc])
    assert not doc.user_data
    assert not doc.tensor.size


def test_a_doc_that_elmo_has_not_read_has_none(elmo_nlp: Language) -> None:
    assert elmo_nlp.make_doc(TEXTS[0])._.elmo is None


def test_of_a_differently_named_component_the_only_layers_are_shown() -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("elmo", name="other")
    assert nlp(TEXTS[1])._.elmo.shape == (3, 1, 256)


def test_layers_can_be_set_and_forgotten(elmo_nlp: Language) -> None:
    doc = elmo_nlp(TEXTS[1])
    layers = np.ones((3, 1, WIDTH), dtype="f")
    doc._.elmo = layers
    np.testing.assert_array_equal(doc._.elmo, layers)
    doc._.elmo = None
    assert doc._.elmo is None
    assert not doc.user_data


# ---- Copies of Docs -----------------------------------------------------------------


def copied(doc: Doc) -> Doc:
    return doc.copy()


@pytest.mark.parametrize("copy_of", [pickled, copy.deepcopy, copied])
def test_a_copied_doc_has_layers_vectors_and_hooks(
    elmo_nlp: Language, copy_of: Callable[[Doc], Doc]
) -> None:
    doc, other = elmo_nlp(TEXTS[0]), elmo_nlp(TEXTS[2])
    twin = copy_of(doc)
    np.testing.assert_array_equal(twin._.elmo, doc._.elmo)
    np.testing.assert_array_equal(twin.tensor, doc.tensor)
    assert twin.user_hooks == doc.user_hooks
    assert twin[1].similarity(other[1]) == doc[1].similarity(other[1])


@pytest.mark.filterwarnings("ignore:.*W102")
def test_joined_docs_show_no_layers_but_the_tensor(elmo_nlp: Language) -> None:
    docs = [elmo_nlp(text) for text in TEXTS]
    joined = Doc.from_docs(docs)
    assert joined._.elmo is None
    tensors = np.concatenate([doc.tensor for doc in docs])
    np.testing.assert_array_equal(joined.tensor, tensors)


# ---- Vectors -----------------------------------------------------------------------


def test_a_span_has_a_norm(elmo_nlp: Language) -> None:
    """spaCy 3.8 answers Span.vector_norm from the hook "vector"."""
    span = elmo_nlp(TEXTS[0])[0:2]
    assert np.ndim(span.vector_norm) == 0
    assert span.vector_norm == pytest.approx(np.linalg.norm(span.vector), abs=1e-6)


def test_whitespace_has_no_vector(elmo_nlp: Language) -> None:
    doc = elmo_nlp("a  b")
    assert [token.has_vector for token in doc] == [True, False, True]
    assert doc[1].vector_norm == 0
    assert doc[1].similarity(doc[0]) == 0
    expected = (doc.tensor[0] + doc.tensor[2]) / 2
    np.testing.assert_allclose(doc[0:3].vector, expected, atol=1e-6)


def test_docs_spans_and_tokens_compare_with_each_other(elmo_nlp: Language) -> None:
    doc, other = elmo_nlp(TEXTS[0]), elmo_nlp("Paris")
    expected = doc.similarity(other)
    assert doc.similarity(other[0]) == pytest.approx(expected, abs=1e-6)
    assert other[0].similarity(doc) == pytest.approx(expected, abs=1e-6)
    assert doc[:].similarity(other[0:1]) == pytest.approx(expected, abs=1e-6)


def test_vectors_of_different_widths_are_not_compared(elmo_nlp: Language) -> None:
    other = make_nlp(heads=(), weights="layers1")(TEXTS[0])
    with pytest.raises(ValueError, match=r"\(24,\) and \(16,\)"):
        elmo_nlp(TEXTS[0]).similarity(other)


def test_without_hooks_the_tensor_is_still_the_vectors() -> None:
    doc = make_nlp(heads=(), elmo={"hooks": False})(TEXTS[0])
    assert not doc.user_hooks
    np.testing.assert_array_equal(doc[1].vector, doc.tensor[1])


def test_a_tok2vec_behind_it_does_not_change_the_vectors() -> None:
    nlp = make_nlp(heads=())
    expected = nlp(TEXTS[0])[4].vector
    nlp.add_pipe("tok2vec")
    nlp.initialize()
    np.testing.assert_array_equal(nlp(TEXTS[0])[4].vector, expected)


# ---- Rid of them -----------------------------------------------------------------


def test_doc_cleaner_takes_both(elmo_nlp: Language) -> None:
    nlp = make_nlp(heads=())
    nlp.add_pipe("doc_cleaner", config={"attrs": {"tensor": None, "_.elmo": None}})
    doc = nlp(TEXTS[0])
    assert doc._.elmo is None
    assert doc.tensor is None
    assert not doc.user_data


def test_a_cleaned_tensor_is_restored_from_the_layers(elmo_nlp: Language) -> None:
    doc = elmo_nlp(TEXTS[0])
    expected = doc.vector
    doc.tensor = None
    restore_hooks(doc)
    np.testing.assert_allclose(doc.vector, expected, atol=1e-6)


def test_a_cleaned_doc_says_that_it_is_to_be_read_again(elmo_nlp: Language) -> None:
    doc = elmo_nlp(TEXTS[0])
    doc._.elmo = doc.tensor = None
    with pytest.raises(ValueError, match="Run the pipeline on it again"):
        _ = doc.vector


def test_a_cleaned_doc_is_read_again(elmo_nlp: Language) -> None:
    doc = elmo_nlp(TEXTS[0])
    expected = doc.tensor
    doc._.elmo = doc.tensor = None
    np.testing.assert_array_equal(elmo_nlp(doc).tensor, expected)


def test_a_cleaned_doc_has_no_stale_tensor(elmo_nlp: Language) -> None:
    doc = elmo_nlp(TEXTS[0])
    doc._.elmo = None
    assert not doc.tensor.size
    top = {"@architectures": "spacy-elmo.SelectLayers.v1", "layers": [-1]}
    again = make_nlp(heads=(), elmo={"mix": top}).get_pipe("elmo")(doc)
    np.testing.assert_array_equal(again.tensor, again._.elmo[-1])


def test_restoring_leaves_a_tok2vec_its_tensor() -> None:
    nlp = make_nlp(heads=())
    nlp.add_pipe("tok2vec", first=True)
    nlp.initialize()
    doc = nlp(TEXTS[0])
    loaded = Doc(nlp.vocab).from_bytes(doc.to_bytes(exclude=["user_hooks"]))
    restore_hooks(loaded)
    np.testing.assert_array_equal(loaded.tensor, doc.tensor)
    np.testing.assert_array_equal(loaded[1].vector, doc[1].vector)


def test_a_cleaned_doc_travels_without_them(elmo_nlp: Language) -> None:
    doc = elmo_nlp(TEXTS[0])
    doc._.elmo = None
    data = doc.to_bytes(exclude=["tensor", "user_hooks"])
    loaded = Doc(elmo_nlp.vocab).from_bytes(data)
    assert loaded._.elmo is None
    assert not loaded.tensor.size
