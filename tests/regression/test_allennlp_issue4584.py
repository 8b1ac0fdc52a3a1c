"""allenai/allennlp#4584, #1574: frozen biLMs kept what only a gradient needs."""

import pytest
import torch

from spacy_elmo.layers.encoder import get_shim
from tests.util import TEXTS, elmo_of, make_nlp


@pytest.mark.parametrize("frozen", [True, False])
def test_prediction_needs_no_gradient(frozen: bool) -> None:
    shim = get_shim(elmo_of(make_nlp(heads=(), frozen=frozen)).model)
    engine = shim.engine(kept_words=0, precision="float32")
    assert not engine.layers([["Anna", "left"]], [0, 1, 2]).requires_grad


@pytest.mark.parametrize("frozen", [True, False])
def test_an_update_keeps_activations_only_to_learn(frozen: bool) -> None:
    nlp = make_nlp(heads=(), frozen=frozen)
    docs = [nlp.make_doc(text) for text in TEXTS]
    saved: list[torch.Tensor] = []

    def save(tensor: torch.Tensor) -> torch.Tensor:
        saved.append(tensor)
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(save, torch.Tensor.detach):
        elmo_of(nlp).model.begin_update(docs)
    assert bool(saved) != frozen
