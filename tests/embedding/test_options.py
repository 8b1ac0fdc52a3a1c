"""What is asked for is checked before anything is read."""

import json
from pathlib import Path

import pytest

from spacy_elmo.embedding import Options


@pytest.mark.parametrize(
    "options, problem",
    [
        ({"level": "word"}, "level: expected one of .*'token'.*, found 'word'"),
        ({"pooling": "sum"}, "pooling: expected one of"),
        ({"dtype": "float64"}, "dtype: expected one of"),
        ({"format": "csv"}, "format: expected one of"),
        ({"input_format": "xml"}, "input_format: expected one of"),
        ({"shard_rows": 0}, "shard_rows: expected 1 or more, found 0"),
        ({"level": "token", "pooling": "max"}, "there is none at level 'token'"),
        ({"pooling": "idf"}, "frequencies: expected a file for the poolings"),
        ({"frequencies": "vocab.txt"}, "and none for others; found vocab.txt"),
        ({"format": "hdf5", "keep_text": True}, "hdf5 holds vectors alone"),
    ],
)
def test_a_wrong_option_is_named(options: dict, problem: str):
    with pytest.raises(ValueError, match=problem):
        Options(**options)


def test_a_file_is_known_by_name_and_content_not_by_its_place(tmp_path: Path):
    (tmp_path / "vocab.txt").write_text("a\t1\n")
    options = Options(pooling="idf", frequencies=tmp_path / "vocab.txt").to_dict()
    assert options["frequencies"]["name"] == "vocab.txt"
    assert len(options["frequencies"]["sha256"]) == 64
    assert str(tmp_path) not in json.dumps(options)
