"""Join a Universal Dependencies treebank with Universal NER into one .spacy file.

    python scripts/convert_ewt.py TAGS ENTITIES OUTPUT

TAGS is .conllu, of which the words and the XPOS tags are read. ENTITIES is two columns
(TOKEN, tab, BIO tag) or the numbered columns of .iob2. Either may end in .gz. The two
hold the same sentences in another order, so they are joined by their words. The output
has one sentence a Doc.
"""

import argparse
import gzip
from collections import defaultdict, deque
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab

#: Share of sentences that must be found in both files.
LEAST_JOINED = 0.99


class Tagged(NamedTuple):
    """A sentence of the treebank."""

    words: list[str]
    spaces: list[bool]
    tags: list[str]


def read_blocks(path: Path) -> Iterator[list[list[str]]]:
    """The tab-separated columns of each sentence; comments are left out."""
    opened = gzip.open if path.suffix == ".gz" else open
    block: list[list[str]] = []
    with opened(path, "rt", encoding="utf8") as file:
        for line in file:
            line = line.rstrip("\r\n")
            if line and not (line.startswith("#") and "\t" not in line):
                block.append(line.split("\t"))
            elif not line and block:
                yield block
                block = []
    if block:
        yield block


def read_tags(path: Path) -> list[Tagged]:
    """The sentences of a .conllu file, without its multi-word and empty tokens."""
    sentences = []
    for block in read_blocks(path):
        rows = [columns for columns in block if columns[0].isdigit()]
        if any(len(columns) != 10 for columns in rows):
            raise SystemExit(f"{path}: expected ten columns, as in .conllu.")
        words = [columns[1] for columns in rows]
        spaces = ["SpaceAfter=No" not in columns[9] for columns in rows]
        sentences.append(Tagged(words, spaces, [columns[4] for columns in rows]))
    return sentences


def read_entities(path: Path) -> dict[tuple[str, ...], deque[list[str]]]:
    """The BIO tags of each sentence, by its words; equal sentences in their order."""
    entities: dict[tuple[str, ...], deque[list[str]]] = defaultdict(deque)
    for block in read_blocks(path):
        numbered = all(len(columns) > 2 and columns[0].isdigit() for columns in block)
        first = 1 if numbered else 0
        words = tuple(columns[first] for columns in block)
        entities[words].append([columns[first + 1] for columns in block])
    return entities


def join(
    sentences: list[Tagged], entities: dict[tuple[str, ...], deque[list[str]]]
) -> tuple[DocBin, int]:
    """Docs with tags and entities, and how many sentences had no counterpart."""
    docs, missing, vocab = DocBin(attrs=["TAG", "ENT_TYPE", "ENT_IOB"]), 0, Vocab()
    for words, spaces, tags in sentences:
        found = entities.get(tuple(words))
        if not found:
            missing += 1
            continue
        ents = found.popleft()
        docs.add(Doc(vocab, words=words, spaces=spaces, tags=tags, ents=ents))
    return docs, missing


def main() -> None:
    """Convert one pair of files."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tags", type=Path, help=".conllu or .conllu.gz")
    parser.add_argument("entities", type=Path, help="two columns or .iob2, or .gz")
    parser.add_argument("output", type=Path, help=".spacy file to write")
    arguments = parser.parse_args()
    sentences = read_tags(arguments.tags)
    docs, missing = join(sentences, read_entities(arguments.entities))
    joined = len(docs) / max(len(sentences), 1)
    print(f"{arguments.output}: {len(docs)} sentences joined ({joined:.2%}),")
    print(f"{missing} of {arguments.tags.name} not found in {arguments.entities.name}.")
    if joined < LEAST_JOINED:
        raise SystemExit(
            f"Expected at least {LEAST_JOINED:.0%}: are they of the same split?"
        )
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    docs.to_disk(arguments.output)


if __name__ == "__main__":
    main()
