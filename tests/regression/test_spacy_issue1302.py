"""explosion/spaCy#1302: a deep copy of a pipeline must stand on its own."""

import copy

import numpy as np
from spacy.language import Language

from tests.util import (
    TEXTS,
    TRAIN,
    annotations_of,
    changed,
    elmo_of,
    make_nlp,
    mix_of,
    scalars_of,
    snapshot,
    train,
)


def test_a_copy_predicts_the_same(trained_nlp: Language) -> None:
    twin = copy.deepcopy(trained_nlp)
    for text in (TEXTS[0], TRAIN[0][0]):
        ours, theirs = trained_nlp(text), twin(text)
        np.testing.assert_array_equal(ours._.elmo, theirs._.elmo)
        assert annotations_of(ours) == annotations_of(theirs)


def test_its_listeners_are_those_of_its_own_heads(trained_nlp: Language) -> None:
    twin = copy.deepcopy(trained_nlp)
    listeners = elmo_of(twin).listeners
    assert len(listeners) == 2
    for head, listener in zip(("tagger", "ner"), listeners, strict=True):
        nodes = list(twin.get_pipe(head).model.walk())
        assert any(node is listener for node in nodes)
        assert mix_of(twin, head) is not mix_of(trained_nlp, head)


def test_training_the_copy_leaves_the_original() -> None:
    nlp = make_nlp(frozen=False)
    train(nlp, 2)
    twin = copy.deepcopy(nlp)
    bilm, scalars = snapshot(nlp), scalars_of(nlp, "tagger")
    train(twin, 2)
    assert changed(bilm, snapshot(nlp)) == []
    assert changed(bilm, snapshot(twin)) == list(bilm)
    np.testing.assert_array_equal(scalars_of(nlp, "tagger"), scalars)
    assert (scalars_of(twin, "tagger") != scalars).all()
