"""A mix of corpora, each with its share of documents spread evenly over it.

    python scripts/mix_text.py DATA text

DATA/NAME/{train,valid}.txt.gz (a paragraph a line, an empty line between documents)
become text/{train,dev}/NAME.txt for `configs/pretrain_shipped.cfg`.
"""

import argparse
import gzip
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

#: Share of each corpus that is kept: about 31 million tokens.
SHARES = {
    "enwiki_2014": 0.74,
    "enwiki_2021": 1.0,
    "enwiki_gensim": 1.0,
    "books_pd": 0.4,
    "books_pd_us_modern": 1.0,
    "ungdc": 0.5,
    "usgov_web": 1.0,
    "us_history": 1.0,
    "topical_chat": 1.0,
    "sgd": 0.45,
    "spaceflight": 0.85,
    "craft": 0.5,
    "wordnet_examples": 1.0,
    "african_storybook": 1.0,
    "factbook": 1.0,
}


def read_documents(path: Path) -> Iterator[list[str]]:
    """The paragraphs of each document."""
    with gzip.open(path, "rt", encoding="utf8", newline="\n") as file:
        for is_text, lines in groupby(file, key=_is_text):
            if is_text:
                yield list(lines)


def mix(source: Path, target: Path, share: float) -> int:
    """Write a share of the documents of a file.

    RETURNS (int): Words written.
    """
    n_words, due = 0, 0.0
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.open("w", encoding="utf8", newline="\n") as file:
        for document in read_documents(source):
            due += share
            if due < 1:
                continue
            due -= 1
            file.writelines([*document, "\n"])
            n_words += sum(len(line.split()) for line in document)
    return n_words


def _is_text(line: str) -> bool:
    return not line.isspace()


def main() -> None:
    """Write text/train and text/dev."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, help="folder of corpora")
    parser.add_argument("output", type=Path, help="folder to write")
    parser.add_argument(
        "--scale", type=float, default=1.0, help="multiply each share: 0.1 for a tenth"
    )
    arguments = parser.parse_args()
    for name, whole in SHARES.items():
        share = whole * arguments.scale
        source, file_name = arguments.data / name, f"{name}.txt"
        train = source / "train.txt.gz"
        if not train.is_file():
            raise SystemExit(f"No {train}.")
        n_words = mix(train, arguments.output / "train" / file_name, share)
        print(f"{name}: {n_words:,} words")
        dev = source / "valid.txt.gz"
        if dev.is_file():
            mix(dev, arguments.output / "dev" / file_name, share)


if __name__ == "__main__":
    main()
