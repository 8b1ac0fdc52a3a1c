"""Text from files, one record after another, whatever the files' form."""

import glob
import gzip
import io
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any, NamedTuple

import srsly
from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab

from .tokens import SUFFIX, count_tokens, read_tokens

STDIN = "-"
#: A byte order mark at the beginning is no part of the text.
UTF8 = "utf-8-sig"
#: Bytes of text in a byte of gzip, about; only decides how fast a file is read.
GZIP_RATIO = 3
#: Bytes of text in a token, about; for the same purpose.
LETTERS = 6


class Record(NamedTuple):
    """A piece of text: raw, as tokens of one sentence, or as a Doc.

    content (Union[str, List[str], Doc]): What was found.
    size (int): Its length, to know how far a file is read.
    """

    content: str | list[str] | Doc
    size: int


def find_files(patterns: Sequence[str]) -> list[str]:
    """Expand paths and globs, each glob in sorted order; "-" is the standard input.

    RAISES (FileNotFoundError): A pattern that matches no file. (ValueError): A
        directory, or the standard input beside files.
    """
    if isinstance(patterns, str):
        patterns = [patterns]
    files: list[str] = []
    for pattern in patterns:
        found = [pattern] if pattern == STDIN else sorted(glob.glob(pattern))
        if not found and Path(pattern).is_file():
            found = [pattern]
        if not found:
            raise FileNotFoundError(f"No files match {pattern!r}.")
        for path in found:
            if Path(path).is_dir():
                raise ValueError(f"{path} is a directory; write {path}/* for files.")
        files.extend(found)
    if not files:
        raise FileNotFoundError("No text: the list of files is empty.")
    if STDIN in files and len(files) > 1:
        raise ValueError("The standard input '-' cannot be read beside files.")
    return files


def file_size(path: str) -> int:
    """About how much text a file holds; only decides how fast it is read.

    Nobody knows how much the standard input holds: so much that no share of it shows.
    """
    if path == STDIN:
        return 1 << 62
    if path.endswith(SUFFIX):
        return count_tokens(path) * LETTERS
    ratio = GZIP_RATIO if path.endswith(".gz") else 1
    return max(1, Path(path).stat().st_size * ratio)


def read_records(path: str, *, tokenized: bool, vocab: Vocab) -> Iterator[Record]:
    """Stream a file.

    path (str): `.jsonl` holds objects with `text` (raw) or `tokens` (one sentence),
        `.spacy` a DocBin and `.tokens.npz` what `write_tokens` wrote, both read whole;
        anything else is UTF-8 text. `.gz` after the first and last is unpacked; "-" is
        the standard input, as text.
    tokenized (bool): A line of text is one sentence, its tokens between spaces; else a
        line is raw text, to be tokenized and split.
    RAISES (ValueError): Names file and line.
    """
    if path.endswith(".spacy"):
        for doc in DocBin().from_disk(path).get_docs(vocab):
            yield Record(doc, len(doc.text))
        return
    if path.endswith(SUFFIX):
        for words in read_tokens(path):
            yield Record(words, len(words) * LETTERS)
        return
    is_json = path.removesuffix(".gz").endswith(".jsonl")
    for number, line in _lines(path):
        text = line.strip()
        if not text:
            yield Record([], len(line))
        elif is_json:
            yield Record(_parse(text, path, number), len(line))
        else:
            yield Record(text.split() if tokenized else text, len(line))


def _lines(path: str) -> Iterator[tuple[int, str]]:
    with _open(path) as file:
        number = 1
        try:
            for number, line in enumerate(file, 1):
                yield number, line
        except (UnicodeDecodeError, gzip.BadGzipFile, EOFError) as error:
            raise ValueError(
                f"{path}, after line {number}: not UTF-8 text"
                f"{' in gzip' if path.endswith('.gz') else ''}: {error}."
            ) from error


def _open(path: str) -> IO[str]:
    # Lines end at "\n" alone: other separators may stand inside a paragraph.
    if path == STDIN:
        return io.TextIOWrapper(sys.stdin.buffer, encoding=UTF8, newline="\n")
    if path.endswith(".gz"):
        return gzip.open(path, "rt", encoding=UTF8, newline="\n")
    return open(path, encoding=UTF8, newline="\n")


def _parse(text: str, path: str, number: int) -> str | list[str]:
    try:
        row: Any = srsly.json_loads(text)
    except ValueError as error:
        raise ValueError(f"{path}, line {number}: not JSON: {error}.") from error
    content = row.get("tokens", row.get("text")) if isinstance(row, dict) else None
    is_tokens = isinstance(content, list) and all(isinstance(t, str) for t in content)
    if not (isinstance(content, str) or is_tokens):
        raise ValueError(
            f"{path}, line {number}: expected an object with 'text' (a string) or "
            f"'tokens' (a list of strings), found {text[:60]!r}."
        )
    return content  # type: ignore[return-value]
