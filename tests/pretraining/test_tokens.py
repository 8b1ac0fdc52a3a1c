"""Tokenized text in a small file."""

from pathlib import Path

import numpy as np
import pytest
import spacy

from spacy_elmo.pretraining.corpus import Corpus
from spacy_elmo.pretraining.tokens import count_tokens, read_tokens, write_tokens

from .util import make_sentences

SENTENCES = [*make_sentences(200), [], ["\ud800", "a\nb", "", "é" * 60]]


def test_sentences_read_back(tmp_path: Path):
    path = str(tmp_path / "a.tokens.npz")
    n_tokens = sum(map(len, SENTENCES))
    assert write_tokens(SENTENCES, path) == count_tokens(path) == n_tokens
    assert list(read_tokens(path)) == SENTENCES


def test_more_words_than_16_bits_read_back(tmp_path: Path):
    sentences = [[f"w{i}", "the"] for i in range(70_000)]
    path = str(tmp_path / "a.tokens.npz")
    write_tokens(sentences, path)
    assert list(read_tokens(path)) == sentences
    with np.load(path) as arrays:
        assert (
            arrays["ids"].dtype == np.uint16 and len(arrays["rare"]) == 70_001 - 65535
        )


def test_a_corpus_of_it_is_that_of_its_text(tmp_path: Path):
    path = str(tmp_path / "a.tokens.npz")
    write_tokens(SENTENCES, path)
    corpus = Corpus([path], spacy.blank("en"), pool_tokens=200)
    pools = list(corpus.pools())
    expected = [sentence for sentence in SENTENCES if sentence]
    assert [s for pool in pools for s in pool.sentences] == expected
    assert list(corpus.pools(start=pools[1].start)) == pools[1:]
    assert [round(pool.read[1], 2) for pool in pools[:-1]] == pytest.approx(
        np.cumsum([sum(map(len, p.sentences)) for p in pools])[:-1]
        / sum(map(len, SENTENCES)),
        abs=0.01,
    )


@pytest.mark.parametrize("size", [0, 50, -30])
def test_a_file_that_is_not_whole_is_refused(tmp_path: Path, size: int):
    path = tmp_path / "a.tokens.npz"
    write_tokens(SENTENCES, path)
    path.write_bytes(path.read_bytes()[:size])
    with pytest.raises(ValueError, match="not a whole .tokens.npz"):
        list(read_tokens(str(path)))


@pytest.mark.parametrize(
    "name, sentences, problem",
    [("a.npz", [["a"]], "ends in .tokens.npz"), ("a.tokens.npz", [], "no sentences")],
)
def test_what_cannot_be_written_is_said(
    tmp_path: Path, name: str, sentences: list, problem: str
):
    with pytest.raises(ValueError, match=problem):
        write_tokens(sentences, tmp_path / name)
