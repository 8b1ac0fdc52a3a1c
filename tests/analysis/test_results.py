"""Tables and records."""

import json

import pytest

from spacy_elmo.analysis.results import Results, Row

RESULTS = Results(
    "ner",
    [
        Row("counted", {"F1": [0.5], "accuracy": [0.9]}, True),
        Row("layer", {"F1": [0.6, 0.7, 0.8], "accuracy": [0.9, 0.9, 0.9]}),
    ],
    {"seeds": [0, 1, 2]},
)


def test_cells() -> None:
    assert RESULTS.columns == ["F1", "accuracy"]
    assert list(RESULTS.cells()) == [
        ["counted", "50.00", "90.00"],
        ["layer", "70.00 ± 10.00", "90.00 ± 0.00"],
    ]


def test_the_record_is_json_and_holds_every_seed() -> None:
    record = json.loads(json.dumps(RESULTS.to_dict()))
    assert record["task"] == "ner" and record["seeds"] == [0, 1, 2]
    counted, layer = record["rows"]
    assert counted["is_baseline"] and not layer["is_baseline"]
    assert counted["F1"] == {"mean": 0.5, "sd": None, "values": [0.5]}
    assert layer["F1"]["values"] == [0.6, 0.7, 0.8]
    assert layer["F1"]["sd"] == pytest.approx(0.1)
