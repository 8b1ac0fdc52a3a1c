"""explosion/spaCy#8565: a pipeline that had been trained could not be pickled.

Also explosion/spaCy#1302, a deep copy, at each stage of a pipeline's life.
"""

import copy
from collections.abc import Callable

import numpy as np
import pytest
from spacy.language import Language

from tests.util import (
    TEXTS,
    TRAIN,
    annotations_of,
    changed,
    make_examples,
    make_nlp,
    pickled,
    scalars_of,
    snapshot,
    train,
)


def new() -> Language:
    return make_nlp(heads=(), initialize=False)


def initialized() -> Language:
    return make_nlp()


def trained() -> Language:
    nlp = make_nlp(frozen=False)
    train(nlp, 20)
    return nlp


def amid_an_update() -> Language:
    nlp = trained()
    nlp.update(make_examples(nlp, entities=False), exclude=["ner"], sgd=False)
    return nlp


def evaluated() -> Language:
    nlp = trained()
    nlp.evaluate(make_examples(nlp))
    return nlp


STAGES = [new, initialized, trained, amid_an_update, evaluated]


Stage = Callable[[], Language]
COPIES = pytest.mark.parametrize("copied", [pickled, copy.deepcopy])


@COPIES
@pytest.mark.parametrize("stage", STAGES)
def test_a_copied_pipeline_predicts_the_same(stage: Stage, copied: Callable) -> None:
    nlp = stage()
    twin = copied(nlp)
    for text in (TEXTS[0], TRAIN[0][0]):
        ours, theirs = nlp(text), twin(text)
        np.testing.assert_array_equal(ours._.elmo, theirs._.elmo)
        assert annotations_of(ours) == annotations_of(theirs)


@COPIES
@pytest.mark.parametrize("stage", [initialized, trained, amid_an_update])
def test_a_copied_pipeline_goes_on_learning_alone(
    stage: Stage, copied: Callable
) -> None:
    nlp = stage()
    twin = copied(nlp)
    bilm, scalars = snapshot(nlp), scalars_of(nlp, "tagger")
    train(twin, 2)
    assert changed(bilm, snapshot(nlp)) == []
    np.testing.assert_array_equal(scalars_of(nlp, "tagger"), scalars)
    assert (scalars_of(twin, "tagger") != scalars).all()
