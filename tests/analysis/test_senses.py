"""Word senses from files."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from spacy_elmo.analysis.senses import (
    Sense,
    SenseSentence,
    read_first_senses,
    read_senses,
)
from tests.analysis.util import write_jsonl

ROW: dict[str, Any] = {
    "tokens": ["Banks", "lend", "very", "cheap", "money"],
    "lemmas": ["bank", "lend", "very", "cheap", "money"],
    "pos": ["NNS", "VERB", "RB", "ADJ", "NOUN"],
    "senses": [["b%1::"], ["l%2::"], ["v%4::"], ["c%3::", "c%5::"], None],
}


def test_semcor(tmp_path: Path) -> None:
    (found,) = read_senses([write_jsonl(tmp_path / "a.jsonl", [ROW])])
    assert found.words == ROW["tokens"]
    assert found.senses == [
        Sense(0, ("bank", "n"), ["b%1::"]),
        Sense(1, ("lend", "v"), ["l%2::"]),
        Sense(2, ("very", "r"), ["v%4::"]),
        Sense(3, ("cheap", "a"), ["c%3::", "c%5::"]),
    ]


def test_a_lexical_sample_in_gzip(tmp_path: Path) -> None:
    row = {"tokens": ["so", "hard"], "pos": ["RB", "JJ"], "head": 1}
    row |= {"word": "hard", "sense": "HARD1"}
    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(gzip.compress(json.dumps(row).encode("utf8")))
    assert list(read_senses([str(path)])) == [
        SenseSentence(["so", "hard"], [Sense(1, ("hard", "a"), ["HARD1"])])
    ]


@pytest.mark.parametrize(
    "change",
    [
        {"lemmas": ["bank"]},
        {"senses": None},
        {"head": 1},
        {"head": 9, "word": "bank", "sense": "x"},
    ],
)
def test_a_wrong_row_is_named(tmp_path: Path, change: dict[str, Any]) -> None:
    path = write_jsonl(tmp_path / "a.jsonl", [ROW, {**ROW, **change}])
    with pytest.raises(ValueError, match="a.jsonl, line 2: expected an object with"):
        list(read_senses([path]))


def test_a_line_that_is_no_json(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text("{")
    with pytest.raises(ValueError, match="a.jsonl, line 1: expected an object with"):
        list(read_senses([str(tmp_path / "a.jsonl")]))


def test_first_senses(tmp_path: Path) -> None:
    path = tmp_path / "index.sense"
    lines = [
        "bank%1:14:00:: 08420278 2 20",
        "bank%1:17:01:: 09213565 1 25",
        "bank%2:40:00:: 02310873 1 3",
        "cheap%5:00:00:low:00 00000001 1 0",
    ]
    path.write_text("\n".join(lines))
    assert read_first_senses(str(path)) == {
        ("bank", "n"): "bank%1:17:01::",
        ("bank", "v"): "bank%2:40:00::",
        ("cheap", "a"): "cheap%5:00:00:low:00",
    }


def test_what_is_no_sense_index(tmp_path: Path) -> None:
    (tmp_path / "index.sense").write_text("bank 1 2 3\n")
    with pytest.raises(ValueError, match="line 1: expected a sense key"):
        read_first_senses(str(tmp_path / "index.sense"))
