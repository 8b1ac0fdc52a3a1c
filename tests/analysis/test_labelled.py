"""Tags, chunks and entities from files."""

import gzip
from pathlib import Path

import pytest
import spacy
from spacy.tokens import Doc, DocBin

from spacy_elmo.analysis.labelled import Labelled, Split, read_labelled

CONLLU = """# sent_id = 1
# text = She doesn't
1\tShe\tshe\tPRON\tPRP\t_\t0\troot\t_\t_
2-3\tdoesn't\t_\t_\t_\t_\t_\t_\t_\t_
2\tdoes\tdo\tAUX\tVBZ\t_\t0\troot\t_\t_
3\tn't\tnot\tPART\tRB\t_\t0\troot\t_\t_
3.1\tgone\tgo\tVERB\tVBN\t_\t_\t_\t_\t_

1\tYes\tyes\tINTJ\t_\t_\t0\troot\t_\t_
"""


def write(path: Path, text: str) -> str:
    path.write_text(text, encoding="utf8")
    return str(path)


@pytest.mark.parametrize(
    "tags, first, second",
    [
        ("xpos", ["PRP", "VBZ", "RB"], [None]),
        ("upos", ["PRON", "AUX", "PART"], ["INTJ"]),
    ],
)
def test_conllu(
    tmp_path: Path, tags: str, first: list[str], second: list[str | None]
) -> None:
    path = write(tmp_path / "a.conllu", CONLLU)
    assert read_labelled([path], "tag", tags=tags) == [
        Labelled(["She", "does", "n't"], first),
        Labelled(["Yes"], second),
    ]


def test_gzip(tmp_path: Path) -> None:
    path = tmp_path / "a.conllu.gz"
    path.write_bytes(gzip.compress(CONLLU.encode("utf8")))
    assert len(read_labelled([str(path)], "tag")) == 2


@pytest.mark.parametrize(
    "text",
    [
        "Anna\tB-PER\n#\tO\n\nRome\tB-LOC\n",
        "# id 7\nAnna NNP B-NP B-PER\n#\tNN\tI-NP\tO\n\n\nRome NNP B-NP B-LOC",
    ],
    ids=["two columns", "four columns and a comment"],
)
def test_columns(tmp_path: Path, text: str) -> None:
    path = write(tmp_path / "a.conll", text)
    assert read_labelled([path], "ner") == [
        Labelled(["Anna", "#"], ["B-PER", "O"]),
        Labelled(["Rome"], ["B-LOC"]),
    ]


@pytest.fixture
def docbin(tmp_path: Path) -> str:
    doc = Doc(
        spacy.blank("en").vocab,
        words=["Anna", "left", "\n", "Rome", ".", "Why", "?"],
        tags=["NNP", "VBD", "_SP", "NNP", ".", "WRB", "."],
        pos=["PROPN", "VERB", "SPACE", "PROPN", "PUNCT", "ADV", "PUNCT"],
        ents=["B-PER", "O", "O", "B-LOC", "O", "O", "O"],
    )
    path = tmp_path / "a.spacy"
    DocBin(docs=[doc]).to_disk(path)
    return str(path)


@pytest.mark.parametrize(
    "task, tags, labels",
    [
        ("tag", "xpos", [["NNP", "VBD", "NNP", "."], ["WRB", "."]]),
        ("tag", "upos", [["PROPN", "VERB", "PROPN", "PUNCT"], ["ADV", "PUNCT"]]),
        ("ner", "xpos", [["B-PER", "O", "B-LOC", "O"], ["O", "O"]]),
    ],
)
def test_docbin_without_spaces_in_the_sentences_that_elmo_reads(
    docbin: str, task: str, tags: str, labels: list[list[str]]
) -> None:
    found = read_labelled([docbin], task, tags=tags)
    assert [s.words for s in found] == [["Anna", "left", "Rome", "."], ["Why", "?"]]
    assert [s.labels for s in found] == labels


@pytest.mark.parametrize(
    "name, text, task, message",
    [
        ("a.conllu", CONLLU, "ner", "CoNLL-U has tags, but no column for ner"),
        ("a.conllu", "1\tShe\tshe\tPRON\n", "tag", "line 1: expected ten columns"),
        ("a.conll", "a O\n\nAnna PER\n", "ner", "line 3: expected a token and"),
        ("a.conll", "1\tAnna\tB-PER\t-\t-\n", "ner", "O, B-TYPE or I-TYPE"),
        ("a.conll", "Anna\n", "tag", "line 1: expected a token and"),
        ("a.conll", "\n", "tag", "no sentence has labels for tag"),
        ("a.conllu", CONLLU[-37:], "tag", "no sentence has labels for tag (xpos)"),
    ],
)
def test_what_is_wrong_is_named(
    tmp_path: Path, name: str, text: str, task: str, message: str
) -> None:
    path = write(tmp_path / name, text)
    with pytest.raises(ValueError) as caught:
        read_labelled([path], task)
    assert path in str(caught.value) and message in str(caught.value)


def test_a_docbin_has_no_chunks(docbin: str) -> None:
    with pytest.raises(ValueError, match="holds no chunks"):
        read_labelled([docbin], "chunk")


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    (tmp_path / "a.conll").write_bytes(b"Anna\tO\n\xff\tO\n")
    with pytest.raises(ValueError, match="not UTF-8"):
        read_labelled([str(tmp_path / "a.conll")], "ner")


def test_a_split_joins_and_cuts() -> None:
    split = Split([Labelled(["a", "b"], ["X", None]), Labelled(["c"], ["Y"])])
    assert split.words == ["a", "b", "c"]
    assert split.labels == ["X", None, "Y"]
    assert list(split.cut(["1", "2", "3"])) == [["1", "2"], ["3"]]
    assert split.size == {"sentences": 2, "words": 3}
