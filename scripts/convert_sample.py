"""Convert TOKEN, tab, TAG, tab, BIO lines into a .spacy file, one sentence a Doc.

    python scripts/convert_sample.py assets/sample/train.tsv corpus/sample/train.spacy

Your own data in this form can take the sample's place.
"""

import argparse
from pathlib import Path

from convert_ewt import read_blocks
from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab


def convert(path: Path) -> DocBin:
    """Read a file of tagged sentences.

    RAISES (SystemExit): Names the sentence that has not three columns everywhere.
    """
    docs, vocab = DocBin(attrs=["TAG", "ENT_TYPE", "ENT_IOB"]), Vocab()
    for number, block in enumerate(read_blocks(path), start=1):
        for columns in block:
            if len(columns) != 3:
                raise SystemExit(
                    f"{path}: sentence {number}: expected three columns divided by "
                    f"tabs (TOKEN, TAG and BIO tag), found {columns}."
                )
        words, tags, ents = (list(column) for column in zip(*block))
        docs.add(Doc(vocab, words=words, tags=tags, ents=ents))
    if not len(docs):
        raise SystemExit(f"{path}: no sentences.")
    return docs


def main() -> None:
    """Convert one file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", type=Path, help="TOKEN, tab, TAG, tab, BIO")
    parser.add_argument("output", type=Path, help=".spacy file to write")
    arguments = parser.parse_args()
    docs = convert(arguments.source)
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    docs.to_disk(arguments.output)
    print(f"{arguments.output}: {len(docs)} sentences")


if __name__ == "__main__":
    main()
