"""Every shipped training config trains a pipeline that loads again."""

from pathlib import Path

import pytest
import spacy
from spacy.cli.init_config import fill_config
from spacy.cli.train import train
from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab

from spacy_elmo import layer_weights

CONFIGS = sorted(Path(__file__).parent.parent.glob("configs/tagger_ner_*.cfg"))


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("corpus") / "sentences.spacy"
    sentence = ["Ada", "visits", "New", "York", "."]
    doc = Doc(
        Vocab(),
        words=sentence,
        tags=["NNP", "VBZ", "NNP", "NNP", "."],
        ents=["B-PER", "O", "B-LOC", "I-LOC", "O"],
    )
    DocBin(docs=[doc] * 4).to_disk(path)
    return path


def test_there_are_configs() -> None:
    assert len(CONFIGS) == 4


@pytest.mark.parametrize("config", CONFIGS, ids=lambda path: path.stem)
def test_a_config_trains(config: Path, corpus: Path, tmp_path: Path) -> None:
    overrides = {
        "paths.train": str(corpus),
        "paths.dev": str(corpus),
        "training.max_steps": 40,
        "training.eval_frequency": 20,
    }
    train(config, tmp_path, overrides=overrides)
    nlp = spacy.load(tmp_path / "model-last")
    doc = nlp("Ada visits New York.")
    assert [token.tag_ for token in doc] == ["NNP", "VBZ", "NNP", "NNP", "."]
    assert [(ent.text, ent.label_) for ent in doc.ents] == [
        ("Ada", "PER"),
        ("New York", "LOC"),
    ]
    if "elmo" in nlp.pipe_names:
        tagger, ner = layer_weights(nlp)
        assert (tagger.component, ner.component) == ("tagger", "ner")
        assert tagger.weights != ner.weights


@pytest.mark.parametrize("config", CONFIGS, ids=lambda path: path.stem)
def test_a_filled_config_is_complete(config: Path, tmp_path: Path) -> None:
    _, filled = fill_config(tmp_path / "filled.cfg", config)
    _, again = fill_config(tmp_path / "again.cfg", tmp_path / "filled.cfg")
    assert filled == again
