"""Folders of vectors, read in batches."""

from pathlib import Path

import numpy as np
import pyarrow
import pyarrow.parquet
import pytest

from spacy_elmo.similarity.vectors import VectorFolder

from .util import random_vectors, write_vectors


@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("size", [1, 3, 100])
def test_rows_come_in_order_across_shards(
    tmp_path: Path, dtype: str, size: int
) -> None:
    rows = random_vectors(10)
    folder = VectorFolder(write_vectors(tmp_path, rows, dtype=dtype, shard_rows=4))
    assert (len(folder.files), folder.n_rows, folder.width) == (3, 10, 16)
    batches = list(folder.batches(size))
    assert max(len(batch.vectors) for batch in batches) <= size
    ids = [i for batch in batches for i in batch.documents["id"].to_pylist()]
    assert ids == [f"d{i}" for i in range(10)]
    found = np.concatenate([batch.vectors for batch in batches])
    assert found.dtype == np.float32
    assert np.array_equal(found, rows.astype(dtype))


@pytest.mark.parametrize("size", [2, 10])
def test_a_null_is_a_zero_row_in_its_place(tmp_path: Path, size: int) -> None:
    rows = [None, [1, 2], None, [3, 4], [5, 6]]
    folder = VectorFolder(write_vectors(tmp_path, rows, shard_rows=3))
    found = np.concatenate([batch.vectors for batch in folder.batches(size)])
    assert found.tolist() == [[0, 0], [1, 2], [0, 0], [3, 4], [5, 6]]


def test_one_file_is_read_too(tmp_path: Path) -> None:
    write_vectors(tmp_path, [[1, 2]], texts=["one"], manifest={"a": 1})
    folder = VectorFolder(tmp_path / "part-00000.parquet")
    (batch,) = folder.batches()
    assert batch.documents.to_pylist() == [{"id": "d0", "text": "one"}]
    assert folder.manifest == {"a": 1}


def test_without_a_manifest_nothing_is_known(tmp_path: Path) -> None:
    assert VectorFolder(write_vectors(tmp_path, [[1, 2]])).manifest == {}


def test_a_folder_of_something_else(tmp_path: Path) -> None:
    (tmp_path / "a.txt").touch()
    with pytest.raises(FileNotFoundError, match="spacy elmo embed"):
        VectorFolder(tmp_path)


@pytest.mark.parametrize(
    "columns",
    [
        {"id": ["a"], "text": ["b"]},
        {"id": ["a"], "vector": ["b"]},
        {"id": ["a"], "vector": [[1.0, 2.0]]},
        {"vector": pyarrow.array([[1, 2]], pyarrow.list_(pyarrow.float32(), 2))},
        {
            "id": ["a"],
            "vector": pyarrow.array([[1, 2]], pyarrow.list_(pyarrow.int8(), 2)),
        },
    ],
    ids=["no vector", "strings", "lists of any length", "no id", "integers"],
)
def test_other_columns_are_refused(tmp_path: Path, columns: dict) -> None:
    path = tmp_path / "part-00000.parquet"
    pyarrow.parquet.write_table(pyarrow.table(columns), path)
    with pytest.raises(ValueError, match="part-00000.*expected.*'id' and 'vector'"):
        _ = VectorFolder(tmp_path).width


def test_shards_of_two_widths_are_refused(tmp_path: Path) -> None:
    write_vectors(tmp_path, [[1, 2]])
    narrow = write_vectors(tmp_path / "b", [[1]]) / "part-00000.parquet"
    narrow.rename(tmp_path / "part-00001.parquet")
    with pytest.raises(ValueError, match="part-00001.*2 wide.*found 1"):
        list(VectorFolder(tmp_path).batches())


@pytest.mark.parametrize("share", [0, 0.5])
def test_a_file_that_was_cut_short_is_named(tmp_path: Path, share: float) -> None:
    path = write_vectors(tmp_path, random_vectors(50)) / "part-00000.parquet"
    whole = path.read_bytes()
    path.write_bytes(whole[: int(share * len(whole))])
    with pytest.raises(ValueError, match="part-00000.parquet: not a whole Parquet"):
        list(VectorFolder(tmp_path).batches())


def test_a_damaged_manifest_is_named(tmp_path: Path) -> None:
    folder = write_vectors(tmp_path, [[1, 2]])
    for text in ("{", "[]"):
        (folder / "manifest.json").write_text(text)
        with pytest.raises(ValueError, match="manifest.json"):
            _ = VectorFolder(folder).manifest
