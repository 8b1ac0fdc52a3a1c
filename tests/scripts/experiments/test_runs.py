"""How a row becomes a config."""

from pathlib import Path

import pytest
from experiments.rows import ROWS
from experiments.runs import Folders, configure
from spacy.tokens import Doc, DocBin
from spacy.training.initialize import init_nlp
from spacy.util import load_model_from_config
from spacy.vocab import Vocab

IN_TRANSFORMERS = ("minilm", "minilm-long")


def folders(path: Path) -> Folders:
    return Folders(path / "corpus", path / "results.jsonl", path / "work")


@pytest.mark.parametrize("key", [key for key in ROWS if key not in IN_TRANSFORMERS])
def test_every_row_makes_a_pipeline(key: str, tmp_path: Path) -> None:
    row = ROWS[key]
    if row.resource:
        (tmp_path / "corpus" / row.resource).mkdir(parents=True)
    config = configure(row, folders(tmp_path), 7, {"training.max_steps": 5})
    assert config["system"]["seed"] == 7 and config["training"]["max_steps"] == 5
    nlp = load_model_from_config(config, auto_fill=True)
    assert nlp.pipe_names[-2:] == ["tagger", "ner"]
    readers = ["tagger", "ner"] if "elmo" in nlp.pipe_names else []
    assert [
        name
        for name in readers
        if name in nlp.get_pipe("elmo").listening_components  # type: ignore[attr-defined]
    ] == readers


def test_a_missing_resource_is_named(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="vectors; see the commands"):
        configure(ROWS["vectors"], folders(tmp_path), 0, {})


def test_what_spacy_pretrain_wrote_is_read(tmp_path: Path) -> None:
    places = folders(tmp_path)
    doc = Doc(Vocab(), words=["Ada"], tags=["NNP"], ents=["B-PER"])
    places.corpus.joinpath("pretrained").mkdir(parents=True)
    for split in ("train", "dev"):
        DocBin(docs=[doc]).to_disk(places.corpus / f"{split}.spacy")
    shared = init_nlp(configure(ROWS["shared"], places, 1, {}))
    weights = shared.get_pipe("tok2vec").model.to_bytes()  # type: ignore[attr-defined]
    (places.corpus / "pretrained" / "model-last.bin").write_bytes(weights)
    begun = init_nlp(configure(ROWS["pretrained"], places, 2, {}))
    assert begun.get_pipe("tok2vec").model.to_bytes() == weights  # type: ignore[attr-defined]
