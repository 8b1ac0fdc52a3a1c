"""`spacy elmo index`, `search` and `dedup`, behind `embed`."""

import json
from pathlib import Path

import pytest
from spacy.cli import app
from typer.testing import CliRunner, Result

import spacy_elmo.cli  # noqa: F401  (adds the commands)
from tests.golden_elmo import GOLDEN

WEIGHTS = GOLDEN / "relu_hw2"
ROWS = [
    {"id": "a", "text": "He sat on the bank of the river."},
    {"id": "b", "text": "She put the money\nin the bank!"},
    {"id": "c", "text": 7},
    {"id": "d", "text": ""},
    {"id": "e", "text": "He sat on the bank of the river ."},
    {"id": "f", "text": "Where is my parcel?"},
]


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["elmo", *map(str, arguments)])


def output_of(*arguments: object) -> str:
    result = run(*arguments)
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.fixture
def vectors(tmp_path: Path) -> Path:
    source = tmp_path / "rows.jsonl"
    source.write_text("".join(f"{json.dumps(row)}\n" for row in ROWS))
    output = tmp_path / "vectors"
    output_of("embed", source, output, "--id-field", "id", "--keep-text")
    return output


@pytest.mark.parametrize("kind", ["exact", "hnsw"])
def test_from_documents_to_neighbours(tmp_path: Path, vectors: Path, kind: str) -> None:
    said = output_of("index", vectors, tmp_path / "index", "--kind", kind)
    assert "Indexed 4 vectors" in said and "left out 2" in " ".join(said.split())
    printed = output_of("search", tmp_path / "index", ROWS[1]["text"], "-n", 2)
    query, _, first, second = printed.strip().splitlines()
    assert query == "She put the money"
    assert first.split(maxsplit=2) == ["1.000", "b", "She put the money in the bank!"]
    assert second.split()[1] in ("a", "e")


def test_neighbours_as_json(tmp_path: Path, vectors: Path) -> None:
    output_of("index", vectors, tmp_path / "index", "--remove-components", 0)
    queries = ["Where is my parcel?", " "]
    lines = output_of("search", tmp_path / "index", *queries, "--json").splitlines()
    first, second = map(json.loads, lines)
    assert [hit["id"] for hit in first["hits"]][0] == "f"
    assert first["hits"][0]["score"] == pytest.approx(1, abs=1e-5)
    assert len(first["hits"]) == 4
    assert second == {"query": " ", "hits": []}


def test_a_query_without_a_word(tmp_path: Path, vectors: Path) -> None:
    output_of("index", vectors, tmp_path / "index")
    assert "no word in it" in output_of("search", tmp_path / "index", "")


@pytest.mark.parametrize("kind", ["exact", "hnsw"])
def test_near_duplicates(vectors: Path, kind: str) -> None:
    (line,) = output_of(
        "dedup", vectors, "--threshold", 0.99, "--kind", kind, "--json"
    ).splitlines()
    record = json.loads(line)
    assert record["score"] == pytest.approx(1, abs=1e-5)
    assert record["document"] == {"id": "e", "text": ROWS[4]["text"]}
    assert record["kept"] == {"id": "a", "text": ROWS[0]["text"]}


def test_near_duplicates_for_people(vectors: Path) -> None:
    printed = output_of("dedup", vectors, "-t", 0.99)
    assert f"1.000  e  {ROWS[4]['text']}\n       a  {ROWS[0]['text']}\n" in printed
    assert "1 near-duplicates of 1 documents" in printed


def test_vectors_of_other_weights_need_them_again(
    tmp_path: Path, vectors: Path
) -> None:
    other, index = tmp_path / "other", tmp_path / "index"
    source = tmp_path / "rows.jsonl"
    output_of("embed", source, other, "--weights", WEIGHTS, "--keep-text")
    output_of("index", other, index)
    result = run("search", index, "parcel")
    assert result.exit_code == 2
    assert "another model" in result.output and "--weights" in result.output
    printed = output_of("search", index, "parcel", "--weights", WEIGHTS, "--json")
    assert len(json.loads(printed)["hits"]) == 4


def test_a_run_that_was_stopped_is_told_of(tmp_path: Path, vectors: Path) -> None:
    path = vectors / "manifest.json"
    manifest = json.loads(path.read_text())
    path.write_text(json.dumps({**manifest, "complete": False}))
    said = run("index", vectors, tmp_path / "index")
    assert said.exit_code == 0
    assert "was stopped" in said.output


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["index", "{vectors}/..", "{vectors}/i"], "part-*.parquet"),
        (["index", "{vectors}", "{vectors}/i", "--kind", "ivf"], "kind"),
        (["index", "{vectors}", "{vectors}/i", "--column", "vector_0"], "vector_0"),
        (["index", "{vectors}", "{vectors}/i", "--remove-components", 9], "found 4"),
        (["search", "{vectors}", "x"], "index.json"),
        (["dedup", "{vectors}", "--threshold", 2], "threshold"),
    ],
    ids=str,
)
def test_mistakes_are_named(vectors: Path, arguments: list, message: str) -> None:
    filled = [str(a).replace("{vectors}", str(vectors)) for a in arguments]
    result = run(*filled)
    assert result.exit_code == 2, result.output
    assert message in " ".join(result.output.split())
    assert not (vectors / "i" / "index.json").exists()
