"""How far a word sees: its sentence, its Doc, or a window."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from spacy.language import Language

from tests.util import bilm_of, make_doc, make_nlp

TEXT = "Anna lives in Paris. Ben  saw her there!\n\nNobody saw them leave the city."


def with_context(name: str, **settings: Any) -> Language:
    context = {"@misc": f"spacy-elmo.{name}Context.v1", **settings}
    return make_nlp(heads=(), context=context)


@pytest.fixture(scope="module")
def document() -> Language:
    return with_context("Document")


@pytest.fixture(scope="module")
def sentence() -> Language:
    return with_context("Sentence")


def torch_layers(nlp: Language, words: list[str]) -> NDArray:
    """What the network itself makes of a stretch of words."""
    bilm = bilm_of(nlp)
    batch = bilm.collate([words])
    Y, _ = bilm(batch)
    return Y.detach().numpy()[:, batch.inner]


def assert_close(found: NDArray, expected: NDArray) -> None:
    np.testing.assert_allclose(found, expected, atol=1e-5)


# ---- Sentences ----------------------------------------------------------------------


def test_sentences_are_the_default(elmo_nlp: Language, sentence: Language) -> None:
    np.testing.assert_array_equal(elmo_nlp(TEXT)._.elmo, sentence(TEXT)._.elmo)


def test_a_word_sees_its_sentence_alone(sentence: Language) -> None:
    doc = sentence("Anna lives in Paris. Ben saw her.")
    assert_close(doc._.elmo[:, :5], sentence("Anna lives in Paris.")._.elmo)
    assert_close(doc._.elmo[:, 5:], sentence("Ben saw her.")._.elmo)


def test_the_rule_that_splits_writes_nothing(sentence: Language) -> None:
    doc = sentence(TEXT)
    assert not doc.has_annotation("SENT_START")


def test_annotated_sentences_are_preferred(sentence: Language) -> None:
    words = ["Anna", "lives", ".", "in", "Paris"]
    doc = make_doc(sentence.vocab, words)
    for token in doc:
        token.is_sent_start = token.i in (0, 4)
    layers = sentence(doc)._.elmo
    assert_close(layers[:, :4], torch_layers(sentence, words[:4]))
    assert_close(layers[:, 4:], torch_layers(sentence, words[4:]))


def test_a_component_before_it_may_annotate_them(sentence: Language) -> None:
    nlp = make_nlp(heads=())
    nlp.add_pipe("sentencizer", first=True)
    doc = nlp(TEXT)
    assert doc.has_annotation("SENT_START")
    assert_close(doc._.elmo, sentence(TEXT)._.elmo)


def test_whitespace_is_not_read_in_a_sentence(sentence: Language) -> None:
    layers = sentence("Ben  saw her")._.elmo
    assert_close(
        np.delete(layers, 1, axis=1), torch_layers(sentence, ["Ben", "saw", "her"])
    )


# ---- Documents ----------------------------------------------------------------------


def test_a_word_sees_its_document(document: Language, sentence: Language) -> None:
    doc = document(TEXT)
    spaces = np.array([token.is_space for token in doc])
    words = [token.text for token in doc if not token.is_space]
    assert_close(doc._.elmo[:, ~spaces], torch_layers(document, words))
    assert not doc._.elmo[:, spaces].any()
    assert np.abs(doc._.elmo - sentence(TEXT)._.elmo).max() > 1e-2


# ---- Windows ------------------------------------------------------------------------


@pytest.mark.parametrize("overlap", [0, 5])
def test_a_window_larger_than_the_doc_is_the_document(
    document: Language, overlap: int
) -> None:
    nlp = with_context("Window", size=100, overlap=overlap)
    np.testing.assert_array_equal(nlp(TEXT)._.elmo, document(TEXT)._.elmo)


def test_a_window_of_exactly_the_doc_is_the_document(document: Language) -> None:
    nlp = with_context("Window", size=len(document(TEXT)), overlap=3)
    np.testing.assert_array_equal(nlp(TEXT)._.elmo, document(TEXT)._.elmo)


def test_windows_without_overlap_are_read_one_by_one() -> None:
    nlp = with_context("Window", size=3, overlap=0)
    words = [f"w{i}" for i in range(8)]
    layers = nlp(make_doc(nlp.vocab, words))._.elmo
    for start in (0, 3, 6):
        stretch = words[start : start + 3]
        assert_close(layers[:, start : start + 3], torch_layers(nlp, stretch))


def test_the_overlap_is_context_alone() -> None:
    nlp = with_context("Window", size=6, overlap=2)
    words = [f"w{i}" for i in range(10)]
    layers = nlp(make_doc(nlp.vocab, words))._.elmo
    for start, first, last in ((0, 0, 4), (2, 4, 6), (4, 6, 10)):
        stretch = torch_layers(nlp, words[start : start + 6])
        assert_close(layers[:, first:last], stretch[:, first - start : last - start])


def test_whitespace_is_not_read_in_a_window() -> None:
    nlp = with_context("Window", size=4, overlap=1)
    doc = nlp(TEXT)
    spaces = np.array([token.is_space for token in doc])
    assert spaces.sum() == 2
    assert doc._.elmo[:, ~spaces].any(axis=(0, 2)).all()
    assert not doc._.elmo[:, spaces].any()


@pytest.mark.parametrize("size, overlap", [(4, 2), (4, 3), (0, 0), (4, -1)])
def test_impossible_windows_are_refused(size: int, overlap: int) -> None:
    with pytest.raises(ValueError, match=f"size {size} and overlap {overlap}"):
        with_context("Window", size=size, overlap=overlap)


# ---- All ----------------------------------------------------------------------------

CONTEXTS = [
    ("Document", {}),
    ("Sentence", {}),
    ("Window", {"size": 7, "overlap": 0}),
    ("Window", {"size": 7, "overlap": 3}),
]


@pytest.mark.parametrize("name, settings", CONTEXTS)
@pytest.mark.parametrize("n_tokens", [0, 1, 6, 7, 8, 20, 100])
def test_every_token_gets_one_vector(name: str, settings: dict, n_tokens: int) -> None:
    nlp = with_context(name, **settings)
    context = nlp.get_pipe("elmo").model.attrs["settings"].context
    words = ["w", "."] * (n_tokens // 2) + ["w"] * (n_tokens % 2)
    doc = make_doc(nlp.vocab, words)
    (stretches,) = context([doc])
    given = [i for stretch in stretches for i in range(stretch.first, stretch.last)]
    assert given == list(range(n_tokens))
    for start, end, first, last in stretches:
        assert start <= first <= last <= end


@pytest.mark.parametrize("name, settings", CONTEXTS)
def test_training_reads_the_contexts_that_prediction_does(
    name: str, settings: dict
) -> None:
    nlp = with_context(name, **settings)
    model = nlp.get_pipe("elmo").model
    doc = nlp.make_doc(TEXT)
    trained, _ = model.begin_update([doc])
    np.testing.assert_array_equal(trained[0], model.predict([doc])[0])
