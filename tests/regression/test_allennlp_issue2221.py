"""allenai/allennlp#2221: two ways to run one model gave different scores."""

import numpy as np
import torch
from spacy.language import Language

from tests.util import GOLDEN, TEXTS, WEIGHTS, bilm_of, layers_of, make_doc


def test_call_pipe_and_plain_torch_agree(elmo_nlp: Language) -> None:
    words = ["The", "cat", "sat", "on", "the", "mat", "."]
    bilm = bilm_of(elmo_nlp)
    batch = bilm.collate([words])
    with torch.no_grad():
        Y, _ = bilm(batch)
    expected = Y.numpy()[:, batch.inner]
    by_call = elmo_nlp(make_doc(elmo_nlp.vocab, words))._.elmo
    mates = [make_doc(elmo_nlp.vocab, words), *TEXTS]
    by_pipe = layers_of(elmo_nlp, mates)[0]
    np.testing.assert_allclose(by_call, expected, atol=1e-5)
    np.testing.assert_allclose(by_pipe, expected, atol=1e-5)


def test_the_component_agrees_with_allennlp(elmo_nlp: Language) -> None:
    words = ["The", "cat", "sat", "on", "the", "mat", "."]
    expected = np.load(GOLDEN / WEIGHTS / "expected.npz")["single_0"][:, 1:-1]
    layers = elmo_nlp(make_doc(elmo_nlp.vocab, words))._.elmo
    np.testing.assert_allclose(layers, expected, atol=1e-5)
