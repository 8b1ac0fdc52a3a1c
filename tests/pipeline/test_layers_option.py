"""`layers` in the config of Elmo.v1: exactly these are computed, kept and sent.

Reimers & Gurevych (UKPLab/elmo-bilstm-cnn-crf): without the top layer, training is
faster and often better.
"""

from pathlib import Path

import numpy as np
import pytest
import spacy
from spacy.language import Language

from spacy_elmo import layer_weights
from spacy_elmo.bilm.stack import Layer
from tests.util import (
    TEXTS,
    WIDTH,
    assemble,
    count_calls,
    elmo_block,
    elmo_of,
    head_block,
    make_nlp,
    mix_of,
    train,
)


@pytest.mark.parametrize("layers", [[0], [1], [2], [0, 1], [0, 2], [0, 1, 2]])
def test_exactly_these_are_kept(elmo_nlp: Language, layers: list[int]) -> None:
    doc = make_nlp(heads=(), layers=layers)(TEXTS[0])
    np.testing.assert_array_equal(doc._.elmo, elmo_nlp(TEXTS[0])._.elmo[layers])
    np.testing.assert_allclose(doc.tensor, doc._.elmo.mean(axis=0), atol=1e-6)


@pytest.mark.parametrize("layers, runs", [([0], 0), ([0, 1], 1), ([2], 2)])
def test_no_layer_above_them_is_computed(layers: list[int], runs: int) -> None:
    """A layer runs once, in both directions."""
    nlp = make_nlp(heads=(), layers=layers)
    nlp(TEXTS[0])  # the engine reads the boundaries when it is made
    with count_calls(Layer, "run") as calls:
        nlp(TEXTS[1])
    assert len(calls) == runs


def test_a_layer_left_out_is_a_weight_of_zero(elmo_nlp: Language) -> None:
    mix = {"@architectures": "spacy-elmo.ScalarMix.v1", "train_weights": False}
    mix = {**mix, "weights": [0.25, 0.75, 0.0]}
    full = make_nlp(heads=(), elmo={"mix": mix})(TEXTS[0])
    cut = {**mix, "weights": [0.25, 0.75]}
    fewer = make_nlp(heads=(), layers=[0, 1], elmo={"mix": cut})(TEXTS[0])
    np.testing.assert_allclose(fewer.tensor, full.tensor, atol=1e-6)


def test_heads_mix_and_train_these_alone() -> None:
    nlp = make_nlp(layers=[0, 2], frozen=False)
    train(nlp, 2)
    assert mix_of(nlp, "tagger").get_dim("nL") == 2
    assert [report.layers for report in layer_weights(nlp)] == [(0, 2)] * 2


SELECT_TOP = {"@architectures": "spacy-elmo.SelectLayers.v1", "layers": [2]}


def test_a_head_that_asks_for_another_is_refused_when_linked() -> None:
    tagger = head_block("tagger")
    tagger["model"]["tok2vec"]["mix"] = SELECT_TOP
    with pytest.raises(ValueError, match=r"components.tagger.*layer 2.*\[0, 1\]"):
        assemble({"elmo": elmo_block(layers=[0, 1]), "tagger": tagger})


def test_its_own_mix_that_asks_for_another_is_refused() -> None:
    with pytest.raises(ValueError, match=r"layer 2.*\[0, 1\]"):
        assemble({"elmo": elmo_block(settings={"mix": SELECT_TOP}, layers=[0, 1])})


@pytest.mark.parametrize("layers", [[], [3], [-1], [0, 0], [0.5]])
def test_impossible_layers_are_refused(layers: list) -> None:
    with pytest.raises(ValueError, match="layers"):
        make_nlp(heads=(), layers=layers)


def test_they_are_part_of_the_saved_config(tmp_path: Path) -> None:
    make_nlp(heads=(), layers=[0, 1]).to_disk(tmp_path)
    nlp = spacy.load(tmp_path)
    assert elmo_of(nlp).layers == (0, 1)
    assert nlp(TEXTS[1])._.elmo.shape == (2, 1, WIDTH)
