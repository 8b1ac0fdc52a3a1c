"""Nothing, wherever it may come: no Docs, empty Docs, Docs of whitespace."""

import numpy as np
import pytest
from spacy.language import Language

from tests.util import (
    elmo_of,
    empty_example,
    finish_update,
    make_examples,
    make_nlp,
    make_optimizer,
    scalars_of,
)


def test_no_docs_are_no_docs(trained_nlp: Language) -> None:
    """HIT-SCIR/ELMoForManyLangs divided by their number."""
    assert list(trained_nlp.pipe([])) == []
    assert elmo_of(trained_nlp).predict([]) == []


@pytest.mark.parametrize("frozen", [True, False])
def test_frozen_and_annotating_takes_empty_training_docs(frozen: bool) -> None:
    """explosion/spaCy#12821: `doc.tensor.size == 0` was taken for "not annotated"."""
    nlp = make_nlp(frozen=frozen)
    before = scalars_of(nlp, "tagger")
    sgd = make_optimizer()
    for _ in range(2):
        examples = [*make_examples(nlp), empty_example(nlp)]
        nlp.update(examples, exclude=["elmo"], annotates=["elmo"], sgd=False)
        finish_update(nlp, sgd, ["elmo"])
    assert (scalars_of(nlp, "tagger") != before).all()


def test_initialize_takes_empty_docs() -> None:
    nlp = make_nlp(initialize=False)
    nlp.initialize(lambda: [empty_example(nlp), *make_examples(nlp)])
    assert nlp("Anna")._.elmo.shape[1] == 1


def test_evaluate_takes_empty_docs(trained_nlp: Language) -> None:
    examples = [empty_example(trained_nlp), *make_examples(trained_nlp)]
    scores = trained_nlp.evaluate(examples)
    assert scores["tag_acc"] > 0.5


@pytest.mark.parametrize("text", ["", " \n"])
def test_parts_of_nothing_have_zero_vectors(elmo_nlp: Language, text: str) -> None:
    doc = elmo_nlp(text)
    np.testing.assert_array_equal(doc[:].vector, np.zeros_like(doc.vector))
    assert not doc[:].has_vector
    assert doc[:].similarity(doc[:]) == 0
