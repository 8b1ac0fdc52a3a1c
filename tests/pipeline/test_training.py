"""Who learns what, and that no head's gradient is lost on its way to the biLM."""

import numpy as np
import pytest
from spacy.language import Language
from spacy.training import Example
from spacy.util import fix_random_seed

from tests.util import (
    changed,
    elmo_of,
    finish_update,
    make_examples,
    make_nlp,
    make_optimizer,
    scalars_of,
    snapshot,
    train,
)

HEADS = ("tagger", "ner")


@pytest.mark.parametrize("frozen", [True, False])
def test_a_frozen_bilm_stays_while_the_mixes_learn(frozen: bool) -> None:
    nlp = make_nlp(frozen=frozen)
    bilm, scalars = snapshot(nlp), [scalars_of(nlp, head) for head in HEADS]
    train(nlp, 3)
    assert changed(bilm, snapshot(nlp)) == ([] if frozen else list(bilm))
    for head, before in zip(HEADS, scalars, strict=True):
        assert (scalars_of(nlp, head) != before).all()


# ---- A head that does not report -------------------------------------------------


def without(nlp: Language, missing: str) -> list[Example]:
    """The training examples without what a head learns from."""
    if missing == "ner":
        return make_examples(nlp, entities=False)
    return [
        Example.from_dict(
            example.predicted, {"words": words, "entities": example.get_aligned_ner()}
        )
        for example in make_examples(nlp)
        if (words := [token.text for token in example.reference])
    ]


def train_without(nlp: Language, missing: str, how: str, steps: int = 3) -> None:
    sgd = make_optimizer()
    exclude = [missing] if how == "excluded" else []
    examples = without(nlp, missing) if how == "unannotated" else make_examples(nlp)
    disable = [missing] if how == "disabled" else []
    fix_random_seed(0)
    with nlp.select_pipes(disable=disable):
        for _ in range(steps):
            nlp.update(examples, sgd=False, exclude=exclude)
            finish_update(nlp, sgd, exclude)


@pytest.mark.parametrize("missing", HEADS)
@pytest.mark.parametrize("how", ["disabled", "excluded", "unannotated"])
def test_the_other_head_trains_the_bilm_as_if_alone(missing: str, how: str) -> None:
    (present,) = set(HEADS) - {missing}
    nlp, alone = make_nlp(frozen=False), make_nlp([present], frozen=False)
    before = snapshot(alone)
    train_without(nlp, missing, how)
    train(alone, 3)
    expected, found = snapshot(alone), snapshot(nlp)
    assert changed(before, expected) == list(before)
    for name in expected:
        np.testing.assert_allclose(found[name], expected[name], atol=1e-5)


def test_every_batch_of_an_accumulated_step_counts() -> None:
    """As [training] accumulate_gradient does: several updates, then one step."""
    nlp, alone = make_nlp(frozen=False), make_nlp(["tagger"], frozen=False)
    for pipeline in (nlp, alone):
        sgd = make_optimizer()
        for _ in range(2):
            for example in make_examples(pipeline, entities=False):
                pipeline.update([example], sgd=False)
            finish_update(pipeline, sgd)
    expected, found = snapshot(alone), snapshot(nlp)
    for name in expected:
        np.testing.assert_allclose(found[name], expected[name], atol=1e-5)


def test_an_update_with_an_optimizer_is_applied_by_the_next_one(
    open_nlp: Language,
) -> None:
    """spaCy calls finish_update of a component before the heads behind it have run."""
    sgd = make_optimizer()
    for _ in range(3):
        open_nlp.update(make_examples(open_nlp), sgd=sgd)
    before = snapshot(open_nlp)
    elmo_of(open_nlp).finish_update(sgd)
    assert changed(before, snapshot(open_nlp)) == list(before)


# ---- Batches that are over ------------------------------------------------------


@pytest.mark.parametrize("size", [1, 3])
@pytest.mark.parametrize("frozen", [True, False])
def test_a_batch_is_not_taken_for_a_later_one(frozen: bool, size: int) -> None:
    """First a shared batch that NER leaves open, then frozen and annotating."""
    nlp = make_nlp(frozen=frozen)
    train(nlp, 2)
    before, tagger = snapshot(nlp), scalars_of(nlp, "tagger")
    nlp.update(make_examples(nlp), exclude=["ner"], sgd=False)
    examples = make_examples(nlp)[::-1][:size]
    losses = nlp.update(examples, exclude=["elmo"], annotates=["elmo"], sgd=False)
    assert losses.keys() == {"tagger", "ner"}
    finish_update(nlp, make_optimizer(), ["elmo"])
    assert changed(before, snapshot(nlp)) == []
    assert (scalars_of(nlp, "tagger") != tagger).all()


def test_predicting_between_update_and_step_disturbs_nothing() -> None:
    results = []
    for predict in (True, False):
        nlp = make_nlp(frozen=False)
        sgd = make_optimizer()
        for _ in range(3):
            nlp.update(make_examples(nlp, entities=False), sgd=False)
            if predict:
                list(nlp.pipe(["Something else .", "Anna lives in Paris ."]))
            finish_update(nlp, sgd)
        results.append(snapshot(nlp))
    assert changed(*results) == []
