"""`spacy elmo convert`, `fill-config` and `info`."""

import json
from pathlib import Path

import numpy as np
import pytest
import spacy
from spacy.cli import app
from thinc.api import Config
from typer.testing import CliRunner, Result

import spacy_elmo.cli  # noqa: F401  (adds the commands)
from spacy_elmo.weights.detect import read_weights
from tests.golden_elmo import GOLDEN, SENTENCES, GoldenModel
from tests.util import make_nlp

EFML = GOLDEN.parent / "efml" / "word_char"
SOURCES = [GOLDEN / "relu_hw2", GOLDEN / "noproj", EFML]


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["elmo", *map(str, arguments)])


def output_of(*arguments: object) -> str:
    result = run(*arguments)
    assert result.exit_code == 0, result.output
    return result.output


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.name)
def test_convert_to_our_own_form(source: Path, tmp_path: Path) -> None:
    output_of("convert", source, tmp_path / "out")
    expected, found = read_weights(source), read_weights(tmp_path / "out")
    assert found.config == expected.config
    assert (found.vocabulary, found.characters) == (
        expected.vocabulary,
        expected.characters,
    )
    for name, tensor in expected.state.items():
        assert np.array_equal(found.state[name], tensor), name


def test_convert_to_a_pipeline(tmp_path: Path) -> None:
    golden = GoldenModel("relu_hw2")
    output_of("convert", golden.folder, tmp_path / "out", "--pipeline", "zh")
    nlp = spacy.load(tmp_path / "out")
    assert nlp.lang == "zh"
    doc = nlp.get_pipe("elmo")(spacy.tokens.Doc(nlp.vocab, words=SENTENCES[3]))
    expected = golden.expected["single_3"][:, 1:-1]
    np.testing.assert_allclose(doc._.elmo, expected, rtol=0, atol=golden.tolerance)


def test_convert_to_allennlp_and_back(tmp_path: Path) -> None:
    source = GOLDEN / "relu_hw2"
    output_of("convert", source, tmp_path / "own")
    output_of("convert", tmp_path / "own", tmp_path / "theirs", "--allennlp")
    assert (tmp_path / "theirs" / "weights.hdf5").is_file()
    expected, found = read_weights(source), read_weights(tmp_path / "theirs")
    for name, tensor in expected.state.items():
        assert np.array_equal(found.state[name], tensor), name


@pytest.mark.parametrize("command", ["convert", "info"])
def test_a_folder_of_something_else(command: str, tmp_path: Path) -> None:
    (tmp_path / "model.bin").write_bytes(b"?")
    result = run(command, tmp_path, *([tmp_path / "o"] if command == "convert" else []))
    assert result.exit_code == 2
    assert "model.bin" in result.output and "weights.hdf5" in result.output
    assert not (tmp_path / "o").exists()


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.name)
def test_a_filled_config_makes_the_pipeline(source: Path, tmp_path: Path) -> None:
    base, filled = tmp_path / "base.cfg", tmp_path / "filled.cfg"
    base.write_text(
        '[nlp]\nlang = "en"\npipeline = ["elmo"]\n'
        '[components]\n[components.elmo]\nfactory = "elmo"\n'
    )
    output_of("fill-config", base, filled, "--weights", source)
    config = Config().from_disk(filled)
    nlp = spacy.util.load_model_from_config(config, auto_fill=True)
    nlp.initialize()
    expected = spacy_elmo.blank("en", weights=source)("So it is")._.elmo
    assert np.array_equal(nlp("So it is")._.elmo, expected)


def test_fill_config_without_the_component(tmp_path: Path) -> None:
    base = tmp_path / "base.cfg"
    base.write_text('[nlp]\nlang = "en"\npipeline = []\n')
    result = run("fill-config", base, tmp_path / "o.cfg", "-w", GOLDEN / "relu_hw2")
    assert result.exit_code == 2
    assert "components.elmo" in result.output


def test_info_of_weights() -> None:
    figures = json.loads(output_of("info", GOLDEN / "relu_hw2", "--json"))
    assert figures["width"] == 24 and figures["n_layers"] == 3
    assert figures["sizes"]["cell_dim"] == 40
    assert figures["provenance"]["source"] == "weights.hdf5"


def test_info_of_a_pipeline(tmp_path: Path) -> None:
    spacy_elmo.blank("en", weights=GOLDEN / "relu_hw2").to_disk(tmp_path)
    figures = json.loads(output_of("info", tmp_path, "--json"))
    assert figures["elmo"]["width"] == 24
    assert figures["elmo"]["provenance"]["source"] == "weights.hdf5"
    assert figures["layer_weights"] == []


def test_info_of_heads(tmp_path: Path) -> None:
    make_nlp().to_disk(tmp_path)
    figures = json.loads(output_of("info", tmp_path, "--json"))
    assert [mix["component"] for mix in figures["layer_weights"]] == ["tagger", "ner"]
    assert sum(figures["layer_weights"][0]["weights"]) == pytest.approx(1)
    assert "layer_weights" in output_of("info", tmp_path)
