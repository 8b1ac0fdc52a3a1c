"""explosion/spaCy#11547, #9210: weights that were never loaded.

[training] frozen_components keeps a component from being initialized, and so its loader
from running. Nothing may be trained or predicted with other weights then.
"""

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from spacy.language import Language
from spacy.tokens import DocBin
from spacy.training.initialize import init_nlp
from thinc.api import Config

from tests.util import (
    TEXTS,
    WEIGHTS,
    Block,
    assemble,
    changed,
    elmo_block,
    elmo_of,
    head_block,
    loader_block,
    make_examples,
    make_nlp,
    pickled,
    snapshot,
    train,
)

NEVER_LOADED = r"\[initialize.components.elmo.loader\].*never loaded.*frozen_components"
FROZEN = {"exclude": ["elmo"], "annotates": ["elmo"]}
SIZES = pytest.mark.parametrize("sizes", [WEIGHTS, None], ids=["golden", "bundled"])


def configured(sizes: str | None = WEIGHTS) -> Language:
    """A pipeline whose config names golden weights, for a biLM of these sizes."""
    return assemble({"elmo": elmo_block(sizes)}, {"elmo": loader_block(WEIGHTS)})


@SIZES
def test_predicting_without_them_is_an_error(sizes: str | None) -> None:
    with pytest.raises(ValueError, match=NEVER_LOADED):
        configured(sizes)(TEXTS[0])


@SIZES
def test_training_without_them_is_an_error(sizes: str | None) -> None:
    nlp = configured(sizes)
    with pytest.raises(ValueError, match=NEVER_LOADED):
        nlp.update(make_examples(nlp), sgd=False)


@SIZES
def test_saving_without_them_is_an_error(sizes: str | None, tmp_path: Path) -> None:
    nlp = configured(sizes)
    with pytest.raises(ValueError, match=NEVER_LOADED):
        nlp.to_disk(tmp_path)
    with pytest.raises(ValueError, match=NEVER_LOADED):
        nlp.to_bytes()


@pytest.mark.parametrize("copied", [copy.deepcopy, pickled])
def test_a_copy_without_them_is_an_error_too(
    copied: Callable[[Language], Language],
) -> None:
    nlp = configured(sizes=None)
    twin = copied(nlp)
    with pytest.raises(ValueError, match=NEVER_LOADED):
        twin(TEXTS[0])


def test_initialize_loads_them() -> None:
    nlp = configured()
    nlp.initialize()
    assert changed(snapshot(make_nlp(heads=())), snapshot(nlp)) == []
    assert elmo_of(nlp).provenance["source"] == "weights.hdf5"


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    docs = [example.reference for example in make_examples(make_nlp(heads=()))]
    path = tmp_path / "train.spacy"
    DocBin(docs=docs).to_disk(path)
    return path


def training_config(
    corpus: Path, elmo: Block, loaders: Block, **training: Any
) -> Config:
    """The config of `spacy train` for a tagger on a component `elmo`."""
    reader = {"@readers": "spacy.Corpus.v1", "path": str(corpus)}
    blocks = {
        "nlp": {"lang": "en", "pipeline": ["elmo", "tagger"]},
        "components": {"elmo": elmo, "tagger": head_block("tagger")},
        "corpora": {"train": reader, "dev": reader},
        "training": {"seed": 0, "gpu_allocator": None, **training},
        "initialize": {"components": loaders},
    }
    return Config(blocks)


def test_frozen_components_skip_the_loader_and_training_says_so(corpus: Path) -> None:
    loaders = {"elmo": loader_block(WEIGHTS)}
    config = training_config(corpus, elmo_block(), loaders, frozen_components=["elmo"])
    nlp = init_nlp(config)
    with pytest.raises(ValueError, match=NEVER_LOADED):
        train(nlp, **FROZEN)


def test_a_frozen_model_runs_the_loader_and_keeps_the_weights(corpus: Path) -> None:
    loaders = {"elmo": loader_block(WEIGHTS)}
    nlp = init_nlp(training_config(corpus, elmo_block(frozen=True), loaders))
    train(nlp, 3)
    assert changed(snapshot(make_nlp(heads=())), snapshot(nlp)) == []


def test_a_sourced_frozen_component_keeps_its_weights(
    corpus: Path, tmp_path: Path
) -> None:
    source = make_nlp(heads=())
    source.to_disk(tmp_path / "source")
    elmo = {"source": str(tmp_path / "source")}
    config = training_config(corpus, elmo, {}, frozen_components=["elmo"])
    nlp = init_nlp(config)
    train(nlp, 3, **FROZEN)
    assert changed(snapshot(source), snapshot(nlp)) == []
    np.testing.assert_array_equal(nlp(TEXTS[0])._.elmo, source(TEXTS[0])._.elmo)
