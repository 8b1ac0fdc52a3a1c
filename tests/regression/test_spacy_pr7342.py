"""spaCy PR 7342: `init_tok2vec` puts weights in after everything was initialized."""

from pathlib import Path

from spacy.cli.init_config import fill_config
from spacy.util import load_config, load_model_from_config
from thinc.api import Config

from tests.util import changed, elmo_block, elmo_of, make_nlp, snapshot


def test_weights_that_come_later_are_waited_for(tmp_path: Path) -> None:
    pretrained = make_nlp(heads=())
    weights, base = tmp_path / "model.bin", tmp_path / "base.cfg"
    weights.write_bytes(elmo_of(pretrained).model.to_bytes())
    blocks = {
        "nlp": {"lang": "en", "pipeline": ["elmo"]},
        "components": {"elmo": elmo_block()},
        "pretraining": {"component": "elmo", "layer": ""},
        "initialize": {"init_tok2vec": str(weights)},
    }
    Config(blocks).to_disk(base)
    fill_config(tmp_path / "filled.cfg", base, pretraining=True)
    nlp = load_model_from_config(load_config(tmp_path / "filled.cfg"), auto_fill=True)
    nlp.initialize()
    assert changed(snapshot(pretrained), snapshot(nlp)) == []
