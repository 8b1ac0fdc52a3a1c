"""explosion/spaCy#6377, #13459: a frozen embedding still paid for a backward pass.

Users also ask why its loss is 0: the key is there, and 0 while nothing is learned.
"""

import pytest
import torch

from tests.util import bilm_of, count_calls, make_examples, make_nlp, train


@pytest.mark.parametrize("frozen", [True, False])
def test_only_an_open_bilm_runs_backward(frozen: bool) -> None:
    nlp = make_nlp(frozen=frozen)
    with count_calls(torch.autograd, "backward") as calls:
        train(nlp)
    assert len(calls) == (0 if frozen else 1)


@pytest.mark.parametrize("frozen", [True, False])
def test_only_an_open_bilm_keeps_a_graph(frozen: bool) -> None:
    nlp = make_nlp(frozen=frozen)
    outputs = []
    handle = bilm_of(nlp).register_forward_hook(
        lambda module, inputs, output: outputs.append(output[0])
    )
    train(nlp)
    handle.remove()
    assert [Y.requires_grad for Y in outputs] == [not frozen]
    parameters = bilm_of(nlp).parameters()
    assert {p.requires_grad for p in parameters} == {not frozen}


@pytest.mark.parametrize("frozen", [True, False])
def test_only_an_open_bilm_has_a_loss(frozen: bool) -> None:
    nlp = make_nlp(frozen=frozen)
    train(nlp, 2)
    losses = nlp.update(make_examples(nlp), sgd=False)
    assert (losses["elmo"] == 0.0) is frozen
    assert losses["tagger"] > 0
