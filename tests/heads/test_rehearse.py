"""`nlp.rehearse` runs no upstream: a head says so, and learns nothing from zeros.

spaCy calls `rehearse` of every component, in random order, and then applies the
gradients of the last one alone: none, if that is `elmo`. So rehearse a head by itself,
excluding the others, on Docs that `elmo` has annotated.
"""

import pytest
from spacy.language import Language
from spacy.training import Example

from ..util import (
    Block,
    assemble,
    changed,
    elmo_of,
    make_examples,
    make_nlp,
    make_optimizer,
    scalars_of,
    snapshot,
    train,
)
from .models import HEADS, STANDALONE

HAS_NOT_SEEN = "listens to the ELMo component 'elmo', which has not seen these doc"


def trained(heads: list[str], frozen: bool) -> Language:
    """A pipeline that has learned since its tutors were made."""
    nlp = make_nlp(heads, frozen=frozen)
    nlp.resume_training()
    train(nlp, 5)
    return nlp


@pytest.mark.parametrize("heads", [["tagger"], ["ner"], ["tagger", "ner"]])
@pytest.mark.parametrize("frozen", [True, False])
def test_docs_without_layers_are_refused(heads: list[str], frozen: bool) -> None:
    nlp = trained(heads, frozen)
    before = [scalars_of(nlp, head).tolist() for head in heads]
    bilm = snapshot(nlp)
    with pytest.raises(ValueError, match=HAS_NOT_SEEN):
        nlp.rehearse(make_examples(nlp), sgd=make_optimizer())
    assert [scalars_of(nlp, head).tolist() for head in heads] == before
    assert changed(bilm, snapshot(nlp)) == []


@pytest.mark.parametrize("head", ["tagger", "ner"])
def test_docs_of_the_last_update_are_refused_too(head: str) -> None:
    nlp = trained([head], frozen=True)
    examples = make_examples(nlp)
    nlp.update(examples, sgd=False)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=HAS_NOT_SEEN):
        nlp.rehearse(examples, sgd=make_optimizer())


@pytest.mark.parametrize("head", ["tagger", "ner"])
def test_docs_of_initialize_are_refused_too(head: str) -> None:
    """A listener reads zeros of these alone, while shapes are inferred."""
    nlp = make_nlp([head], initialize=False)
    examples = make_examples(nlp)
    nlp.initialize(lambda: examples)
    nlp.resume_training()
    with pytest.raises(ValueError, match=HAS_NOT_SEEN):
        nlp.rehearse(examples, sgd=make_optimizer())


def annotated(nlp: Language) -> list[Example]:
    examples = make_examples(nlp)
    for example in examples:
        elmo_of(nlp)(example.predicted)
    return examples


@pytest.mark.parametrize("head", ["tagger", "ner"])
@pytest.mark.parametrize("frozen", [True, False])
def test_docs_that_elmo_annotated_are_rehearsed(head: str, frozen: bool) -> None:
    """The biLM, even one that is not frozen, is not changed."""
    nlp = trained([head], frozen)
    before, bilm = scalars_of(nlp, head), snapshot(nlp)
    losses = nlp.rehearse(annotated(nlp), sgd=make_optimizer(), exclude=["elmo"])
    assert losses[head] > 0
    assert (scalars_of(nlp, head) != before).any()
    assert changed(bilm, snapshot(nlp)) == []


def own_bilm(frozen: bool) -> Block:
    return {**STANDALONE, "elmo": {**STANDALONE["elmo"], "frozen": frozen}}


@pytest.mark.parametrize("frozen", [True, False])
@pytest.mark.parametrize("head", ["tagger", "ner"])
def test_a_head_with_a_bilm_of_its_own_is_rehearsed(head: str, frozen: bool) -> None:
    nlp = assemble({head: HEADS[head].block(own_bilm(frozen))})
    nlp.initialize(lambda: make_examples(nlp))
    nlp.resume_training()
    train(nlp, 5)
    losses = nlp.rehearse(make_examples(nlp), sgd=make_optimizer())
    assert losses[head] > 0
