"""Word vectors (word2vec, skip-gram) of a tokenized text, in word2vec's text format.

    python -m spacy elmo tokenize 'text/train/*.txt' text.tokens.npz
    python scripts/train_vectors.py text.tokens.npz vectors.txt
    python -m spacy init vectors en vectors.txt corpus/ewt/vectors

Needs the package gensim.
"""

import argparse
import logging
from collections.abc import Iterator
from pathlib import Path

from spacy_elmo.pretraining.tokens import read_tokens


class Sentences:
    """The sentences of a file, as often as they are asked for."""

    def __init__(self, path: str) -> None:
        self.path = path

    def __iter__(self) -> Iterator[list[str]]:
        return read_tokens(self.path)


def main() -> None:
    """Train and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("text", help="NAME.tokens.npz")
    parser.add_argument("output", type=Path, help="file to write")
    parser.add_argument("--width", type=int, default=256)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--min-count", type=int, default=5)
    parser.add_argument("--workers", type=int, default=1, help="1 can be repeated")
    arguments = parser.parse_args()
    from gensim.models import Word2Vec

    logging.basicConfig(format="%(asctime)s %(message)s", level=logging.INFO)
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    model = Word2Vec(
        Sentences(arguments.text),
        vector_size=arguments.width,
        epochs=arguments.epochs,
        min_count=arguments.min_count,
        workers=arguments.workers,
        sg=1,
        sample=1e-4,
        seed=0,
    )
    model.wv.save_word2vec_format(str(arguments.output))


if __name__ == "__main__":
    main()
