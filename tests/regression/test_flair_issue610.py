"""flairNLP/flair#610, #1753: a model saved on a GPU could not be loaded without one.

The device was pickled with the tensors. Ours are safetensors, which know no device.
"""

import srsly
import torch
from safetensors.torch import load
from spacy.language import Language

from spacy_elmo.layers.encoder import get_shim
from tests.util import bilm_of, elmo_of


def test_saved_tensors_are_safetensors(elmo_nlp: Language) -> None:
    message = srsly.msgpack_loads(get_shim(elmo_of(elmo_nlp).model).to_bytes())
    state = load(message["state"])
    expected = bilm_of(elmo_nlp).state_dict()
    assert state.keys() == expected.keys()
    for name, tensor in state.items():
        assert tensor.device == torch.device("cpu")
        assert torch.equal(tensor, expected[name])
