"""Every token gets one vector, whatever it sees."""

import pytest
import spacy
from spacy.tokens import Doc

from spacy_elmo.layers.context import (
    DocumentContext,
    SentenceContext,
    Stretch,
    WindowContext,
)

NLP = spacy.blank("en")


def doc_of(n_tokens: int) -> Doc:
    return Doc(NLP.vocab, words=["w"] * n_tokens)


@pytest.mark.parametrize("n_tokens", [0, 1, 9, 10, 11, 16, 17, 30, 500])
@pytest.mark.parametrize("size, overlap", [(10, 0), (10, 2), (10, 4), (3, 1)])
def test_windows_cover_each_token_once(n_tokens: int, size: int, overlap: int) -> None:
    windows = WindowContext(size, overlap)([doc_of(n_tokens)])[0]
    kept = [i for w in windows for i in range(w.first, w.last)]
    assert kept == list(range(n_tokens))
    for window in windows:
        assert window.end - window.start <= size
        assert window.start == 0 or window.first - window.start == overlap
        assert window.end == n_tokens or window.end - window.last == overlap


def test_a_large_window_is_the_document() -> None:
    docs = [doc_of(5), doc_of(0)]
    assert WindowContext()(docs) == DocumentContext()(docs)


@pytest.mark.parametrize("size, overlap", [(8, 4), (0, 0), (8, -1)])
def test_windows_of_nothing(size: int, overlap: int) -> None:
    with pytest.raises(ValueError, match="WindowContext.*size > 2"):
        WindowContext(size, overlap)


def test_sentences_by_rule_write_nothing() -> None:
    doc = NLP("One here. Two there! Three")
    stretches = SentenceContext()([doc])[0]
    assert stretches == [
        Stretch(0, 3, 0, 3),
        Stretch(3, 6, 3, 6),
        Stretch(6, 7, 6, 7),
    ]
    assert not doc.has_annotation("SENT_START")


def test_annotated_sentences_are_taken() -> None:
    doc = Doc(NLP.vocab, words=["a", ".", "b"], sent_starts=[True, False, False])
    assert SentenceContext()([doc])[0] == [Stretch(0, 3, 0, 3)]


def test_empty_documents() -> None:
    docs = [doc_of(0)]
    assert SentenceContext()(docs) == [[]]
    assert DocumentContext()(docs) == [[Stretch(0, 0, 0, 0)]]
