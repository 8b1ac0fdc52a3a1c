"""Documents to vectors: what `nlp` says of each, whatever else is in the batch."""

from typing import Any

import numpy as np
import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc

from spacy_elmo.embedding import Embedder, Options
from spacy_elmo.embedding import embedder as module
from spacy_elmo.embedding.records import Content, Tokens

from ..util import WIDTH, count_calls, make_nlp
from .util import TEXTS, assert_close


def embed(nlp: Language, contents: list[Content], **options: Any) -> list[Any]:
    """(n, width) for each document."""
    found = Embedder(nlp, Options(**options))(contents)
    return [embedding.vectors[:, 0] for embedding in found]


def test_a_document_has_the_vector_of_its_doc(elmo_nlp: Language):
    found = embed(elmo_nlp, [*TEXTS, " ", "  two  spaces "])
    docs = [elmo_nlp(text) for text in [*TEXTS, " ", "  two  spaces "]]
    assert_close(found, [doc.vector[None] for doc in docs])
    assert not found[2].any() and not found[6].any()


def test_the_maximum_is_over_the_words(elmo_nlp: Language):
    found = embed(elmo_nlp, ["  two  spaces "], pooling="max")
    doc = elmo_nlp("  two  spaces ")
    words = [token.vector for token in doc if not token.is_space]
    assert_close(found, [np.max(words, axis=0)[None]])


def test_rare_words_weigh_more(elmo_nlp: Language, tmp_path: Any):
    path = tmp_path / "vocab.txt"
    path.write_text("<S>\t1\n</S>\t1\n<UNK>\t0\nthe\t999\n", encoding="utf8")
    doc = elmo_nlp("the  bank")
    for kind, the in [("idf", np.log(1000 / 1000)), ("sif", 0.001 / 1.001)]:
        bank = {"idf": np.log(1000), "sif": 1}[kind]
        expected = (the * doc[0].vector + bank * doc[2].vector) / (the + bank)
        found = embed(elmo_nlp, ["the  bank"], pooling=kind, frequencies=path)
        assert_close(found, [expected[None]])


def test_a_token_has_its_row_whitespace_too(elmo_nlp: Language):
    found = embed(elmo_nlp, TEXTS, level="token")
    assert_close(found, [elmo_nlp(text).tensor for text in TEXTS])
    assert found[2].shape == (0, WIDTH)


def test_a_sentence_has_the_mean_of_its_words():
    nlp = make_nlp(heads=())
    nlp.add_pipe("sentencizer", last=True)  # sets what the rule splitter finds
    found = embed(nlp, TEXTS, level="sentence")
    docs = [nlp(text) for text in TEXTS]
    expected = [[sent.vector for sent in doc.sents] for doc in docs]
    assert [len(vectors) for vectors in found] == [1, 1, 0, 3, 1, 1]
    for vectors, sentences in zip(found, expected):
        assert_close(list(vectors), sentences)


def test_sentences_that_a_component_sets_are_the_context():
    nlp = make_nlp(heads=())
    nlp.add_pipe("sentencizer", config={"punct_chars": [";"]}, first=True)
    text = "One; two. three"
    found = embed(nlp, [text], level="sentence")
    assert_close(found[0], np.stack([sent.vector for sent in nlp(text).sents]))
    assert len(found[0]) == 2


def test_components_after_elmo_do_not_run(trained_nlp: Language):
    with count_calls(trained_nlp.get_pipe("tagger"), "predict") as calls:
        embed(trained_nlp, TEXTS)
    assert not calls


def test_tokens_are_taken_as_they_are(elmo_nlp: Language):
    words = ["New York", "is", "don't", "."]
    starts = (True, False, True, False)
    found = embed(elmo_nlp, [Tokens(tuple(words), None, starts)], level="token")
    doc = Doc(elmo_nlp.vocab, words=words, sent_starts=list(starts))
    assert_close(found[0], elmo_nlp(doc).tensor)


@pytest.mark.parametrize("level", ["doc", "sentence", "token"])
def test_neither_batch_nor_order_matters(
    elmo_nlp: Language, level: str, monkeypatch: pytest.MonkeyPatch
):
    alone = [embed(elmo_nlp, [text], level=level)[0] for text in TEXTS]
    for chunk in (1, 10, 10_000):
        monkeypatch.setattr(module, "CHUNK_TOKENS", chunk)
        assert_close(embed(elmo_nlp, TEXTS, level=level), alone)
        assert_close(embed(elmo_nlp, TEXTS[::-1], level=level), alone[::-1])


def test_equal_documents_are_computed_once(elmo_nlp: Language):
    with count_calls(elmo_nlp, "make_doc") as calls:
        found = embed(elmo_nlp, ["Paris", "Rome", "Paris", "Paris"])
    assert sorted(calls) == [("Paris",), ("Rome",)]
    assert (found[0] == found[2]).all() and (found[0] != found[1]).any()


def test_memory_is_bounded_by_tokens_not_by_documents(
    elmo_nlp: Language, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(module, "CHUNK_TOKENS", 20)
    embedder = Embedder(elmo_nlp)
    texts = [f"{'a ' * n}{i}" for i, n in enumerate([1, 2, 3] * 20 + [90])]
    with count_calls(embedder, "_compute") as calls:
        embedder(texts)
    sizes = [sum(len(doc) for doc in docs) for (docs,) in calls]
    assert max(sizes) == 91 and sorted(sizes)[-2] <= 20
    assert sum(len(docs) for (docs,) in calls) == 61


def test_what_spacy_stores_of_words_is_freed(elmo_nlp: Language):
    embedder = Embedder(elmo_nlp)
    with embedder.memory.kept():
        embedder(["zyzzyva quokka"])
        assert "zyzzyva" in elmo_nlp.vocab.strings  # kept from call to call
        embedder.memory.n_words = module.MEMORY_WORDS
        embedder(["aardvarks"])
        assert "zyzzyva" not in elmo_nlp.vocab.strings  # but not for ever
    assert "aardvarks" not in elmo_nlp.vocab.strings
    embedder(["numbats"])
    assert "numbats" not in elmo_nlp.vocab.strings


def test_a_zone_of_the_caller_is_used(elmo_nlp: Language):
    with elmo_nlp.memory_zone():
        Embedder(elmo_nlp)(["bandicoots"])
        assert "bandicoots" in elmo_nlp.vocab.strings
    assert "bandicoots" not in elmo_nlp.vocab.strings


def test_a_text_over_the_limit_is_a_problem_and_no_error():
    nlp = make_nlp(heads=())
    nlp.max_length = 10
    embedder = Embedder(nlp)
    short, long = embedder(["Paris", "Paris is long"])
    assert short.n_words == 1
    assert long == "13 characters; the pipeline's max_length is 10"
    with pytest.raises(ValueError, match="13 characters"):
        embedder.vectors(["Paris is long"])


@pytest.mark.parametrize(
    "level, expected",
    [
        ("doc", [["Two. Sentences! "]]),
        ("sentence", [["Two.", "Sentences!"]]),
        ("token", [["Two", ".", "Sentences", "!"]]),
    ],
)
def test_texts_are_kept_if_they_are_asked_for(
    elmo_nlp: Language, level: str, expected: list[list[str]]
):
    for keep_text, texts in [(True, expected), (False, [[]])]:
        options = Options(level=level, keep_text=keep_text)
        found = Embedder(elmo_nlp, options)(["Two. Sentences! "])
        assert [embedding.texts for embedding in found] == texts


def test_queries_are_one_array(elmo_nlp: Language):
    one = Embedder(elmo_nlp).vectors(["Paris", "", "Rome is here"])
    assert one.shape == (3, WIDTH) and one.dtype == np.float32
    assert_close(one[2], elmo_nlp("Rome is here").vector)
    several = Embedder(elmo_nlp, Options(layers="0,top")).vectors(["Paris"])
    assert several.shape == (1, 2, WIDTH)
    assert Embedder(elmo_nlp).vectors([]).shape == (0, WIDTH)


def test_a_pipeline_without_elmo_is_refused():
    with pytest.raises(ValueError, match='nlp.add_pipe."elmo". adds one'):
        Embedder(spacy.blank("en"))
