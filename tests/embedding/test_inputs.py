"""Which files are read, as what, and how many documents at a time."""

from pathlib import Path

import pytest

from spacy_elmo.embedding.inputs import Inputs, take_window
from spacy_elmo.embedding.records import Fields, Record, Tokens

from .util import write_jsonl, write_text


@pytest.mark.parametrize(
    "name, kind",
    [
        ("a.txt", "text"),
        ("a.txt.gz", "text"),
        ("a.log", "text"),
        ("a.JSONL", "jsonl"),
        ("a.jsonl.gz", "jsonl"),
        ("a.csv", "csv"),
        ("a.tsv.gz", "tsv"),
        ("a.parquet", "parquet"),
        ("a.spacy", "spacy"),
        ("-", "text"),
    ],
)
def test_the_name_tells_the_form(tmp_path: Path, name: str, kind: str):
    path = write_text(tmp_path / "a.txt")
    assert Inputs(path).kind_of(name) == kind
    assert Inputs(path, kind="text").kind_of(name) == "text"


def test_files_are_read_one_after_another(tmp_path: Path):
    write_text(tmp_path / "b.txt", ["3"])
    write_jsonl(tmp_path / "a.jsonl", ["1", "2"])
    inputs = Inputs([tmp_path / "*.jsonl", tmp_path / "b.txt"])
    assert [record.content for record in inputs.read()] == ["1", "2", "3"]
    assert inputs.identity() == [
        {"name": "a.jsonl", "size": 52},
        {"name": "b.txt", "size": 2},
    ]


@pytest.mark.parametrize(
    "pattern, fields, kind, problem",
    [
        ("a.txt", Fields(id="id"), None, "no field 'id' for ids: it is read as text"),
        ("-", Fields(), "parquet", "standard input cannot be read as parquet"),
        ("-", Fields(), "spacy", "standard input cannot be read as spacy"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_read(
    tmp_path: Path, pattern: str, fields: Fields, kind: str | None, problem: str
):
    path = "-" if pattern == "-" else write_text(tmp_path / pattern)
    with pytest.raises(ValueError, match=problem):
        Inputs(path, fields, kind)


def test_a_pattern_without_files_is_refused():
    with pytest.raises(FileNotFoundError, match="No files match 'nowhere/.*txt'"):
        Inputs("nowhere/*.txt")


@pytest.mark.parametrize(
    "n_records, n_characters, expected",
    [
        (2, 100, [2, 2, 1]),  # so many documents
        (9, 8, [2, 2, 1]),  # so many characters
        (9, 1, [1, 1, 1, 1, 1]),  # a long one is alone
    ],
)
def test_a_window_is_bounded(n_records: int, n_characters: int, expected: list[int]):
    contents = ["abcd", "abcd", Tokens(("a",)), "abcd", None]
    records = (Record("a", i, content) for i, content in enumerate(contents))
    sizes = []
    while window := take_window(records, n_records, n_characters):
        sizes.append(len(window))
    assert sizes == expected
