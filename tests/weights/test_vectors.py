"""Word vectors of every form become the same table, and the input of a biLM."""

from pathlib import Path

import numpy as np
import pytest
import spacy
import torch
from spacy.vectors import Vectors
from spacy.vocab import Vocab

from spacy_elmo.weights.vectors import (
    WordVectors,
    read_vectors,
    start_from_vectors,
    vectors_of,
)

WORDS = ["the", "café", "我", "at name"]
TABLE = np.asarray([[1, 2, 3], [0.5, -1, 0], [1e-3, 7, -2], [4, 4, 4]], np.float32)
LSTM = {"cell_dim": 5, "projection_dim": 3, "n_layers": 1}


def text(words: list[str] = WORDS) -> str:
    rows = [f"{w} {' '.join(map(str, row))}" for w, row in zip(words, TABLE.tolist())]
    return "".join(f"{row}\n" for row in rows)


def binary(n_words: int = 4, newline: bytes = b"\n") -> bytes:
    words = [word.replace(" ", "_") for word in WORDS]
    rows = [
        w.encode() + b" " + row.astype("<f4").tobytes() + newline
        for w, row in zip(words, TABLE)
    ]
    return f"{n_words} 3\n".encode() + b"".join(rows)


def write(folder: Path, content: str | bytes) -> Path:
    path = folder / "vectors"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


@pytest.mark.parametrize(
    "content",
    [text(), "4 3\n" + text(), binary(), binary(newline=b"")],
    ids=["glove", "word2vec text", "word2vec binary", "gensim binary"],
)
def test_every_form(tmp_path: Path, content: str | bytes) -> None:
    vectors = read_vectors(write(tmp_path, content))
    assert [word.replace("_", " ") for word in vectors.words[3:]] == WORDS
    assert np.array_equal(vectors.table[3:], TABLE)
    assert vectors.table.dtype == np.float32


def test_missing_marks_are_added(tmp_path: Path) -> None:
    vectors = read_vectors(write(tmp_path, text()))
    assert vectors.words[:3] == ["<S>", "</S>", "<UNK>"]
    assert not vectors.table[:2].any()
    np.testing.assert_allclose(vectors.table[2], TABLE.mean(axis=0), rtol=1e-6)


def test_marks_that_are_there_are_kept(tmp_path: Path) -> None:
    vectors = read_vectors(write(tmp_path, text(["<bos>", "<eos>", "<oov>", "word"])))
    assert vectors.words == ["<bos>", "<eos>", "<oov>", "word"]
    vectors = read_vectors(write(tmp_path, text(["<UNK>", "a", "b", "c"])))
    assert vectors.words == ["<S>", "</S>", "<UNK>", "a", "b", "c"]
    assert np.array_equal(vectors.table[2:], TABLE)


def test_of_a_words_rows_the_first_counts(tmp_path: Path) -> None:
    vectors = read_vectors(write(tmp_path, text(["a", "b", "a", "c"])))
    assert vectors.words[3:] == ["a", "b", "c"]
    assert np.array_equal(vectors.table[3:], TABLE[[0, 1, 3]])


def test_the_first_words_alone(tmp_path: Path) -> None:
    assert len(read_vectors(write(tmp_path, binary()), max_words=2).words) == 5


@pytest.mark.parametrize(
    "content, message",
    [
        ("", "no words were found"),
        ("one 1 2\ntwo 1\n", "row 2: expected a word and 2 values, found b'two 1"),
        ("one 1 2\ntwo 1 x\n", "row 2: could not convert"),
        ("one 1 2\ntwo 1 nan\n", "vector of 'two' holds values that are not finite"),
        ("2 2\none 1 2\n", "2 words promised, 1 found"),
        ("999999999 300\none 1 2\n", "999999999 vectors of 300 do not fit in 22 bytes"),
        (binary()[:-4], "4 words promised, 3 found"),
        (binary(n_words=5), "5 words promised, 4 found"),
        (b"caf\xe9 1 2\n", "row 1: .*utf-8"),
        ("<!DOCTYPE html>\n", "row 1: could not convert string to float: .*html"),
    ],
)
def test_bad_files(tmp_path: Path, content: str | bytes, message: str) -> None:
    path = write(tmp_path, content)
    with pytest.raises(ValueError, match=f"{path}: not word vectors: .*{message}"):
        read_vectors(path)


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="nothing.vec"):
        read_vectors(tmp_path / "nothing.vec")


def test_vectors_of_a_pipeline() -> None:
    nlp = spacy.blank("en")
    for word, row in zip(WORDS, TABLE):
        nlp.vocab.set_vector(word, row)
    vectors = vectors_of(nlp.vocab)
    found = dict(zip(vectors.words, vectors.table))
    for word, row in zip(WORDS, TABLE):
        assert np.array_equal(found[word], row)
    assert len(vectors.words) == 7


def test_pruned_vectors_share_rows() -> None:
    vocab = Vocab()
    for word in ("a", "b"):
        vocab.strings.add(word)
    vocab.vectors = Vectors(data=TABLE[:1], keys=["a"])
    vocab.vectors.add("b", row=0)
    vectors = vectors_of(vocab)
    assert sorted(vectors.words[3:]) == ["a", "b"]
    assert np.array_equal(vectors.table[3], vectors.table[4])


def test_a_pipeline_without_vectors() -> None:
    with pytest.raises(ValueError, match="Expected a vocab with vectors of words"):
        vectors_of(spacy.blank("en").vocab)


@pytest.fixture
def vectors(tmp_path: Path) -> WordVectors:
    return read_vectors(write(tmp_path, text()))


def test_a_biLM_that_reads_them_as_they_are(vectors: WordVectors) -> None:
    bilm = start_from_vectors(vectors, characters="none", **LSTM).to_model()
    with torch.no_grad():
        layers, _ = bilm(bilm.collate([["我", "bird"]]))
    assert np.array_equal(layers[0, 1, :3].numpy(), TABLE[2])
    assert np.array_equal(layers[0, 2, 3:].numpy(), vectors.table[2])


def test_a_biLM_that_reads_them_beside_bytes(vectors: WordVectors) -> None:
    bilm = start_from_vectors(vectors, filters=[[1, 4]], **LSTM).to_model()
    assert bilm.token_encoder.projection.weight.shape == (3, 4 + 3)
    one, two = bilm.collate([["bird", "bard"]]).ids[1:3]
    assert one[0] == two[0] and not torch.equal(one, two)


def test_a_seed_gives_the_same_start(vectors: WordVectors) -> None:
    before = torch.random.get_rng_state()
    first, again, other = (
        start_from_vectors(vectors, seed=s, characters="none", **LSTM)
        for s in (1, 1, 2)
    )
    name = "forward_lstm.layers.0.input_weight"
    assert torch.equal(first.state[name], again.state[name])
    assert not torch.equal(first.state[name], other.state[name])
    assert torch.equal(torch.random.get_rng_state(), before)
