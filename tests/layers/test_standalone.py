"""A biLM inside one head: its loader, and the block that replaces a listener's."""

from typing import Any

import numpy as np
import pytest
from thinc.api import Model

from spacy_elmo.layers.context import DocumentContext
from spacy_elmo.layers.encoder import build_encoder, get_shim
from spacy_elmo.layers.listener import ElmoListener
from spacy_elmo.layers.scalar_mix import ScalarMixSettings, build_scalar_mix
from spacy_elmo.layers.standalone import (
    build_standalone,
    replace_listener,
    replace_listener_cfg,
)
from tests.layers.test_encoder import GOLDEN, NLP

LISTENER = {"@architectures": "spacy-elmo.ElmoListener.v1", "upstream": "elmo"}
ELMO = {"@architectures": "spacy-elmo.Elmo.v1", "cell_dim": 7}


class CountingLoader:
    """A loader that knows how often it was called."""

    calls = 0

    def __call__(self) -> Any:
        self.calls += 1
        return GOLDEN.weights


class Upstream:
    """A component that has nothing to load."""

    def check_loader(self) -> None:
        pass


def standalone(loader: CountingLoader | None = None) -> Model:
    encoder = build_encoder(GOLDEN.weights.config, context=DocumentContext())
    return build_standalone(encoder, build_scalar_mix(ScalarMixSettings()), loader)


def test_the_loader_is_called_at_initialize_and_never_at_load() -> None:
    loader, docs = CountingLoader(), [NLP("The cat sat .")]
    model = standalone(loader)
    assert loader.calls == 0
    model.initialize(X=docs)
    assert loader.calls == 1
    again = CountingLoader()
    copy = standalone(again).from_bytes(model.to_bytes())
    assert np.array_equal(copy.predict(docs)[0], model.predict(docs)[0])
    assert again.calls == 0


def test_a_loader_that_was_never_called() -> None:
    with pytest.raises(ValueError, match="never called.*nlp.initialize"):
        standalone(CountingLoader()).predict([NLP("a")])


def test_the_width_is_known_at_once() -> None:
    assert standalone().get_dim("nO") == 24


def test_the_block_in_place_of_a_listener() -> None:
    block = replace_listener_cfg(ELMO, {**LISTENER, "mix": {"gamma": 2.0}})
    assert block == {
        "@architectures": "spacy-elmo.ElmoTok2Vec.v1",
        "elmo": ELMO,
        "mix": {"gamma": 2.0},
        "loader": None,
    }


def test_the_listener_may_be_inside_of_another_block() -> None:
    inside = {"@architectures": "x", "elmo_input": {**LISTENER, "mix": {"gamma": 3}}}
    assert replace_listener_cfg(ELMO, inside)["mix"] == {"gamma": 3}


def test_two_listeners_with_different_mixes() -> None:
    block = {
        "elmo_input": {**LISTENER, "mix": {"gamma": 1}},
        "elmo_output": {**LISTENER, "mix": {"gamma": 2}},
    }
    with pytest.raises(ValueError, match="two ElmoListeners with different"):
        replace_listener_cfg(ELMO, block)


def test_no_listener() -> None:
    with pytest.raises(ValueError, match="No spacy-elmo.ElmoListener"):
        replace_listener_cfg(ELMO, {"@architectures": "spacy.HashEmbedCNN.v2"})


def test_a_copy_has_an_optimizer_slot_of_its_own() -> None:
    encoder = standalone().layers[0]
    copy = encoder.copy()
    assert get_shim(copy).id == get_shim(encoder).id  # thinc leaves them the same
    replaced = replace_listener(copy, ElmoListener("elmo"), Upstream())
    assert get_shim(replaced).id != get_shim(encoder).id
