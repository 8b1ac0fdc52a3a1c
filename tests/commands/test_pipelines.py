"""Commands that make a pipeline, and those that use one."""

import json
from pathlib import Path

import numpy as np
import pytest
import spacy
from spacy.tokens import DocBin
from thinc.api import Config

import spacy_elmo

from ..util import GOLDEN, TEXTS, WEIGHTS, bilm_of, changed, elmo_of, snapshot
from .project import HERE, Project, output_of, run


def weights_of(name: str) -> list[str]:
    """The options that fill in [paths] of elmo.cfg."""
    folder = GOLDEN / name
    files = {"options": folder / "options.json", "weights": folder / "weights.hdf5"}
    return [f"--paths.{key}={path}" for key, path in files.items()]


# ---- Making one ----------------------------------------------------------------------


def test_assemble_makes_a_pipeline_of_foreign_weights(
    project: Project, tmp_path: Path
) -> None:
    output_of("assemble", HERE / "elmo.cfg", tmp_path, *weights_of(WEIGHTS))
    assembled, expected = spacy.load(tmp_path), spacy.load(project.elmo)
    assert changed(snapshot(expected), snapshot(assembled)) == []
    layers = expected(TEXTS[0])._.elmo
    np.testing.assert_array_equal(assembled(TEXTS[0])._.elmo, layers)


def test_assemble_says_which_sizes_differ(tmp_path: Path) -> None:
    result = run("assemble", HERE / "elmo.cfg", tmp_path, *weights_of("layers3"))
    assert "n_layers" in str(result.exception)


def test_train_keeps_a_sourced_frozen_elmo_byte_for_byte(project: Project) -> None:
    ours, theirs = (path / "elmo" / "model" for path in (project.elmo, project.trained))
    assert ours.read_bytes() == theirs.read_bytes()


@pytest.mark.parametrize("frozen_components", [[], ["elmo"]])
def test_train_keeps_the_bytes_of_init_tok2vec(
    project: Project, tmp_path: Path, frozen_components: list[str]
) -> None:
    """explosion/spaCy PR #7342: what was initialized later overwrote them."""
    pretrained = spacy.load(project.elmo)
    for tensor in bilm_of(pretrained).parameters():
        tensor.data += 0.01
    (tmp_path / "model.bin").write_bytes(elmo_of(pretrained).model.to_bytes())
    config = Config().from_disk(project.config, interpolate=False)
    config["initialize"]["init_tok2vec"] = str(tmp_path / "model.bin")
    config["training"]["frozen_components"] = frozen_components
    config["pretraining"] = {"component": "elmo", "layer": ""}
    config.to_disk(tmp_path / "base.cfg")
    filled = tmp_path / "config.cfg"
    output_of("init", "fill-config", tmp_path / "base.cfg", filled, "--pretraining")
    output_of("train", filled, "--output", tmp_path)
    trained = spacy.load(tmp_path / "model-last")
    assert changed(snapshot(pretrained), snapshot(trained)) == []


# ---- Using one -----------------------------------------------------------------------


def test_evaluate_scores_the_tagger(project: Project, tmp_path: Path) -> None:
    metrics = tmp_path / "metrics.json"
    output_of("evaluate", project.trained, project.corpus, "--output", metrics)
    assert json.loads(metrics.read_text(encoding="utf8"))["tag_acc"] > 0.75


def test_apply_keeps_tags_and_layers(project: Project, tmp_path: Path) -> None:
    texts = ["", *TEXTS]
    lines = [json.dumps({"text": text}) + "\n" for text in texts]
    (tmp_path / "texts.jsonl").write_text("".join(lines), encoding="utf8")
    paths = [tmp_path / "texts.jsonl", tmp_path / "out.spacy"]
    output_of("apply", project.trained, *paths)
    nlp = spacy.load(project.trained)
    docs = DocBin().from_disk(paths[1]).get_docs(nlp.vocab)
    for found, expected in zip(docs, nlp.pipe(texts), strict=True):
        assert [t.tag_ for t in found] == [t.tag_ for t in expected]
        np.testing.assert_allclose(found._.elmo, expected._.elmo, atol=1e-5)


def test_package_requires_spacy_elmo(project: Project, tmp_path: Path) -> None:
    options = ["--name", "tiny", "--version", "1.2.3", "--build", "none"]
    output_of("package", project.trained, tmp_path, *options)
    package = tmp_path / "en_tiny-1.2.3"
    meta = json.loads((package / "meta.json").read_text(encoding="utf8"))
    major, minor, _ = spacy_elmo.__version__.split(".")
    version = f">={spacy_elmo.__version__},<{major}.{int(minor) + 1}.0"
    assert f"spacy-elmo{version}" in meta["requirements"]
    loaded = spacy.load(package / "en_tiny" / package.name)
    assert changed(snapshot(spacy.load(project.trained)), snapshot(loaded)) == []


@pytest.mark.slow
def test_benchmark_speed_runs(project: Project) -> None:
    options = ["--batches", 30, "--warmup", 0, "--batch-size", 2]
    output = output_of("benchmark", "speed", project.trained, project.corpus, *options)
    assert "Mean:" in output and "words/s" in output
