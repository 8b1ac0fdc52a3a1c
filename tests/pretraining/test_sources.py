"""Files of every form, as records."""

import gzip
import io
import sys
from pathlib import Path

import pytest
import spacy
from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab

from spacy_elmo.pretraining.corpus import Corpus
from spacy_elmo.pretraining.sources import find_files

NLP = spacy.blank("en")
RAW = "He left. She did not!\n\nLast line, no newline"
SPLIT = [
    ["He", "left", "."],
    ["She", "did", "not", "!"],
    ["Last", "line", ",", "no", "newline"],
]
# Only "\n" ends a line; the other separators are whitespace within it.
TWO_LINES = [["one", "line", "still"], ["next"]]
MARKED = "\ufeffone\r\ntwo\ufeff\r\n"
JSON_MARKED = '\ufeff{"text": "one"}\r\n{"text": "two\ufeff"}\r\n'
ONE_TWO = [["one"], ["two\ufeff"]]


def write_doc_bin(path: Path) -> None:
    doc = Doc(NLP.vocab, ["a", " ", "b", "c"], sent_starts=[True, False, False, True])
    DocBin(docs=[doc]).to_disk(path)


def write_gzip(path: Path, text: str) -> None:
    path.write_bytes(gzip.compress(text.encode("utf8")))


@pytest.mark.parametrize(
    "name, text, tokenized, expected",
    [
        ("a.txt", RAW, False, SPLIT),
        ("a.txt.gz", RAW, False, SPLIT),
        ("a-00001-of-00100", "a b . c\nd\n", True, [["a", "b", ".", "c"], ["d"]]),
        ("a.jsonl", '{"text": "He left. Oh"}\n', False, [["He", "left", "."], ["Oh"]]),
        ("a.jsonl", '{"tokens": ["a", "b. c"]}\n', False, [["a", "b. c"]]),
        ("a.jsonl.gz", '{"tokens": ["a"]}\n{"tokens": []}\n', False, [["a"]]),
        ("a.txt", "one\u2028line\u0085still\r\nnext\n", True, TWO_LINES),
        ("a.txt", MARKED, True, ONE_TWO),
        ("a.txt.gz", MARKED, False, ONE_TWO),
        ("a.jsonl", JSON_MARKED, False, ONE_TWO),
    ],
)
def test_a_file_is_read(
    tmp_path: Path, name: str, text: str, tokenized: bool, expected: list[list[str]]
):
    path = tmp_path / name
    if name.endswith(".gz"):
        write_gzip(path, text)
    else:
        path.write_bytes(text.encode("utf8"))
    corpus = Corpus([str(path)], NLP, tokenized=tokenized)
    assert list(corpus.sentences()) == expected


def test_a_doc_bin_keeps_its_tokens_and_sentences(tmp_path: Path):
    write_doc_bin(tmp_path / "a.spacy")
    corpus = Corpus([str(tmp_path / "a.spacy")], NLP)
    assert list(corpus.sentences()) == [["a", "b"], ["c"]]


def test_the_standard_input_is_read(monkeypatch: pytest.MonkeyPatch):
    stdin = io.TextIOWrapper(io.BytesIO("é b\nc".encode()))
    monkeypatch.setattr(sys, "stdin", stdin)
    corpus = Corpus(["-"], NLP, tokenized=True)
    assert list(corpus.sentences()) == [["é", "b"], ["c"]]


def test_sentences_of_the_pipeline_are_kept(tmp_path: Path):
    (tmp_path / "a.txt").write_text("One; two. three\n")
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer", config={"punct_chars": [";"]})
    corpus = Corpus([str(tmp_path / "a.txt")], nlp)
    assert list(corpus.sentences()) == [["One", ";"], ["two", ".", "three"]]


def test_globs_expand_in_sorted_order(tmp_path: Path):
    for name in ("b.txt", "a.txt", "c.text"):
        (tmp_path / name).touch()
    found = find_files([f"{tmp_path}/*.txt", f"{tmp_path}/c.text"])
    assert [Path(path).name for path in found] == ["a.txt", "b.txt", "c.text"]


def test_packed_and_plain_files_of_a_glob_are_all_read(tmp_path: Path):
    """simple_elmo_training issue 3: what was not gzip was passed over in silence."""
    (tmp_path / "a.txt").write_text("plain\n")
    write_gzip(tmp_path / "b.txt.gz", "packed\n")
    corpus = Corpus([f"{tmp_path}/*"], NLP)
    assert list(corpus.sentences()) == [["plain"], ["packed"]]


def test_a_name_with_glob_characters_is_a_file(tmp_path: Path):
    (tmp_path / "a[1].txt").touch()
    assert find_files([f"{tmp_path}/a[1].txt"]) == [f"{tmp_path}/a[1].txt"]


def test_a_pattern_without_files_is_refused():
    """bilm-tf issues 128, 188: an IndexError from an empty list."""
    with pytest.raises(FileNotFoundError, match="No files match 'nowhere/.*txt'"):
        find_files(["nowhere/*.txt"])


def test_a_folder_is_refused(tmp_path: Path):
    with pytest.raises(ValueError, match="is a directory"):
        find_files([str(tmp_path)])


def test_the_standard_input_stands_alone(tmp_path: Path):
    (tmp_path / "a.txt").touch()
    with pytest.raises(ValueError, match="beside files"):
        find_files(["-", str(tmp_path / "a.txt")])


@pytest.mark.parametrize(
    "name, content, problem",
    [
        ("a.txt", b"ok\n\xff\xfe\n", "not UTF-8"),
        ("a.txt.gz", b"not gzip", "not UTF-8 text in gzip"),
        ("a.txt.gz", gzip.compress(b"ok\n" * 9999)[:-20], "not UTF-8 text in gzip"),
        ("a.jsonl", b'{"text": "a"}\n{"words": []}\n', "line 2: expected an object"),
        ("a.jsonl", b'{"text": "a"}\n{"te\n', "line 2: not JSON"),
    ],
)
def test_what_cannot_be_read_is_named(
    tmp_path: Path, name: str, content: bytes, problem: str
):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ValueError, match=problem):
        list(Corpus([str(tmp_path / name)], NLP).sentences())


def test_tokenizing_leaves_the_shared_vocabulary_alone(tmp_path: Path):
    (tmp_path / "a.txt").write_text("zyzzyva quokka\n")
    nlp = spacy.blank("en")
    list(Corpus([str(tmp_path / "a.txt")], nlp).sentences())
    assert isinstance(nlp.vocab, Vocab) and "zyzzyva" not in nlp.vocab.strings
