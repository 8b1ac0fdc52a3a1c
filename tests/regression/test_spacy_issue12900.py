"""explosion/spaCy#12900: an added or missing tensor broke loading between versions."""

import pytest
import srsly
import torch
from safetensors.torch import load, save
from spacy.language import Language

from spacy_elmo.layers.encoder import get_shim
from tests.util import bilm_of, changed, elmo_of, make_nlp, snapshot


def test_nothing_is_saved_that_can_be_computed(elmo_nlp: Language) -> None:
    assert list(bilm_of(elmo_nlp).buffers()) == []


@pytest.mark.parametrize(
    "removed, added, problem",
    [
        ("token_encoder.projection.bias", None, "projection.bias is missing"),
        (None, "position_ids", "position_ids is unknown"),
    ],
)
def test_other_tensors_are_refused_and_nothing_is_changed(
    removed: str | None, added: str | None, problem: str
) -> None:
    nlp = make_nlp(heads=())
    shim, before = get_shim(elmo_of(nlp).model), snapshot(nlp)
    message = srsly.msgpack_loads(shim.to_bytes())
    state = {name: tensor + 1 for name, tensor in load(message["state"]).items()}
    if removed is not None:
        del state[removed]
    if added is not None:
        state[added] = torch.zeros(1)
    message["state"] = save(state)
    with pytest.raises(ValueError, match=problem):
        shim.from_bytes(srsly.msgpack_dumps(message))
    assert changed(before, snapshot(nlp)) == []
