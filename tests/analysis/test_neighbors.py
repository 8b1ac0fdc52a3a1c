"""What a word is near to."""

from collections import Counter

import numpy as np
import pytest
import spacy

from spacy_elmo.analysis.layer_reader import LayerReader
from spacy_elmo.analysis.neighbors import (
    Occurrence,
    counted,
    find_nearest,
    find_similar,
    parse_query,
    read_occurrences,
    read_word,
)
from spacy_elmo.analysis.senses import Sense
from tests.analysis.util import MONEY, make_reader, sentence

CORPUS = [
    sentence("The bank lends money .", Sense(1, ("bank", "n"), [MONEY])),
    sentence("It rains ."),
    sentence("Bank after bank failed ."),
]


@pytest.fixture(scope="module")
def reader() -> LayerReader:
    return make_reader()


@pytest.mark.parametrize(
    "text, words, place",
    [
        ("He sat on the *bank*.", "He sat on the bank .", 4),
        ("*Banks* fail", "Banks fail", 0),
        ("so  so *so* so", "so so so so", 2),
        ("It's n*2* he said", "", None),
        ("No mark", "", None),
        ("*Two* *marks*", "", None),
        ("*two words* here", "", None),
        ("a * b * c", "", None),
    ],
)
def test_a_query(text: str, words: str, place: int | None) -> None:
    nlp = spacy.blank("en")
    if place is None:
        with pytest.raises(ValueError, match="expected one word between asterisks"):
            parse_query(text, nlp)
    else:
        assert parse_query(text, nlp) == (words.split(), place)


def test_occurrences_of_all_words(reader: LayerReader) -> None:
    found = list(read_occurrences(reader, CORPUS))
    assert [o.word for o in found] == [w for s in CORPUS for w in s.words]
    assert [o.senses for o in found if o.senses] == [[MONEY]]
    ((_, layers),) = reader.read(CORPUS[1:2])
    np.testing.assert_allclose(found[6].vectors, layers[:, 1], rtol=0, atol=1e-5)


def test_occurrences_of_one_word(reader: LayerReader) -> None:
    """Whatever the case."""
    found = [(o.words[0], o.place) for o in read_occurrences(reader, CORPUS, "Bank")]
    assert found == [("The", 1), ("Bank", 0), ("Bank", 2)]


def occurrence(name: str, *vector: float) -> Occurrence:
    layers = np.asarray([[0, 0], vector], dtype=np.float32)
    return Occurrence([name], 0, layers, [])


def test_the_nearest_come_first_each_sentence_once() -> None:
    query = occurrence("query", 1, 0)
    corpus = [
        occurrence("far", -1, 0),
        occurrence("near", 2, 0.1),
        occurrence("query", 5, 0),
        occurrence("near", 2, 0.1),
        occurrence("middle", 3, 3),
        occurrence("none", 0, 0),
    ]
    found = find_nearest(query, corpus, layer=1, k=3)
    assert [near.occurrence.word for near in found] == ["near", "middle", "none"]
    assert found[1].score == pytest.approx(0.5**0.5)
    assert found[2].score == 0


def test_the_layer_decides() -> None:
    query = Occurrence(["q"], 0, np.eye(2, dtype=np.float32), [])
    first, second = np.asarray([[1, 0], [1, 0]]), np.asarray([[0, 1], [0, 1]])
    corpus = [Occurrence(["a"], 0, first, []), Occurrence(["b"], 0, second, [])]
    for layer, expected in ((0, "a"), (1, "b")):
        (near,) = find_nearest(query, corpus, layer=layer, k=1)
        assert near.occurrence.word == expected


def test_similar_words(reader: LayerReader) -> None:
    """More than are encoded in one go; the query's word itself is left out."""
    counts = Counter({f"word{n}": n for n in range(1, 80)} | {"banks": 5, "bank": 9})
    query = read_word(reader, ["My", "bank"], 1)
    found = find_similar(reader, query, counts, k=80)
    assert len(found) == 80
    cosines = {}
    for word in ("banks", "word7"):
        vector, own = read_word(reader, [word], 0).vectors[0], query.vectors[0]
        norms = np.linalg.norm(vector) * np.linalg.norm(own)
        cosines[word] = vector @ own / norms
    scores = {near.word: near.score for near in found}
    assert "bank" not in scores
    for word, cosine in cosines.items():
        assert scores[word] == pytest.approx(cosine, abs=1e-5)
    assert [near.score for near in found] == sorted(scores.values(), reverse=True)
    assert {near.word: near.frequency for near in found}["banks"] == 5


def test_words_are_counted_as_they_pass() -> None:
    counts: Counter[str] = Counter()
    assert list(counted(CORPUS, counts)) == CORPUS
    assert counts["."] == 3 and counts["bank"] == 2
