"""`spacy elmo probe`."""

from pathlib import Path

import pytest
import srsly
from spacy.cli import app
from typer.testing import CliRunner, Result

import spacy_elmo.cli  # noqa: F401  (adds the commands)
from tests.analysis.util import MONEY, RIVER, write_semcor, write_sense_index
from tests.util import GOLDEN, WEIGHTS

COLUMNS = "Anna\tN\tB-PER\nsaw\tV\tO\nRome\tN\tB-LOC\n\nRome\tN\tB-LOC\nfell\tV\tO\n\n"


def run(*arguments: object) -> Result:
    return CliRunner().invoke(
        app, ["elmo", "probe", str(GOLDEN / WEIGHTS), *map(str, arguments)]
    )


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "data.conll"
    path.write_text(COLUMNS * 10)
    return path


@pytest.mark.parametrize("task, columns", [("tag", 1), ("ner", 2), ("chunk", 2)])
def test_a_table_of_layers(data: Path, tmp_path: Path, task: str, columns: int) -> None:
    output = tmp_path / "out.json"
    result = run(data, "-t", task, "--test", data, "--seeds", 2, "--output", output)
    assert result.exit_code == 0, result.output
    (line,) = (x for x in result.output.splitlines() if x.startswith("biLSTM layer 2"))
    assert line.split()[3:] == ["100.00", "±", "0.00"] * columns
    record = srsly.read_json(output)
    assert record["task"] == task and record["seeds"] == [0, 1]
    assert record["train_files"] == record["test_files"] == ["data"]
    assert record["rows"][-1]["name"] == "concatenation"
    assert record["rows"][-1]["accuracy"] == {"mean": 1, "sd": 0, "values": [1, 1]}


def test_a_limit_and_a_picture(data: Path, tmp_path: Path) -> None:
    output, figure = tmp_path / "out.json", tmp_path / "out.png"
    options = ["--limit", 3, "--seeds", 1, "-o", output, "-f", figure]
    result = run(data, "--task", "tag", "--test", data, *options)
    assert result.exit_code == 0, result.output
    record = srsly.read_json(output)
    assert record["train"] == {"sentences": 3, "words": 8}
    assert record["test"] == {"sentences": 20, "words": 50}
    assert figure.read_bytes()[:4] == b"\x89PNG"


def test_senses_of_two_test_sets(tmp_path: Path) -> None:
    train = write_semcor(tmp_path / "train.jsonl")
    other = write_semcor(tmp_path / "other.jsonl", [("The bank is shut .", MONEY)])
    index, output = write_sense_index(tmp_path / "index.sense"), tmp_path / "out.json"
    options = ["--sense-index", index, "-o", output]
    result = run(train, "-t", "sense", "-T", train, "-T", other, *options)
    assert result.exit_code == 0, result.output
    record = srsly.read_json(output)
    assert record["test"]["F1, all"] == {"words": 6, "backed_off": 0}
    first, frequent, *_ = record["rows"]
    assert first["train"]["mean"] == pytest.approx(0.4)
    assert frequent["train"]["mean"] == pytest.approx(0.6)
    assert [first["other"]["mean"], frequent["other"]["mean"]] == [0, 1]
    assert "other" in result.output and RIVER not in result.output


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["nowhere.conll", "-t", "tag", "-T", "DATA"], "No files match"),
        (["DATA", "-t", "sense", "-T", "DATA"], "needs --sense-index"),
        (["DATA", "-t", "tag", "-T", "DATA", "--seeds", "0"], "--seeds"),
        (["DATA", "-t", "parse", "-T", "DATA"], "parse"),
    ],
)
def test_what_is_wrong_is_said(data: Path, arguments: list[str], message: str) -> None:
    result = run(*(data if part == "DATA" else part for part in arguments))
    assert result.exit_code == 2
    assert message in " ".join(result.output.split())
