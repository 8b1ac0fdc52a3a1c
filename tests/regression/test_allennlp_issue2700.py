"""allenai/allennlp#2700: what does freezing freeze, the biLM or the mix?

Also tensorflow/hub#57, #149, #153. `frozen` is about the biLM, `train_weights` and
`train_gamma` about the mix: each without the others.
"""

from itertools import product

import pytest

from tests.util import changed, make_nlp, scalars_of, snapshot, train


@pytest.mark.parametrize(
    "frozen, train_weights, train_gamma", list(product([True, False], repeat=3))
)
def test_each_switch_freezes_what_it_says(
    frozen: bool, train_weights: bool, train_gamma: bool
) -> None:
    mix = {"train_weights": train_weights, "train_gamma": train_gamma}
    nlp = make_nlp(["tagger"], frozen=frozen, mix=mix)
    bilm, scalars = snapshot(nlp), scalars_of(nlp, "tagger")
    train(nlp, 2)
    moved = scalars_of(nlp, "tagger") != scalars
    assert (changed(bilm, snapshot(nlp)) == []) is frozen
    assert moved[:-1].all() == moved[:-1].any() == train_weights
    assert moved[-1] == train_gamma


def test_every_parameter_of_an_open_bilm_learns() -> None:
    nlp = make_nlp(frozen=False)
    before = snapshot(nlp)
    train(nlp, 2)  # A head starts with zeros, which pass no gradient.
    assert changed(before, snapshot(nlp)) == list(before)
