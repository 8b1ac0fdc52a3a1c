"""Queries are embedded as the documents of the index were."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from spacy.language import Language

import spacy_elmo
from spacy_elmo.embedding import Options, embed
from spacy_elmo.similarity import Index, QueryEmbedder, build_index
from tests.golden_elmo import GOLDEN

from .util import write_vectors

TEXTS = [
    "He sat on the bank of the river.",
    "She put the money in the bank!",
    "",
    "Where is my parcel?",
    "Thank you so much.",
]
WEIGHTS = GOLDEN / "relu_hw2"


@pytest.fixture(scope="module")
def nlp() -> Language:
    return spacy_elmo.blank("en", weights=WEIGHTS)


@pytest.fixture
def counts(tmp_path: Path) -> Path:
    path = tmp_path / "vocab.txt"
    words = {"<S>": 1, "</S>": 1, "<UNK>": 50, "the": 40, "of": 20, "bank": 1}
    path.write_text("".join(f"{word}\t{n}\n" for word, n in words.items()))
    return path


def make_index(
    folder: Path, nlp: Language, *, column: str = "vector", **options: Any
) -> Index:
    folder.mkdir(exist_ok=True)
    source = folder / "texts.txt"
    source.write_text("\n".join(TEXTS) + "\n", encoding="utf8")
    settings = Options(keep_text=True, **options)
    embed(str(source), folder / "vectors", nlp=nlp, options=settings)
    build_index(folder / "vectors", folder / "index", column=column)
    return Index(folder / "index")


def check_every_text_finds_itself(index: Index, embedder: QueryEmbedder) -> None:
    found = index.search(embedder(TEXTS), 1)
    assert found.pop(2) == []  # a text without a word
    asked = [text for text in TEXTS if text]
    assert [hits[0].text for hits in found] == asked
    np.testing.assert_allclose([hits[0].score for hits in found], 1, atol=1e-5)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"layers": "0", "pooling": "max"},
        {"layers": "top", "level": "sentence"},
        {"layers": "0,2", "column": "vector_2"},
        {"tokenized": True},
    ],
    ids=str,
)
def test_a_text_finds_itself(tmp_path: Path, nlp: Language, options: dict) -> None:
    index = make_index(tmp_path, nlp, **options)
    check_every_text_finds_itself(index, QueryEmbedder(index, nlp))


@pytest.mark.parametrize("pooling", ["idf", "sif"])
def test_word_counts_are_named(
    tmp_path: Path, nlp: Language, counts: Path, pooling: str
) -> None:
    index = make_index(tmp_path, nlp, pooling=pooling, frequencies=counts)
    embedder = QueryEmbedder(index, nlp, frequencies=counts)
    check_every_text_finds_itself(index, embedder)
    with pytest.raises(ValueError, match=r"word counts in vocab\.txt.*--frequencies"):
        QueryEmbedder(index, nlp)
    other = tmp_path / "other.txt"
    other.write_text(counts.read_text() + "river\t1\n")
    with pytest.raises(ValueError, match=r"other\.txt holds other word counts"):
        QueryEmbedder(index, nlp, frequencies=other)


def test_tokens_are_found_by_a_word(tmp_path: Path, nlp: Language) -> None:
    index = make_index(tmp_path, nlp, level="token", layers="0")
    (hits,) = index.search(QueryEmbedder(index, nlp)(["bank"]), 3)
    assert [hit.text for hit in hits[:2]] == ["bank", "bank"]
    assert hits[1].score == pytest.approx(1, abs=1e-5) and hits[2].score < 0.999


def test_another_model_is_refused(tmp_path: Path, nlp: Language) -> None:
    index = make_index(tmp_path, nlp)
    with pytest.raises(ValueError, match=r"another model.*weights.*--pipeline"):
        QueryEmbedder(index)
    german = spacy_elmo.blank("de", weights=WEIGHTS)
    with pytest.raises(ValueError, match=r"differ in: lang\)"):
        QueryEmbedder(index, german)


def test_without_a_manifest_the_options_are_asked_for(
    tmp_path: Path, nlp: Language
) -> None:
    made = make_index(tmp_path / "a", nlp, layers="1", pooling="max")
    vectors = QueryEmbedder(made, nlp)(TEXTS)
    folder = write_vectors(tmp_path / "b", vectors, texts=TEXTS)
    build_index(folder, tmp_path / "index")
    index = Index(tmp_path / "index")
    for options in ({}, {"layers": "1"}, {"pooling": "max"}):
        with pytest.raises(ValueError, match="without a manifest.*--layers and --pool"):
            QueryEmbedder(index, nlp, **options)
    embedder = QueryEmbedder(index, nlp, layers="1", pooling="max")
    check_every_text_finds_itself(index, embedder)
