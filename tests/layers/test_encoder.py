"""Docs to arrays: shapes, whitespace, windows, batches, memory, gradients."""

from typing import Any

import numpy as np
import pytest
import spacy
import torch
from spacy.tokens import Doc
from thinc.api import Model

from spacy_elmo.layers.context import DocumentContext, SentenceContext, WindowContext
from spacy_elmo.layers.encoder import build_encoder, get_shim
from tests.golden_elmo import SENTENCES, GoldenModel

NLP = spacy.blank("en")
GOLDEN = GoldenModel("relu_hw2")
WIDTH = 24


def encoder(**settings: Any) -> Model:
    settings = {"context": DocumentContext(), **settings}
    model = build_encoder(GOLDEN.weights.config, **settings)
    get_shim(model).set_weights(GOLDEN.weights)
    return model


def doc_of(words: list[str]) -> Doc:
    return Doc(NLP.vocab, words=words)


@pytest.mark.parametrize("index", [0, 1, 2, 3, 4, 5, 6, 7, 8, 14])
def test_equal_to_allennlp(index: int) -> None:
    (layers,) = encoder().predict([doc_of(SENTENCES[index])])
    expected = GOLDEN.expected["batch_layers"][:, index, 1 : 1 + layers.shape[1]]
    assert layers.dtype == np.float32
    np.testing.assert_allclose(layers, expected, rtol=0, atol=5e-6)


def test_empty_documents_anywhere() -> None:
    """spaCy issue 7029, spacy-transformers issue 64, allennlp issue 837."""
    docs = [doc_of(words) for words in ([], ["a"], [], ["b", "c"], [])]
    model = encoder()
    outputs = model.predict(docs)
    assert [y.shape for y in outputs] == [(3, len(doc), WIDTH) for doc in docs]
    np.testing.assert_allclose(outputs[1], model.predict([docs[1]])[0], atol=1e-5)
    assert [y.shape for y in model.predict([docs[0]])] == [(3, 0, WIDTH)]
    assert model.predict([]) == []


def test_whitespace_is_not_read() -> None:
    """Rows of whitespace are zero, and their neighbours do not notice them."""
    spaced, plain = encoder().predict([NLP(" a  b\n\nc "), NLP("a b c")])
    is_space = np.asarray([token.is_space for token in NLP(" a  b\n\nc ")])
    assert not spaced[:, is_space].any()
    assert np.array_equal(spaced[:, ~is_space], plain)


def test_windows_larger_than_the_document_are_plain() -> None:
    doc = doc_of(SENTENCES[7])
    windows = encoder(context=WindowContext(40, 4)).predict([doc])[0]
    assert np.array_equal(windows, encoder().predict([doc])[0])


def test_a_window_sees_its_overlap() -> None:
    words = SENTENCES[7][:12]
    (layers,) = encoder(context=WindowContext(8, 2)).predict([doc_of(words)])
    (first,) = encoder().predict([doc_of(words[:8])])
    (second,) = encoder().predict([doc_of(words[4:12])])
    np.testing.assert_allclose(layers[:, :6], first[:, :6], atol=1e-6)
    np.testing.assert_allclose(layers[:, 6:], second[:, 2:], atol=1e-6)


def test_sentences_do_not_see_each_other() -> None:
    both = NLP("One here. Two there.")
    model = encoder(context=SentenceContext())
    alone = model.predict([NLP("One here."), NLP("Two there.")])
    joined = np.concatenate(alone, axis=1)
    np.testing.assert_allclose(model.predict([both])[0], joined, atol=1e-6)


@pytest.mark.parametrize("batch_words", [1, 7, 10_000])
def test_the_budget_does_not_change_vectors(batch_words: int) -> None:
    docs = [doc_of([word for word in words if word]) for words in SENTENCES]
    expected = encoder().predict(docs)
    for ours, theirs in zip(encoder(batch_words=batch_words).predict(docs), expected):
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-5)


def test_each_array_owns_its_memory() -> None:
    for layers in encoder().predict([doc_of(words) for words in SENTENCES[:4]]):
        assert layers.base is None and layers.flags["C_CONTIGUOUS"]


def test_chosen_layers_are_those_of_all() -> None:
    doc = doc_of(SENTENCES[0])
    (every,) = encoder().predict([doc])
    for layers in ([0], [1], [0, 2]):
        assert np.array_equal(encoder(layers=layers).predict([doc])[0], every[layers])


@pytest.mark.parametrize("layers", [[], [3], [-1], [0, 0], ["0"]])
def test_bad_layers(layers: list[Any]) -> None:
    with pytest.raises(ValueError, match="layers: expected distinct numbers"):
        encoder(layers=layers)


def test_frozen_training_predicts() -> None:
    model, docs = encoder(), [doc_of(words) for words in SENTENCES[:3]]
    model.attrs["dropout_rate"] = 0.5
    outputs, backprop = model.begin_update(docs)
    for ours, theirs in zip(outputs, model.predict(docs), strict=True):
        assert np.array_equal(ours, theirs)
    assert backprop(outputs) == []
    bilm = get_shim(model).bilm
    assert all(not p.requires_grad and p.grad is None for p in bilm.parameters())


def test_gradients_are_those_of_torch() -> None:
    """Also with whitespace, an empty Doc in the middle and windows."""
    words = ["The", "cat", "\n", "sat", "."]
    docs = [doc_of(words), doc_of([]), doc_of(SENTENCES[2])]
    model = encoder(frozen=False, batch_words=6)
    outputs, backprop = model.begin_update(docs)
    random = np.random.RandomState(0)
    wanted = [random.standard_normal(y.shape).astype("f") for y in outputs]
    backprop(wanted)
    bilm = GOLDEN.bilm()
    read = [(["The", "cat", "sat", "."], wanted[0][:, [0, 1, 3, 4]])]
    for sentence, d in [*read, (SENTENCES[2], wanted[2])]:
        layers, _ = bilm(bilm.collate([sentence]))
        (layers[:, 1:-1] * torch.from_numpy(d)).sum().backward()
    ours = dict(get_shim(model).bilm.named_parameters())
    for name, theirs in bilm.named_parameters():
        assert theirs.grad is not None
        largest = float(theirs.grad.abs().max())
        torch.testing.assert_close(
            ours[name].grad, theirs.grad, rtol=0, atol=1e-5 * largest
        )


def test_dropout_acts_on_a_trainable_bilm_in_training_alone() -> None:
    model, docs = encoder(frozen=False), [doc_of(SENTENCES[0])]
    plain = model.predict(docs)[0]
    model.attrs["dropout_rate"] = 0.5
    assert np.array_equal(model.predict(docs)[0], plain)
    assert not np.array_equal(model.begin_update(docs)[0][0], plain)


def test_bytes_are_the_same_again() -> None:
    model, docs = encoder(), [doc_of(SENTENCES[0])]
    data = model.to_bytes()
    copy = build_encoder(GOLDEN.weights.config, context=DocumentContext())
    copy.from_bytes(data)
    assert np.array_equal(copy.predict(docs)[0], model.predict(docs)[0])
    assert copy.to_bytes() == data
    assert get_shim(copy).cfg["provenance"] == GOLDEN.weights.provenance


def test_settings_of_the_config_win_over_saved_ones() -> None:
    data = encoder(frozen=True).to_bytes()
    model = encoder(frozen=False).from_bytes(data)
    assert not model.attrs["settings"].frozen
    assert all(p.requires_grad for p in get_shim(model).bilm.parameters())
