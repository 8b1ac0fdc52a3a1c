"""explosion/spaCy#7568, #7599, #6366: with two embeddings, whose vectors are read?

Each head reads its own upstream's; `doc._.elmo` is that of the component `elmo`.
"""

from typing import Any

import numpy as np
import pytest
from spacy.language import Language

from spacy_elmo.layers.storage import get_layers
from tests.util import (
    TEXTS,
    WIDTH,
    assemble,
    bilm_of,
    changed,
    elmo_block,
    elmo_of,
    finish_update,
    head_block,
    make_examples,
    make_optimizer,
    mix_of,
    set_weights,
    snapshot,
    train,
)

WEIGHTS = {"elmo": "relu_hw2", "small": "layers1"}


def make_two(upstreams: tuple[str, str] = ("elmo", "small"), **model: Any) -> Language:
    components = {name: elmo_block(w, **model) for name, w in WEIGHTS.items()}
    for head, upstream in zip(("tagger", "ner"), upstreams):
        components[head] = head_block(head, upstream)
    nlp = assemble(components)
    for name, weights in WEIGHTS.items():
        set_weights(nlp, weights, name)
    return nlp


def test_each_head_is_linked_to_its_own_upstream() -> None:
    nlp = make_two()
    nlp.initialize(lambda: make_examples(nlp))
    assert elmo_of(nlp, "elmo").listening_components == ["tagger"]
    assert elmo_of(nlp, "small").listening_components == ["ner"]
    sizes = [(m.get_dim("nL"), m.get_dim("nO")) for m in both_mixes(nlp)]
    assert sizes == [(3, WIDTH), (2, 16)]


def test_each_keeps_its_layers_and_doc_elmo_is_that_of_elmo() -> None:
    nlp = make_two()
    nlp.initialize(lambda: make_examples(nlp))
    doc = nlp(TEXTS[0])
    assert get_layers(doc, "elmo").shape == (3, len(doc), WIDTH)
    assert get_layers(doc, "small").shape == (2, len(doc), 16)
    np.testing.assert_array_equal(doc._.elmo, get_layers(doc, "elmo"))


def test_a_second_component_changes_no_vector_of_the_first(elmo_nlp: Language) -> None:
    doc = make_two()(TEXTS[0], disable=["tagger", "ner"])
    np.testing.assert_array_equal(doc._.elmo, elmo_nlp(TEXTS[0])._.elmo)


def test_gradients_reach_the_own_upstream_alone() -> None:
    nlp = make_two(frozen=False)
    nlp.initialize(lambda: make_examples(nlp))
    train(nlp, 2)
    before = {name: snapshot(nlp, name) for name in WEIGHTS}
    sgd = make_optimizer()
    nlp.update(make_examples(nlp), exclude=["ner"], sgd=False)
    finish_update(nlp, sgd)
    assert changed(before["elmo"], snapshot(nlp, "elmo")) == list(before["elmo"])
    grads = [p.grad for p in bilm_of(nlp, "small").parameters()]
    assert not any(grad.any() for grad in grads if grad is not None)


@pytest.mark.parametrize("heads", ["both frozen", "both open"])
def test_a_listener_to_any_of_two_is_refused(heads: str) -> None:
    nlp = two_alike(frozen=heads == "both frozen")
    nlp.initialize(lambda: make_examples(nlp))
    expected = r"'tagger' listens to '\*', but several.*'one', 'two'"
    with pytest.raises(ValueError, match=expected):
        nlp(TEXTS[0])
    with pytest.raises(ValueError, match=expected):
        nlp.update(make_examples(nlp), sgd=False)


def two_alike(**model: Any) -> Language:
    components = {name: elmo_block(**model) for name in ("one", "two")}
    nlp = assemble({**components, "tagger": head_block("tagger", "*")})
    for name in components:
        set_weights(nlp, name=name)
    return nlp


def both_mixes(nlp: Language) -> list:
    return [mix_of(nlp, "tagger", "elmo"), mix_of(nlp, "ner", "small")]
