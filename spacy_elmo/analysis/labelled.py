"""Sentences whose words have labels: tags, chunks, entities."""

import gzip
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import spacy
from spacy.tokens import DocBin, Token

from ..layers.context import SentenceContext

#: Tasks whose labels mark spans, as B-TYPE, I-TYPE and O.
SPAN_TASKS = ("chunk", "ner")
TASKS = ("tag", *SPAN_TASKS)
#: The tags of CoNLL-U and of a Doc: the column, and the attribute.
TAGS = {"upos": (3, "pos_"), "xpos": (4, "tag_")}

_BIO = re.compile(r"O|[BI]-.+")


#: A label that is None was not annotated.
Label = str | None


class Labelled(NamedTuple):
    """One sentence."""

    words: list[str]
    labels: list[Label]


@dataclass(frozen=True)
class Split:
    """The words of a training or test set, one sentence after another.

    sentences (Sequence[Labelled]): They hold N words.
    """

    sentences: Sequence[Labelled]

    @cached_property
    def words(self) -> list[str]:
        """All N."""
        return [word for sentence in self.sentences for word in sentence.words]

    @cached_property
    def labels(self) -> list[Label]:
        """All N."""
        return [label for sentence in self.sentences for label in sentence.labels]

    def cut(self, labels: Sequence[Label]) -> Iterator[Sequence[Label]]:
        """Cut N labels into sentences."""
        end = 0
        for sentence in self.sentences:
            start, end = end, end + len(sentence.words)
            yield labels[start:end]

    @property
    def size(self) -> dict[str, int]:
        """How much it is, for reports."""
        return {"sentences": len(self.sentences), "words": len(self.words)}


def read_labelled(
    files: Sequence[str], task: str, *, tags: str = "xpos"
) -> list[Labelled]:
    """Read annotated sentences.

    files (Sequence[str]): `.conllu`; `.spacy` (a DocBin); anything else has a token a
        line, with tabs or spaces between columns, the first the token and the last the
        label, and a blank line between sentences. Text may end in `.gz`.
    task (str): "tag", "chunk" or "ner".
    tags (str): Which tags of CoNLL-U and of a DocBin: "xpos" or "upos".
    RAISES (ValueError): Names the file, what was found and what was expected.
    """
    sentences = []
    for path in files:
        found = [s for s in _read(path, task, tags) if s.words]
        if all(label is None for s in found for label in s.labels):
            raise ValueError(f"{path}: no sentence has labels for {task} ({tags}).")
        sentences += found
    return sentences


def open_text(path: str) -> Iterator[str]:
    """The lines of a UTF-8 file, which may be gzip.

    RAISES (ValueError): Names the file that is not UTF-8 text.
    """
    opened = gzip.open if path.endswith(".gz") else open
    with opened(path, "rt", encoding="utf-8-sig", newline="\n") as file:
        try:
            for line in file:
                yield line.rstrip("\r\n")
        except (UnicodeDecodeError, gzip.BadGzipFile, EOFError) as error:
            raise ValueError(f"{path}: not UTF-8 text: {error}.") from error


def _read(path: str, task: str, tags: str) -> Iterator[Labelled]:
    if path.endswith(".spacy"):
        return _read_docs(path, task, tags)
    if path.removesuffix(".gz").endswith(".conllu"):
        return _read_conllu(path, task, tags)
    return _read_columns(path, task)


def _read_docs(path: str, task: str, tags: str) -> Iterator[Labelled]:
    """The sentences that the component `elmo` would read."""
    if task == "chunk":
        raise ValueError(f"{path}: a DocBin holds no chunks; give a file of columns.")
    attribute = TAGS[tags][1]
    for doc in DocBin().from_disk(path).get_docs(spacy.blank("xx").vocab):
        for start, end, _, _ in SentenceContext()([doc])[0]:
            tokens = [token for token in doc[start:end] if not token.is_space]
            labels = (
                [_entity(token) for token in tokens]
                if task == "ner"
                else [getattr(token, attribute) or None for token in tokens]
            )
            yield Labelled([token.text for token in tokens], labels)


def _entity(token: Token) -> Label:
    if not token.ent_iob_:
        return None
    kind = token.ent_type_
    return f"{token.ent_iob_}-{kind}" if kind else "O"


def _read_conllu(path: str, task: str, tags: str) -> Iterator[Labelled]:
    if task != "tag":
        raise ValueError(f"{path}: CoNLL-U has tags, but no column for {task}.")
    column = TAGS[tags][0]
    for block in _blocks(path):
        # Ranges (1-2) and empty nodes (1.1) are no words.
        rows = [columns for _, columns in block if columns[0].isdigit()]
        if any(len(columns) != 10 for columns in rows):
            raise ValueError(f"{path}, line {block[0][0]}: expected ten columns.")
        labels = [None if row[column] == "_" else row[column] for row in rows]
        yield Labelled([row[1] for row in rows], labels)


def _read_columns(path: str, task: str) -> Iterator[Labelled]:
    for block in _blocks(path):
        for number, columns in block:
            label = columns[-1]
            expected = "a tag" if task == "tag" else "O, B-TYPE or I-TYPE"
            is_right = task == "tag" or _BIO.fullmatch(label)
            if len(columns) < 2 or not is_right:
                raise ValueError(
                    f"{path}, line {number}: expected a token and, in the last column, "
                    f"{expected}; found {columns}."
                )
        words = [columns[0] for _, columns in block]
        yield Labelled(words, [columns[-1] for _, columns in block])


def _blocks(path: str) -> Iterator[list[tuple[int, list[str]]]]:
    """The line number and the columns of each token of each sentence."""
    block: list[tuple[int, list[str]]] = []
    for number, line in enumerate(open_text(path), 1):
        columns = line.split("\t") if "\t" in line else line.split()
        # A comment has no columns; the token # has.
        if columns and not (line.startswith("# ") and "\t" not in line):
            block.append((number, columns))
        elif not columns and block:
            yield block
            block = []
    if block:
        yield block
