"""kermitt2/delft#100: two ELMo models in one process shared their weights."""

import numpy as np

from tests.util import (
    TEXTS,
    assemble,
    elmo_block,
    elmo_of,
    layers_of,
    make_nlp,
    set_weights,
)

OTHER = "tanh_hw1"


def test_a_second_pipeline_changes_nothing_of_the_first() -> None:
    nlp = make_nlp(heads=())
    before = layers_of(nlp, TEXTS)
    layers_of(make_nlp(heads=(), weights=OTHER), TEXTS)
    for ours, first in zip(layers_of(nlp, TEXTS), before, strict=True):
        np.testing.assert_array_equal(ours, first)


def test_two_components_of_a_pipeline_have_weights_of_their_own() -> None:
    names = {"elmo": "relu_hw2", "other": OTHER}
    nlp = assemble({name: elmo_block(weights) for name, weights in names.items()})
    for name, weights in names.items():
        set_weights(nlp, weights, name)
    docs = [nlp.make_doc(text) for text in TEXTS]
    for name, weights in names.items():
        alone = layers_of(make_nlp(heads=(), weights=weights), TEXTS)
        together = elmo_of(nlp, name).predict(docs)
        for ours, theirs in zip(together, alone, strict=True):
            np.testing.assert_array_equal(ours, theirs)
