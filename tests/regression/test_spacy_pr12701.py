"""explosion/spaCy PR #12701: a sourced component is one object in two pipelines."""

import numpy as np
import spacy
from spacy.language import Language

from tests.util import TEXTS, TRAIN, annotations_of, elmo_of, make_nlp, train


def make_pair() -> tuple[Language, Language]:
    one = make_nlp()
    train(one, 60)
    two = spacy.blank("en", vocab=one.vocab)
    for name in one.pipe_names:
        two.add_pipe(name, source=one)
    return one, two


def test_both_predict_whichever_was_linked_last() -> None:
    one, two = make_pair()
    expected = make_nlp()
    train(expected, 60)
    for last in (two, one):
        last._link_components()
        assert elmo_of(last).listening_components == ["tagger", "ner"]
        for nlp in (one, two):
            for text in (TEXTS[0], TRAIN[0][0]):
                doc, other = nlp(text), expected(text)
                np.testing.assert_array_equal(doc._.elmo, other._.elmo)
                assert annotations_of(doc) == annotations_of(other)


def test_a_name_follows_its_newest_pipeline() -> None:
    one = make_nlp(heads=())
    two = spacy.blank("en", vocab=one.vocab)
    two.add_pipe("elmo", source=one, name="other")
    assert elmo_of(two, "other").name == "other"
    assert two(TEXTS[0])._.elmo.shape[0] == 3
