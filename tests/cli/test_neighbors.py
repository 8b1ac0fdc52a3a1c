"""`spacy elmo neighbors`."""

from pathlib import Path

import pytest
import srsly
from spacy.cli import app
from typer.testing import CliRunner, Result

import spacy_elmo.cli  # noqa: F401  (adds the commands)
from tests.analysis.util import MONEY, SENTENCES, write_semcor
from tests.util import GOLDEN, WEIGHTS

QUERY = "My *bank* has closed my account!"


def run(*arguments: object) -> Result:
    return CliRunner().invoke(
        app, ["elmo", "neighbors", str(GOLDEN / WEIGHTS), *map(str, arguments)]
    )


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "text.txt"
    path.write_text("\n".join(text for text, _ in SENTENCES))
    return path


def test_text_of_lines(text: Path, tmp_path: Path) -> None:
    output = tmp_path / "out.json"
    result = run(text, QUERY, "-n", 3, "--min-count", 1, "--output", output)
    assert result.exit_code == 0, result.output
    record = srsly.read_json(output)
    assert record["query"] == {
        "words": [*["My", "bank", "has", "closed", "my", "account", "!"]],
        "place": 1,
    }
    assert record["layer"] == 2
    nearest, *_ = record["occurrences"]
    # The same sentence with another end.
    assert nearest["words"][nearest["place"]] == "bank"
    assert nearest["words"][:4] == ["My", "bank", "has", "closed"]
    assert "occurrences, biLSTM layer 2" in result.output
    assert "words, token layer" in result.output
    words = [near["word"] for near in record["words"]]
    assert len(words) == 3 and "bank" not in words


def test_options(text: Path, tmp_path: Path) -> None:
    output = tmp_path / "out.json"
    options = ["--same-word", "--layer", 1, "--limit", 3, "--output", output]
    result = run(text, QUERY, *options)
    assert result.exit_code == 0, result.output
    record = srsly.read_json(output)
    assert record["layer"] == 1
    found = [near["words"][near["place"]] for near in record["occurrences"]]
    assert found == ["bank"] * 3
    # Of three sentences, words that occur twice, without the query's.
    assert {near["word"] for near in record["words"]} == {".", "The"}


def test_senses_and_their_map(tmp_path: Path) -> None:
    corpus, figure = write_semcor(tmp_path / "a.jsonl"), tmp_path / "map.png"
    result = run(corpus, QUERY, "--senses", "-n", 1, "--figure", figure)
    assert result.exit_code == 0, result.output
    assert MONEY in result.output
    assert figure.read_bytes()[:4] == b"\x89PNG"


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["nowhere.txt", QUERY], "No files match"),
        (["TEXT", "My bank"], "expected one word between asterisks"),
        (["TEXT", QUERY, "--layer", "3"], "expected 0 to 2, found 3"),
        (["TEXT", QUERY, "--senses"], "text.txt, line 1: expected an object"),
        (["TEXT", QUERY, "-n", "0"], "--n-neighbors"),
    ],
)
def test_what_is_wrong_is_said(text: Path, arguments: list[str], message: str) -> None:
    result = run(*(text if part == "TEXT" else part for part in arguments))
    assert result.exit_code == 2
    assert message in " ".join(result.output.split())
