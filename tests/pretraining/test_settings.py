"""A config is checked before any text is read."""

from typing import Any

import pytest
from thinc.api import Config

from spacy_elmo.pretraining.config import read_nlp, read_settings
from spacy_elmo.pretraining.optimization import learn_rate
from spacy_elmo.pretraining.settings import Adagrad, Adam, WindowBatches

from .util import make_config


def test_a_config_gives_settings():
    settings = read_settings(make_config("a.txt", dev=None))
    assert settings.corpus.train == ["a.txt"] and settings.corpus.dev == []
    assert settings.bilm(9).cell_dim == 12
    assert settings.optimizer == Adam(kind="adam", learn_rate=0.01, warmup_steps=2)


@pytest.mark.parametrize(
    "changes, problem",
    [
        ({"sead": 1}, "pretraining_elmo.sead: Extra inputs are not permitted"),
        ({"dropout": 1.5}, "pretraining_elmo.dropout: .* less than 1, found 1.5"),
        ({"corpus": {"tokenised": True}}, "corpus.tokenised: Extra inputs"),
        ({"model": {"cell_dim": 0}}, "model.: biLM size cell_dim: expected an integer"),
        ({"model": {"cells": 1}}, "model.: .*unexpected keyword argument 'cells'"),
        ({"softmax": {"kind": "full", "n_samples": 3}}, "softmax.full.n_samples"),
        ({"softmax": {"kind": "big"}}, "softmax: .*'full', 'sampled', 'adaptive'"),
        ({"softmax": {"kind": "sampled", "n_samples": 0}}, "n_samples: .*equal to 1"),
        ({"softmax": {"kind": "full", "tied": True}}, "needs a biLM of words"),
        ({"model": {"characters": "unicode"}}, "reads 'bytes', or 'none'"),
        ({"max_epochs": None}, "set max_epochs or max_steps"),
        ({"precision": "float16"}, 'needs a GPU: expected device = "cuda", found .cpu'),
        ({"precision": "int8"}, "precision: Input should be 'float32', 'bfloat16'"),
    ],
)
def test_a_wrong_setting_is_named(changes: dict[str, Any], problem: str):
    with pytest.raises(ValueError, match=problem):
        read_settings(make_config("a.txt", **changes))


def test_adagrads_defaults_are_those_of_bilm_tf():
    """bilm-tf issue 26: which learning rate is it?"""
    settings = Adagrad(kind="adagrad")
    assert (settings.learn_rate, settings.initial_accumulator) == (0.2, 1.0)
    assert (settings.loss_scale, settings.grad_clip) == (20.0, 10.0)
    assert WindowBatches(kind="windows").unroll == 20


def test_a_config_without_the_block_is_refused():
    with pytest.raises(ValueError, match=r"No block \[pretraining_elmo\]"):
        read_settings(Config({"training": {}}))


@pytest.mark.parametrize(
    "changes, problem",
    [
        ({}, "expected max_epochs = 1, found 2"),
        ({"max_epochs": 1}, "make the vocabulary before"),
        ({"max_epochs": 1, "vocabulary": {"path": "v.txt"}}, "cosine needs to know"),
    ],
)
def test_the_standard_input_is_read_once(changes: dict[str, Any], problem: str):
    with pytest.raises(ValueError, match=problem):
        read_settings(make_config("-", **changes))


def test_the_config_decides_the_pipeline_that_splits():
    config = Config().from_str(
        '[nlp]\nlang = "de"\npipeline = ["sentencizer"]\n\n'
        '[components]\n\n[components.sentencizer]\nfactory = "sentencizer"\n'
    )
    nlp = read_nlp(config)
    assert (nlp.lang, nlp.pipe_names) == ("de", ["sentencizer"])


@pytest.mark.parametrize(
    "step, progress, expected",
    [(0, 0.0, 0.25), (1, 0.0, 0.5), (3, 0.0, 1.0), (9, 0.5, 0.5), (9, 1.0, 0.0)],
)
def test_the_rate_warms_up_and_falls_as_a_cosine(
    step: int, progress: float, expected: float
):
    settings = Adam(kind="adam", learn_rate=1.0, warmup_steps=3)
    found = learn_rate(settings, step=step, progress=progress)
    assert found == pytest.approx(expected)


def test_a_constant_rate_stays():
    settings = Adam(kind="adam", learn_rate=1.0, schedule="constant")
    assert learn_rate(settings, step=99, progress=0.9) == 1.0
