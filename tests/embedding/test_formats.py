"""What is written comes back, in every form, at every level."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from spacy.language import Language

from spacy_elmo.embedding import load

from ..util import WIDTH
from .util import (
    BAD,
    TEXTS,
    assert_close,
    run,
    vectors_of,
    write_jsonl,
    write_text,
)

MODULES = {"parquet": "pyarrow", "npy": "numpy", "hdf5": "h5py"}
FORMATS = pytest.mark.parametrize("format", MODULES)
LEVELS = pytest.mark.parametrize("level", ["doc", "sentence", "token"])


@pytest.fixture(autouse=True)
def needs_its_library(request: pytest.FixtureRequest) -> None:
    if "format" in request.fixturenames:
        pytest.importorskip(MODULES[request.getfixturevalue("format")])


@pytest.fixture
def text(tmp_path: Path) -> Path:
    """Six documents, one of them blank and two alike, and a bad one in the middle."""
    path = write_text(tmp_path / "a.txt")
    lines = path.read_bytes().split(b"\n")
    path.write_bytes(b"\n".join([*lines[:3], BAD, *lines[3:]]))
    return path


#: Where the sentences of each text end.
ENDS = [[9], [1], [], [8, 12, 17], [1], [4]]


def expected(nlp: Language, level: str) -> list[np.ndarray | None]:
    """What stands at each row; None for the bad one."""
    docs = [nlp(text) for text in TEXTS]
    if level == "doc":
        vectors = [doc.vector for doc in docs]
    elif level == "token":
        vectors = [doc.tensor for doc in docs]
    else:
        vectors = [
            np.array([doc[i:j].vector for i, j in zip([0, *ends], ends)]).reshape(
                -1, WIDTH
            )
            for doc, ends in zip(docs, ENDS)
        ]
    return [*vectors[:3], None, *vectors[3:]]


@FORMATS
@LEVELS
@pytest.mark.parametrize("shard_rows", [1, 4, 100])
def test_row_i_is_line_i(
    elmo_nlp: Language,
    tmp_path: Path,
    text: Path,
    format: str,
    level: str,
    shard_rows: int,
):
    """AllenNLP issues 1396, 1440 and 1163, PRs 800 and 1397."""
    found = run(
        text,
        tmp_path / "out",
        elmo_nlp,
        format=format,
        level=level,
        shard_rows=shard_rows,
    )
    assert_close(vectors_of(found), expected(elmo_nlp, level))
    assert [entry.id for entry in found] == list(range(7))


@FORMATS
@LEVELS
def test_several_choices_of_layers_come_first(
    elmo_nlp: Language, tmp_path: Path, text: Path, format: str, level: str
):
    options: dict[str, Any] = {"format": format, "level": level}
    several = run(text, tmp_path / "all", elmo_nlp, layers="0,2,mix", **options)
    for k, name in enumerate(["0", "2", "mix"]):
        one = run(text, tmp_path / name, elmo_nlp, layers=name, **options)
        of_it = [None if v is None else v[k] for v in vectors_of(several)]
        assert_close(of_it, vectors_of(one))


@FORMATS
@LEVELS
def test_half_precision_halves_and_keeps_three_digits(
    elmo_nlp: Language, tmp_path: Path, text: Path, format: str, level: str
):
    found = run(
        text, tmp_path / "out", elmo_nlp, format=format, level=level, dtype="float16"
    )
    assert all(v is None or v.dtype == np.float16 for v in vectors_of(found))
    assert_close(vectors_of(found), expected(elmo_nlp, level), 2e-3)


@pytest.mark.parametrize("format", ["parquet", "npy"])
@LEVELS
def test_texts_come_back(
    elmo_nlp: Language, tmp_path: Path, text: Path, format: str, level: str
):
    found = run(
        text, tmp_path / "out", elmo_nlp, format=format, level=level, keep_text=True
    )
    texts = [entry.text for entry in found]
    assert texts[3] is None
    if level == "doc":
        assert texts[:3] + texts[4:] == TEXTS
    elif level == "sentence":
        assert texts[4] == [
            "She put the money in the bank.",
            "Nobody saw her!",
            "Was it a lot?",
        ]
        assert texts[2] == []
    else:
        assert texts[6] == ["a", "/", "a", "."]


@FORMATS
@LEVELS
def test_ids_of_a_field_come_back(
    elmo_nlp: Language, tmp_path: Path, format: str, level: str
):
    path = write_jsonl(tmp_path / "a.jsonl")
    rows = ['{"id": "x/y", "text": 1}', '{"text": "no id"}', '{"id": 7, "text": "."}']
    with path.open("a", encoding="utf8") as file:
        file.write("\n".join(rows))
    found = run(
        path, tmp_path / "out", elmo_nlp, format=format, level=level, id_field="id"
    )
    ids = [entry.id for entry in found]
    if level != "doc" and format == "parquet":
        assert ids[2] is None  # without a token it has no row that could hold its id
        ids[2] = "d2"
    assert ids == ["d0", "d1", "d2", "d3", "d4", "d5", "x/y", None, "7"]
    assert [entry.vectors is None for entry in found] == [False] * 6 + [
        True,
        True,
        False,
    ]


@pytest.mark.parametrize(
    "line", ["a / a .", "ground/.", ".", "..", "a\tb", "/", "é/\u2028"]
)
def test_slashes_and_dots_are_letters(elmo_nlp: Language, tmp_path: Path, line: str):
    """AllenNLP issue 1396, ELMoForManyLangs issue 15: texts as keys of hdf5."""
    pytest.importorskip("h5py")
    path = write_text(tmp_path / "a.txt", [line])
    found = run(path, tmp_path / "out", elmo_nlp, format="hdf5", level="token")
    assert_close(vectors_of(found), [elmo_nlp(line).tensor])


# ---- What other programs see -------------------------------------------------------


def test_parquet_has_the_documented_columns(
    elmo_nlp: Language, tmp_path: Path, text: Path
):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    run(text, tmp_path / "doc", elmo_nlp, dtype="float16", keep_text=True)
    table = pq.read_table(tmp_path / "doc" / "part-00000.parquet")
    assert table.column_names == ["id", "vector", "text"]
    assert table["id"].to_pylist() == list(range(7))
    assert table["vector"].type.list_size == WIDTH
    assert table["vector"].type.value_type == pa.float16()
    assert table["vector"].is_null().to_pylist() == [i == 3 for i in range(7)]

    run(text, tmp_path / "token", elmo_nlp, level="token", layers="0,mix")
    table = pq.read_table(tmp_path / "token" / "part-00000.parquet")
    assert table.column_names == ["id", "row", "index", "vector_0", "vector_mix"]
    assert table["vector_0"].type.value_type == pa.float32()
    lengths = [9, 1, 0, 1, 17, 1, 4]
    rows = [row for row, n in enumerate(lengths) for _ in range(n)]
    assert table["row"].to_pylist() == table["id"].to_pylist() == rows
    places = [i for n in lengths for i in range(n)]
    places[lengths[0] + lengths[1]] = None
    assert table["index"].to_pylist() == places


def test_hdf5_is_read_as_allennlp_s_is(elmo_nlp: Language, tmp_path: Path, text: Path):
    h5py = pytest.importorskip("h5py")
    run(text, tmp_path / "out", elmo_nlp, format="hdf5", level="token", layers="0,1,2")
    with h5py.File(tmp_path / "out" / "part-00000.hdf5") as file:
        assert sorted(file) == [str(row) for row in range(7)]
        assert file["2"].shape == (3, 0, WIDTH)
        assert file["3"].shape is None
        assert_close(file["4"][...], elmo_nlp(TEXTS[3])._.elmo)
        assert (file["1"][...] == file["5"][...]).all()


@pytest.mark.parametrize(
    "level, layers, shape",
    [
        ("doc", "mix", (7, WIDTH)),
        ("doc", "0,1", (7, 2, WIDTH)),
        ("token", "mix", (32, WIDTH)),
        ("sentence", "0,1", (7, 2, WIDTH)),
    ],
)
def test_npy_is_mapped_into_memory(
    elmo_nlp: Language,
    tmp_path: Path,
    text: Path,
    level: str,
    layers: str,
    shape: tuple[int, ...],
):
    folder = tmp_path / "out"
    run(text, folder, elmo_nlp, format="npy", level=level, layers=layers)
    vectors = np.load(folder / "part-00000.npy", mmap_mode="r")
    assert vectors.shape == shape and vectors.dtype == np.float32
    rows = [
        json.loads(line)
        for line in (folder / "part-00000.rows.jsonl").read_text().splitlines()
    ]
    assert [row["bad"] for row in rows] == [i == 3 for i in range(7)]
    if level == "doc":
        assert np.isnan(vectors[3]).all() and not vectors[2].any()
    else:
        offsets = np.load(folder / "part-00000.offsets.npy")
        assert len(offsets) == 8 and offsets[-1] == shape[0]
        assert offsets[2] == offsets[3] == offsets[4]


# ---- Reading -----------------------------------------------------------------------


def test_a_store_is_a_sequence(elmo_nlp: Language, tmp_path: Path, text: Path):
    pytest.importorskip("pyarrow")
    entries = run(text, tmp_path / "out", elmo_nlp, shard_rows=2)
    store = load(tmp_path / "out")
    assert len(store) == 7
    assert_close(store[-1].vectors, entries[6].vectors)
    assert_close(
        [store[i].vectors for i in (6, 0, 3)],
        [vectors_of(entries)[i] for i in (6, 0, 3)],
    )
    for row in (7, -8):
        with pytest.raises(IndexError, match="holds 7 documents; no row"):
            store[row]


def test_a_folder_without_vectors_is_refused(tmp_path: Path):
    with pytest.raises(FileNotFoundError, match="expected its manifest.json"):
        load(tmp_path)
    (tmp_path / "manifest.json").write_text('{"format": "other"}')
    with pytest.raises(ValueError, match="not written by this spacy-elmo"):
        load(tmp_path)
