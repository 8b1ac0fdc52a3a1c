"""Commands that read a config: init fill-config, init labels, debug, find-function."""

import json
from pathlib import Path

import pytest
import spacy
from thinc.api import Config

from ..heads.sample import make_docs
from .project import HERE, Project, output_of, run

CONFIGS = sorted(Path(__file__).parents[2].glob("configs/tagger_ner_*.cfg"))


def test_fill_config_adds_the_defaults_of_the_component(tmp_path: Path) -> None:
    output_of("init", "fill-config", HERE / "elmo.cfg", tmp_path / "filled.cfg")
    elmo = Config().from_disk(tmp_path / "filled.cfg")["components"]["elmo"]
    assert elmo["hooks"] is True
    assert elmo["model"]["frozen"] is True
    assert elmo["model"]["context"] == {"@misc": "spacy-elmo.SentenceContext.v1"}
    assert elmo["mix"]["train_weights"] is False


def test_fill_config_adds_the_defaults_of_a_mix(project: Project) -> None:
    config = Config().from_disk(project.config)
    assert config["components"]["tagger"]["model"]["tok2vec"]["mix"] == {
        "@architectures": "spacy-elmo.ScalarMix.v1",
        "weights": None,
        "train_weights": True,
        "gamma": 1.0,
        "train_gamma": True,
        "layer_norm": "token",
        "dropout": 0.0,
        "layer_dropout": 0.0,
        "l2": 0.0,
    }


def test_debug_config_finds_nothing_wrong(project: Project) -> None:
    assert "Config is valid" in output_of("debug", "config", project.config)


@pytest.mark.parametrize("config", CONFIGS, ids=lambda path: path.stem)
def test_debug_config_accepts_ours(config: Path, tmp_path: Path) -> None:
    filled = tmp_path / "filled.cfg"
    output_of("init", "fill-config", config, filled)
    assert "Config is valid" in output_of("debug", "config", filled)


def test_debug_config_names_a_setting_that_is_none(project: Project) -> None:
    wrong = "--components.tagger.model.tok2vec.mix.gama=2.0"
    result = run("debug", "config", project.config, wrong)
    assert result.exit_code == 1
    assert "gama" in result.output


def test_debug_data_has_but_the_size_of_the_corpus_to_blame(project: Project) -> None:
    output = run("debug", "data", project.config, "--no-format").output
    assert "Pipeline can be initialized with data" in output
    assert "Training pipeline: elmo, tagger" in output
    assert "Low number of examples to train a new pipeline (6)" in output
    assert "1 error" in output.splitlines()[-1]


def test_debug_model_analyses_elmo(project: Project) -> None:
    output = output_of("debug", "model", project.config, "elmo")
    assert "model looks good" in output


def test_debug_model_cannot_run_the_upstream_of_a_head(project: Project) -> None:
    """It updates one component alone, but for spaCy's own tok2vec and transformer."""
    result = run("debug", "model", project.config, "tagger")
    assert isinstance(result.exception, ValueError)
    assert "'tagger' listens to the ELMo component 'elmo'" in str(result.exception)


def test_init_labels_reads_those_of_the_tagger(
    project: Project, tmp_path: Path
) -> None:
    output_of("init", "labels", project.config, tmp_path)
    labels = json.loads((tmp_path / "tagger.json").read_text(encoding="utf8"))
    docs = make_docs(spacy.blank("en").vocab)
    assert labels == sorted({token.tag_ for doc in docs for token in doc})
    assert not (tmp_path / "elmo.json").exists()


def test_find_function_knows_where_it_is() -> None:
    output = output_of("find-function", "spacy-elmo.Elmo.v1", "-r", "architectures")
    assert "spacy_elmo/architectures.py" in output.replace("\n", "")
