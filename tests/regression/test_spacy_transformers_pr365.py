"""explosion/spacy-transformers PR #365: an empty Doc shifted the other gradients."""

import numpy as np
import pytest

from tests.util import (
    bilm_of,
    empty_example,
    make_examples,
    make_nlp,
    mix_of,
    train,
)


def gradients(place: int | None) -> dict[str, np.ndarray]:
    """What a batch leaves, with an empty Doc at a place in it."""
    nlp = make_nlp(["tagger"], frozen=False)
    train(nlp, 2)
    examples = make_examples(nlp)[:2]
    if place is not None:
        examples.insert(place, empty_example(nlp))
    nlp.update(examples, sgd=False)
    mix = mix_of(nlp, "tagger")
    arrays = {name: mix.get_grad(name).copy() for name in mix.param_names}
    for name, parameter in bilm_of(nlp).named_parameters():
        arrays[name] = parameter.grad.numpy().copy()
    return arrays


@pytest.mark.parametrize("place", [0, 1, 2], ids=["first", "middle", "last"])
def test_gradients_are_those_of_the_batch_without_it(place: int) -> None:
    expected, found = gradients(None), gradients(place)
    assert np.abs(expected["scalars"]).max() > 1e-4
    for name, array in expected.items():
        np.testing.assert_allclose(found[name], array, atol=1e-5, rtol=1e-4)
