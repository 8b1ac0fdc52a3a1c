"""`spacy elmo weights`."""

from pathlib import Path

import pytest
import spacy
import srsly
from spacy.cli import app
from spacy.language import Language
from typer.testing import CliRunner, Result

import spacy_elmo.cli  # noqa: F401  (adds the commands)
from spacy_elmo import layer_weights


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["elmo", "weights", *map(str, arguments)])


def test_a_line_a_head(trained_nlp: Language, tmp_path: Path) -> None:
    trained_nlp.to_disk(tmp_path / "nlp")
    output, figure = tmp_path / "out.json", tmp_path / "out.png"
    result = run(tmp_path / "nlp", "--output", output, "--figure", figure)
    assert result.exit_code == 0, result.output
    tagger, ner = layer_weights(trained_nlp)
    lines = [line.split() for line in result.output.splitlines() if line.strip()]
    assert lines[0][0] == "head" and lines[0][-1] == "gamma"
    for line, mix in zip(lines[2:], (tagger, ner), strict=True):
        numbers = [f"{x:.3f}" for x in (*mix.weights, mix.gamma)]
        assert line == [mix.component, *numbers]
    record = srsly.read_json(output)
    assert [mix["component"] for mix in record] == ["tagger", "ner"]
    assert record[0]["weights"] == pytest.approx(tagger.weights)
    assert figure.read_bytes()[:4] == b"\x89PNG"


def test_a_pipeline_without_mixes(tmp_path: Path) -> None:
    spacy.blank("en").to_disk(tmp_path)
    result = run(tmp_path)
    assert result.exit_code == 2
    assert "no head mixes ELMo layers" in " ".join(result.output.split())


def test_no_pipeline(tmp_path: Path) -> None:
    result = run(tmp_path / "nowhere")
    assert result.exit_code == 2
    assert "nowhere" in result.output
