"""Join a Universal Dependencies treebank with Universal NER into .spacy files.

    python scripts/convert_ewt.py TAGS ENTITIES OUTPUT

TAGS and ENTITIES are folders (they may be the same) with one file for each of train,
dev and test. Tags are .conllu, of which the words and the XPOS tags are read. Entities
are .iob2 with its numbered columns, or .conll with two columns (TOKEN, tab, BIO tag).
All may end in .gz. The two hold the same sentences in another order, so they are joined
by their words. OUTPUT gets train.spacy, dev.spacy and test.spacy, one sentence a Doc.
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


def find(folder: Path, split: str, endings: tuple[str, ...]) -> Path:
    """The one file of a split."""
    names = [
        f"*{split}{ending}{zipped}" for ending in endings for zipped in ("", ".gz")
    ]
    found = [path for name in names for path in sorted(folder.glob(name))]
    if len(found) != 1:
        raise SystemExit(
            f"{folder}: expected one file named {' or '.join(names)}, found "
            f"{[path.name for path in found]}. `spacy project assets --extra` fetches "
            "the corpora."
        )
    return found[0]


def convert(tags: Path, entities: Path, output: Path) -> None:
    """Join one pair of files."""
    sentences = read_tags(tags)
    docs, missing = join(sentences, read_entities(entities))
    joined = len(docs) / max(len(sentences), 1)
    print(
        f"{output}: {len(docs)} sentences joined ({joined:.2%}), {missing} of "
        f"{tags.name} not found in {entities.name}"
    )
    if joined < LEAST_JOINED:
        raise SystemExit(
            f"Expected at least {LEAST_JOINED:.0%}: are they of the same split?"
        )
    docs.to_disk(output)


def main() -> None:
    """Convert the three splits."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tags", type=Path, help="folder of .conllu files")
    parser.add_argument("entities", type=Path, help="folder of .iob2 or .conll files")
    parser.add_argument("output", type=Path, help="folder for .spacy files")
    arguments = parser.parse_args()
    splits = ("train", "dev", "test")
    pairs = [
        (
            find(arguments.tags, split, (".conllu",)),
            find(arguments.entities, split, (".iob2", ".conll")),
        )
        for split in splits
    ]
    arguments.output.mkdir(parents=True, exist_ok=True)
    for split, (tags, entities) in zip(splits, pairs):
        convert(tags, entities, arguments.output / f"{split}.spacy")


if __name__ == "__main__":
    main()
