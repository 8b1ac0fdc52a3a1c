"""explosion/spacy-transformers PR #223: training on empty Docs needed three fixes."""

import numpy as np
import pytest

from tests.util import (
    empty_example,
    finish_update,
    make_examples,
    make_nlp,
    make_optimizer,
    scalars_of,
    snapshot,
)


@pytest.mark.parametrize("frozen", [True, False])
@pytest.mark.parametrize("batch", ["e", "xex", "ee", "ex", "xe"])
def test_empty_docs_are_trained_on(batch: str, frozen: bool) -> None:
    nlp = make_nlp(frozen=frozen)
    words = iter(make_examples(nlp))
    examples = [empty_example(nlp) if kind == "e" else next(words) for kind in batch]
    sgd = make_optimizer()
    for _ in range(3):
        losses = nlp.update(examples, sgd=False)
        finish_update(nlp, sgd)
    assert "elmo" in losses
    values = [*snapshot(nlp).values(), scalars_of(nlp, "tagger")]
    assert all(np.isfinite(array).all() for array in values)
    learned = (scalars_of(nlp, "tagger") != scalars_of(make_nlp(), "tagger")).all()
    assert learned == ("x" in batch)
