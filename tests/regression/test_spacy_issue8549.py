"""explosion/spaCy#8549, #9210, PR #11385: a frozen shared embedding and its listeners.

With [training] frozen_components and annotating_components, as nlp.update does it.
"""

import copy

import numpy as np
import pytest
from spacy.language import Language

from tests.util import (
    TEXTS,
    TRAIN,
    annotations_of,
    changed,
    elmo_of,
    make_nlp,
    scalars_of,
    snapshot,
    train,
)


@pytest.mark.parametrize("frozen", [True, False])
def test_heads_train_on_a_frozen_annotating_component(frozen: bool) -> None:
    nlp = make_nlp(frozen=frozen)
    bilm = snapshot(nlp)
    before = [scalars_of(nlp, head) for head in ("tagger", "ner")]
    train(nlp, 3, exclude=["elmo"], annotates=["elmo"])
    for head, scalars in zip(("tagger", "ner"), before, strict=True):
        assert (scalars_of(nlp, head) != scalars).all()
    assert changed(bilm, snapshot(nlp)) == []


def test_it_trains_them_as_a_shared_batch_does() -> None:
    ways = [{}, {"exclude": ["elmo"], "annotates": ["elmo"]}]
    results = []
    for way in ways:
        nlp = make_nlp()
        train(nlp, 3, **way)
        results.append([scalars_of(nlp, head) for head in ("tagger", "ner")])
    np.testing.assert_allclose(results[0], results[1], atol=1e-5)


def test_a_replaced_listener_predicts_the_same(trained_nlp: Language) -> None:
    nlp = copy.deepcopy(trained_nlp)
    nlp.replace_listeners("elmo", "tagger", ["model.tok2vec"])
    assert elmo_of(nlp).listening_components == ["ner"]
    for text in (TEXTS[0], TRAIN[0][0]):
        assert annotations_of(nlp(text)) == annotations_of(trained_nlp(text))
    train(nlp, exclude=["ner"])
