"""A saved pipeline needs no other file, and is the pipeline that was saved."""

import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import spacy
from spacy.language import Language
from spacy.util import load_model_from_config

import spacy_elmo
from spacy_elmo.layers.encoder import get_shim
from spacy_elmo.weights import loaders
from tests.util import (
    GOLDEN,
    TEXTS,
    TRAIN,
    WEIGHTS,
    annotations_of,
    changed,
    elmo_of,
    make_nlp,
    scalars_of,
    snapshot,
    train,
)


@pytest.fixture
def no_bundled_weights(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(loaders, "BUNDLED", tmp_path / "gone")


def test_it_loads_when_the_first_files_are_gone(
    no_bundled_weights: None, tmp_path: Path
) -> None:
    source = shutil.copytree(GOLDEN / WEIGHTS, tmp_path / "source")
    nlp = spacy_elmo.blank("en", weights=source)
    expected = nlp(TEXTS[0])._.elmo
    nlp.to_disk(tmp_path / "saved")
    shutil.rmtree(source)
    loaded = spacy.load(tmp_path / "saved")
    np.testing.assert_array_equal(loaded(TEXTS[0])._.elmo, expected)


def test_the_bundled_weights_are_not_needed_either(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    nlp = spacy_elmo.blank("en")
    expected = nlp(TEXTS[0])._.elmo
    nlp.to_disk(tmp_path / "saved")
    monkeypatch.setattr(loaders, "BUNDLED", tmp_path / "gone")
    with pytest.raises(FileNotFoundError, match="gone"):
        spacy_elmo.blank("en")(TEXTS[0])
    loaded = spacy.load(tmp_path / "saved")
    np.testing.assert_array_equal(loaded(TEXTS[0])._.elmo, expected)


def test_a_pipeline_never_used_is_saved_with_the_bundled_weights(
    tmp_path: Path,
) -> None:
    spacy.blank("en").add_pipe("elmo")
    nlp = spacy_elmo.blank("en")
    nlp.to_disk(tmp_path)
    loaded = spacy.load(tmp_path)
    assert elmo_of(loaded).provenance["source"] == loaders.BUNDLED.name
    np.testing.assert_array_equal(loaded("bank").tensor, nlp("bank").tensor)


def test_no_path_of_the_machine_is_saved(tmp_path: Path) -> None:
    """HIT-SCIR/ELMoForManyLangs#19: a config named its author's home."""
    source = shutil.copytree(GOLDEN / WEIGHTS, tmp_path / "source")
    spacy_elmo.blank("en", weights=source).to_disk(tmp_path / "saved")
    for file in (tmp_path / "saved").rglob("*"):
        if file.is_file():
            assert str(tmp_path).encode() not in file.read_bytes()


def test_provenance_travels(tmp_path: Path) -> None:
    nlp = make_nlp(heads=())
    nlp.to_disk(tmp_path)
    provenance = elmo_of(spacy.load(tmp_path)).provenance
    assert provenance == elmo_of(nlp).provenance
    assert provenance["source"] == "weights.hdf5"


def from_disk(nlp: Language, path: Path) -> Language:
    nlp.to_disk(path)
    return spacy.load(path)


def from_bytes(nlp: Language, path: Path) -> Language:
    blank = load_model_from_config(nlp.config)
    return blank.from_bytes(nlp.to_bytes())


@pytest.mark.parametrize("save_and_load", [from_disk, from_bytes])
@pytest.mark.parametrize("frozen", [True, False])
def test_a_trained_pipeline_comes_back(
    save_and_load: Callable[[Language, Path], Language], frozen: bool, tmp_path: Path
) -> None:
    nlp = make_nlp(frozen=frozen)
    train(nlp, 30)
    loaded = save_and_load(nlp, tmp_path)
    assert changed(snapshot(nlp), snapshot(loaded)) == []
    for head in ("tagger", "ner"):
        np.testing.assert_array_equal(scalars_of(nlp, head), scalars_of(loaded, head))
    for text in (TEXTS[2], TRAIN[0][0]):
        np.testing.assert_array_equal(nlp(text).tensor, loaded(text).tensor)
        assert annotations_of(nlp(text)) == annotations_of(loaded(text))
    assert elmo_of(loaded).listening_components == ["tagger", "ner"]


def test_loading_twice_is_loading_once(tmp_path: Path) -> None:
    nlp = make_nlp(frozen=False)
    train(nlp, 3)
    data = nlp.to_bytes()
    nlp.to_disk(tmp_path)
    for _ in range(2):
        nlp.from_disk(tmp_path)
    assert nlp.to_bytes() == data


def test_a_loaded_pipeline_goes_on_training(tmp_path: Path) -> None:
    nlp = make_nlp(frozen=False)
    train(nlp, 2)
    loaded = from_disk(nlp, tmp_path)
    train(nlp, 2)
    train(loaded, 2)
    for name, array in snapshot(nlp).items():
        np.testing.assert_allclose(snapshot(loaded)[name], array, atol=1e-5)


def test_the_mix_behind_the_tensor_comes_back(tmp_path: Path) -> None:
    mix = {"@architectures": "spacy-elmo.ScalarMix.v1", "weights": [0.5, 0.3, 0.2]}
    nlp = make_nlp(heads=(), elmo={"mix": {**mix, "gamma": 2.0}})
    expected = 2 * np.tensordot([0.5, 0.3, 0.2], nlp(TEXTS[0])._.elmo, axes=1)
    np.testing.assert_allclose(nlp(TEXTS[0]).tensor, expected, atol=1e-5)
    loaded = from_disk(nlp, tmp_path)
    np.testing.assert_array_equal(loaded(TEXTS[0]).tensor, nlp(TEXTS[0]).tensor)


def test_saved_sizes_that_differ_from_the_config_are_refused() -> None:
    nlp, other = make_nlp(heads=()), make_nlp(heads=(), weights="layers1")
    before = snapshot(other)
    data = get_shim(elmo_of(nlp).model).to_bytes()
    with pytest.raises(ValueError, match="The saved biLM: .*expected"):
        get_shim(elmo_of(other).model).from_bytes(data)
    assert changed(before, snapshot(other)) == []
