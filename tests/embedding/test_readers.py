"""Files of every form as records; a bad row keeps its place."""

import gzip
import io
import sys
from pathlib import Path

import pytest
import spacy
from spacy.tokens import Doc

from spacy_elmo.embedding.inputs import Inputs
from spacy_elmo.embedding.readers import MAX_FIELD, Source, read_parquet
from spacy_elmo.embedding.records import Fields, Tokens

from .util import (
    TEXTS,
    read,
    write_csv,
    write_jsonl,
    write_parquet,
    write_spacy,
    write_text,
)

NLP = spacy.blank("en")
IDS = Fields(id="id")


def problems(path: Path, fields: Fields | None = None) -> list[str | None]:
    return [record.problem for record in read(path, fields)]


# ---- What is read ------------------------------------------------------------------


@pytest.mark.parametrize("name", ["a.txt", "a.txt.gz", "noname", "a-00001-of-00100"])
def test_a_line_of_text_is_a_document(tmp_path: Path, name: str):
    records = read(write_text(tmp_path / name))
    assert [record.content for record in records] == TEXTS
    assert [record.line for record in records] == [1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize("name", ["a.jsonl", "a.jsonl.gz", "a.ndjson"])
def test_an_object_of_jsonl_is_a_document(tmp_path: Path, name: str):
    records = read(write_jsonl(tmp_path / name), IDS)
    assert [record.content for record in records] == TEXTS
    assert [record.id for record in records] == [f"d{i}" for i in range(6)]


@pytest.mark.parametrize("name", ["a.csv", "a.tsv"])
def test_a_row_of_columns_is_a_document(tmp_path: Path, name: str):
    records = read(write_csv(tmp_path / name), IDS)
    assert [record.content for record in records] == TEXTS
    assert [record.id for record in records] == [f"d{i}" for i in range(6)]


def test_a_row_of_parquet_is_a_document(tmp_path: Path):
    pytest.importorskip("pyarrow")
    records = read(write_parquet(tmp_path / "a.parquet", row_group_size=4), IDS)
    assert [record.content for record in records] == TEXTS
    assert [record.id for record in records] == [f"d{i}" for i in range(6)]
    assert [record.line for record in records] == [1, 2, 3, 4, 5, 6]


def test_a_doc_keeps_its_tokens_and_sentences(tmp_path: Path):
    docs = [
        Doc(NLP.vocab, ["a", "b", "c"], sent_starts=[True, False, True]),
        NLP("don't  go"),
        Doc(NLP.vocab, []),
    ]
    records = read(write_spacy(tmp_path / "a.spacy", docs))
    found = [record.content.to_doc(NLP.vocab) for record in records]
    assert [[token.text for token in doc] for doc in found] == [
        [token.text for token in doc] for doc in docs
    ]
    assert [doc.text for doc in found] == [doc.text for doc in docs]
    assert [sent.text for sent in found[0].sents] == ["a b", "c"]
    assert not found[1].has_annotation("SENT_START")


def test_reading_docs_leaves_the_vocabulary_alone(tmp_path: Path):
    """Else the strings would be freed with the zone that they were first met in."""
    path = write_spacy(tmp_path / "a.spacy", [Doc(spacy.vocab.Vocab(), ["zyzzyva"])])
    with NLP.memory_zone():
        (record,) = read(path)
    assert "zyzzyva" not in NLP.vocab.strings
    assert record.content.to_doc(NLP.vocab)[0].text == "zyzzyva"


@pytest.mark.parametrize("kind, content", [("text", "é b\nc"), ("csv", "text\né b\nc")])
def test_the_standard_input_is_read(
    monkeypatch: pytest.MonkeyPatch, kind: str, content: str
):
    stdin = io.TextIOWrapper(io.BytesIO(content.encode("utf8")))
    monkeypatch.setattr(sys, "stdin", stdin)
    records = read("-", kind=kind)
    assert [record.content for record in records] == ["é b", "c"]
    assert not stdin.buffer.closed


def test_lists_and_spaced_text_are_tokens(tmp_path: Path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"tokens": ["New York", "."]}\n{"tokens": "don\'t  go"}\n')
    records = read(path, Fields("tokens", tokenized=True))
    assert records[0].content == Tokens(("New York", "."))
    assert records[1].content == Tokens(("don't", "go"))


def test_a_byte_order_mark_and_returns_are_no_part_of_the_text(tmp_path: Path):
    """AllenNLP PR 2614."""
    for name, content in [
        ("a.txt", "\ufeffone\r\n\ufefftwo\r\n"),
        ("a.jsonl", '\ufeff{"text": "one"}\r\n{"text": "\ufefftwo"}\r\n'),
        ("a.csv", "\ufefftext,x\r\none,1\r\n\ufefftwo,2\r\n"),
        ("a.tsv", "\ufefftext\tx\r\none\t1\r\n\ufefftwo\t2\r\n"),
    ]:
        path = tmp_path / name
        path.write_bytes(content.encode("utf8"))
        assert [r.content for r in read(path)] == ["one", "\ufefftwo"], name


def test_only_a_line_feed_ends_a_line(tmp_path: Path):
    text = "one\u2028line\u0085still\rone\x0cpage"
    assert [r.content for r in read(write_text(tmp_path / "a.txt", [text]))] == [text]


def test_a_quoted_field_holds_line_breaks_and_marks(tmp_path: Path):
    path = write_csv(tmp_path / "a.csv", ['two\nlines, "quoted"', "next"])
    records = read(path)
    assert [record.content for record in records] == ['two\nlines, "quoted"', "next"]
    assert [record.line for record in records] == [3, 4]


def test_a_quotation_mark_in_tsv_is_a_letter(tmp_path: Path):
    path = tmp_path / "a.tsv"
    path.write_text('text\n"open\nnext"\n', encoding="utf8")
    assert [record.content for record in read(path)] == ['"open', 'next"']


# ---- Bad rows ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "name, content, expected",
    [
        ("a.txt", b"ok\nb\xffd\nok", [None, "not UTF-8: byte 0xff", None]),
        ("a.csv", b"id,text\n1,b\xffd\n2,ok\n", ["not UTF-8: byte 0xff", None]),
        ("a.tsv", b"text\nb\xffd\nok\n", ["not UTF-8: byte 0xff", None]),
        ("a.csv", b"id,text\n1\n2,ok\n", ["no field 'text'; found ['id']", None]),
        ("a.jsonl", b'{"text": "b\xffd"}\n', ["not UTF-8: byte 0xff"]),
        ("a.jsonl", b'{"te\n[1]\n', ["not JSON", "expected an object, found list"]),
        ("a.jsonl", b"\n", ["not JSON"]),
        ("a.jsonl", b'{"txt": 1}\n', ["no field 'text'; found ['txt']"]),
        ("a.jsonl", b'{"text": 3}\n', ["expected a string or a list of strings"]),
        ("a.jsonl", b'{"text": null}\n', ["found NoneType"]),
        ("a.jsonl", b'{"text": ["a", 1]}\n', ["found list"]),
        ("a.jsonl", b'{"text": ["a", ""]}\n', ["token 1 is empty"]),
        ("a.jsonl", b'{"text": "\\ud800"}\n', ["lone surrogate U+D800"]),
        ("a.jsonl", b'{"text": ["\\ud800"]}\n', ["lone surrogate U+D800"]),
    ],
)
def test_a_bad_row_is_a_record_that_says_why(
    tmp_path: Path, name: str, content: bytes, expected: list[str | None]
):
    (tmp_path / name).write_bytes(content)
    records = read(tmp_path / name)
    assert len(records) == len(expected)
    for record, reason in zip(records, expected):
        assert (record.content is None) == (reason is not None)
        assert (record.problem is None) == (reason is None)
        assert reason is None or reason in record.problem


def test_bad_rows_of_parquet(tmp_path: Path):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    texts = pa.array([b"ok", b"b\xffd", None, b"ok"], pa.binary()).view(pa.string())
    pq.write_table(pa.table({"text": texts}), tmp_path / "a.parquet")
    found = problems(tmp_path / "a.parquet")
    assert found[0] is None and found[3] is None
    assert found[1] == "not UTF-8: byte 0xff"
    assert "found NoneType" in found[2]


@pytest.mark.parametrize(
    "row, id, reason",
    [
        ('{"id": 7, "text": "a"}', "7", None),
        ('{"id": "x", "text": 1}', "x", "field 'text'"),
        ('{"text": "a"}', None, "field 'id'"),
        ('{"id": null, "text": "a"}', None, "found NoneType"),
        ('{"id": true, "text": "a"}', None, "found bool"),
        ('{"id": "\\ud800", "text": "a"}', None, "lone surrogate"),
    ],
)
def test_a_row_keeps_its_id_and_one_without_is_bad(
    tmp_path: Path, row: str, id: str | None, reason: str | None
):
    (tmp_path / "a.jsonl").write_text(row + "\n")
    (record,) = read(tmp_path / "a.jsonl", IDS)
    assert (record.problem is None) == (reason is None)
    assert reason is None or reason in record.problem
    if record.problem is None or "surrogate" not in record.problem:
        assert record.id == id


def test_a_blank_row_is_a_row(tmp_path: Path):
    """csv.DictReader would leave it out, and shift the rest."""
    (tmp_path / "a.csv").write_text("text,n\na,1\n\nb,2\n")
    assert [r.content for r in read(tmp_path / "a.csv")] == ["a", "", "b"]


# ---- Files that cannot be read -----------------------------------------------------


@pytest.mark.parametrize(
    "name, content, problem",
    [
        ("a.txt.gz", b"not gzip", "not whole gzip"),
        ("a.txt.gz", gzip.compress(b"ok\n" * 9999)[:-20], "not whole gzip"),
        ("a.csv.gz", gzip.compress(b"text\n" * 9999)[:-20], "not whole gzip"),
        ("a.csv", b"id,words\n1,a\n", "no column 'text'.*'words'"),
        ("a.tsv", b"id,text\n", "no column 'text'"),
        ("a.csv", b'text\n"' + b"a" * MAX_FIELD + b"b\n", "line 2.*never closed"),
        ("a.spacy", b"no", "not a DocBin"),
    ],
)
def test_a_file_that_is_broken_is_named(
    tmp_path: Path, name: str, content: bytes, problem: str
):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ValueError, match=f"{name}.*{problem}"):
        read(tmp_path / name)


def test_a_broken_parquet_file_is_named(tmp_path: Path):
    pytest.importorskip("pyarrow")
    (tmp_path / "a.parquet").write_bytes(b"no")
    with pytest.raises(ValueError, match="a.parquet: not a Parquet file"):
        read(tmp_path / "a.parquet")
    write_parquet(tmp_path / "a.parquet")
    with pytest.raises(ValueError, match="no column 'body'; found .'id', 'text'"):
        read(tmp_path / "a.parquet", Fields("body"))


def test_an_empty_csv_has_no_rows(tmp_path: Path):
    (tmp_path / "a.csv").touch()
    assert read(tmp_path / "a.csv") == []


# ---- Parts of Parquet, and how far one is ------------------------------------------


@pytest.mark.parametrize("start, stop", [(0, 6), (0, 0), (2, 5), (4, 6), (5, 6)])
def test_a_part_of_a_parquet_file_is_read(tmp_path: Path, start: int, stop: int):
    pytest.importorskip("pyarrow")
    path = write_parquet(tmp_path / "a.parquet", row_group_size=2)
    records = list(read_parquet(Source(str(path)), Fields(), start, stop))
    assert [record.content for record in records] == TEXTS[start:stop]
    assert [record.line for record in records] == list(range(start + 1, stop + 1))


@pytest.mark.parametrize("name", ["a.txt", "a.txt.gz", "a.csv", "a.parquet", "a.spacy"])
def test_the_share_that_is_read_rises_to_one(tmp_path: Path, name: str):
    texts = [f"document {i} {'x' * 90}" for i in range(2000)]
    if name.endswith(".parquet"):
        pytest.importorskip("pyarrow")
        paths = [write_parquet(tmp_path / f"{i}{name}", texts) for i in range(2)]
    elif name.endswith(".spacy"):
        docs = [NLP.make_doc(text) for text in texts[:50]]
        paths = [write_spacy(tmp_path / f"{i}{name}", docs) for i in range(2)]
    else:
        write = write_csv if name.endswith(".csv") else write_text
        paths = [write(tmp_path / f"{i}{name}", texts) for i in range(2)]
    stream = Inputs(paths).read()
    assert stream.share == 0
    shares = [stream.share for _ in stream]
    assert shares == sorted(shares)
    assert shares[len(shares) // 2 - 1] == pytest.approx(0.5, abs=0.05)
    assert stream.share == 1
