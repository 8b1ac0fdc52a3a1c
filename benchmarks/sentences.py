"""Real or random sentences to measure on."""

import gzip
import random
from pathlib import Path


def read_sentences(path: Path, n: int, seed: int = 0) -> list[list[str]]:
    """Sentences of a CoNLL-U file, or of lines with spaces between tokens; also gzip.

    RETURNS (List[List[str]]): `n` of them, in random order.
    """
    data = path.read_bytes()
    text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode("utf8")
    if ".conllu" in path.name:
        sentences = [_conllu(block) for block in text.split("\n\n")]
    else:
        sentences = [line.split() for line in text.splitlines()]
    sentences = [sentence for sentence in sentences if sentence]
    return random.Random(seed).sample(sentences, min(n, len(sentences)))


def _conllu(block: str) -> list[str]:
    rows = [line.split("\t") for line in block.splitlines() if line[:1] != "#"]
    return [row[1] for row in rows if row[0].isdigit()]


def random_sentences(n: int, n_types: int = 30_000, seed: int = 0) -> list[list[str]]:
    """Sentences as English has them: mean length 19, Zipf's law, longer rare words."""
    chance = random.Random(seed)
    letters = "etaoinshrdlucmfwypvbgk"
    words = [
        "".join(chance.choices(letters, k=2 + min(10, (rank + 1).bit_length() // 2)))
        for rank in range(n_types)
    ]
    weights = [1 / (rank + 2) for rank in range(n_types)]
    lengths = [
        max(1, min(120, round(chance.lognormvariate(2.7, 0.7)))) for _ in range(n)
    ]
    return [chance.choices(words, weights, k=length) for length in lengths]
