"""explosion/spaCy#6377, #13459: a frozen embedding still paid for a backward pass.

Users also ask why its loss is 0: the key is there, and 0 while nothing is learned.
"""

import pytest
import torch

from spacy_elmo.bilm.engine import Engine
from tests.util import bilm_of, count_calls, make_examples, make_nlp, train


@pytest.mark.parametrize("frozen", [True, False])
def test_only_an_open_bilm_runs_backward(frozen: bool) -> None:
    nlp = make_nlp(frozen=frozen)
    with count_calls(torch.autograd, "backward") as calls:
        train(nlp)
    assert len(calls) == (0 if frozen else 1)


@pytest.mark.parametrize("frozen", [True, False])
def test_only_an_open_bilm_keeps_a_graph(frozen: bool) -> None:
    """A frozen one is run by the engine, which knows no gradients."""
    nlp = make_nlp(frozen=frozen)
    with (
        count_calls(bilm_of(nlp), "forward") as with_graph,
        count_calls(Engine, "layers") as without,
    ):
        train(nlp)
    assert (len(with_graph), len(without)) == ((0, 1) if frozen else (1, 0))
    parameters = bilm_of(nlp).parameters()
    assert {p.requires_grad for p in parameters} == {not frozen}


@pytest.mark.parametrize("frozen", [True, False])
def test_only_an_open_bilm_has_a_loss(frozen: bool) -> None:
    nlp = make_nlp(frozen=frozen)
    train(nlp, 2)
    losses = nlp.update(make_examples(nlp), sgd=False)
    assert (losses["elmo"] == 0.0) is frozen
    assert losses["tagger"] > 0
