"""A document as it was found: its content, or what is wrong with it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from spacy.tokens import Doc
from spacy.vocab import Vocab

Id = str | int


class Tokens(NamedTuple):
    """A document that is tokenized already.

    words (Tuple[str, ...]): None of them empty.
    spaces (Optional[Tuple[bool, ...]]): Which of them a space follows; by default all
        but the last.
    sent_starts (Optional[Tuple[Optional[bool], ...]]): Which of them begin a sentence,
        if that is known.
    """

    words: tuple[str, ...]
    spaces: tuple[bool, ...] | None = None
    sent_starts: tuple[bool | None, ...] | None = None

    def to_doc(self, vocab: Vocab) -> Doc:
        """Make a Doc of them."""
        n = len(self.words)
        spaces = self.spaces or (True,) * (n - 1) + (False,) * min(n, 1)
        starts: list[bool | int | None] | None = None
        if self.sent_starts is not None:
            starts = list(self.sent_starts)
        return Doc(
            vocab, words=list(self.words), spaces=list(spaces), sent_starts=starts
        )

    @classmethod
    def from_doc(cls, doc: Doc) -> "Tokens":
        """The tokens of a Doc, and its sentences if they are annotated."""
        words = tuple(token.text for token in doc)
        spaces = tuple(bool(token.whitespace_) for token in doc)
        starts = None
        if doc.has_annotation("SENT_START"):
            starts = tuple(token.is_sent_start for token in doc)
        return cls(words, spaces, starts)


#: Raw text, or tokens. Equal contents get equal vectors.
Content = str | Tokens


class Record(NamedTuple):
    """A row of the input. Also a bad one is a row.

    path (str), line (int): Where it stands; lines, or rows, count from 1.
    content (Optional[Content]): None if it is bad.
    problem (Optional[str]): What is wrong with it.
    id (Optional[str]): Its own id, if ids are read.
    """

    path: str
    line: int
    content: Content | None
    problem: str | None = None
    id: str | None = None


@dataclass(frozen=True)
class Fields:
    """Where text and id stand in a row. See `Options`."""

    text: str = "text"
    id: str | None = None
    tokenized: bool = False

    @property
    def names(self) -> list[str]:
        """The fields that are read."""
        names = [self.text, self.id]
        return [name for name in dict.fromkeys(names) if name is not None]

    def read(self, path: str, line: int, row: Mapping[str, Any]) -> Record:
        """Make a record of a row of named values."""
        found, id_problem = self._id(row)
        if self.text not in row:
            problem: str | None = f"no field {self.text!r}; found {list(row)}"
            return Record(path, line, None, problem, found)
        content, problem = self._content(row[self.text])
        problem = problem or id_problem
        return Record(path, line, None if problem else content, problem, found)

    def _content(self, value: Any) -> tuple[Content | None, str | None]:
        if isinstance(value, str):
            content = Tokens(tuple(value.split())) if self.tokenized else value
            return content, unicode_problem(value)
        if isinstance(value, list) and all(isinstance(x, str) for x in value):
            if "" in value:
                return None, f"field {self.text!r}: token {value.index('')} is empty"
            return Tokens(tuple(value)), unicode_problem("".join(value))
        return None, (
            f"field {self.text!r}: expected a string or a list of strings, found "
            f"{type(value).__name__}"
        )

    def _id(self, row: Mapping[str, Any]) -> tuple[str | None, str | None]:
        if self.id is None:
            return None, None
        value = row.get(self.id)
        is_number = isinstance(value, int) and not isinstance(value, bool)
        if not is_number and not isinstance(value, str):
            found = type(value).__name__ if self.id in row else "no such field"
            return None, (
                f"field {self.id!r}: expected a string or an integer as id, found "
                f"{found}"
            )
        problem = unicode_problem(str(value))
        return None if problem else str(value), problem


def unicode_problem(text: str) -> str | None:
    """What keeps a str from being text: surrogates, which stand for no character."""
    try:
        text.encode("utf8")
    except UnicodeEncodeError as error:
        letter = ord(text[error.start])
        if 0xDC80 <= letter <= 0xDCFF:  # a byte, as "surrogateescape" keeps it
            return f"not UTF-8: byte 0x{letter - 0xDC00:02x}"
        return f"not Unicode text: lone surrogate U+{letter:04X}"
    return None
