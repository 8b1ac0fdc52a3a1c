"""How much memory the reading of a pretraining takes, over a text of any size.

python benchmarks/reading.py TEXT ... [--megabytes 1000] [--tokenized]

Writes the texts again and again until there are so many megabytes; each round gives
every tenth word a new ending, so that new words never end. This file is then read and
cut into batches as `spacy elmo pretrain` does it. A line of JSON for every 50 million
characters says what the process has taken so far.
"""

import argparse
import json
import resource
import tempfile
import time
from collections.abc import Iterator
from itertools import chain, count
from pathlib import Path

import spacy

from spacy_elmo.bilm import BiLM, BiLMConfig
from spacy_elmo.pretraining.batches import Batcher, by_length
from spacy_elmo.pretraining.corpus import Corpus
from spacy_elmo.pretraining.vocabulary import build_vocabulary

MEGABYTE = 10**6
REPORTED = 50 * MEGABYTE
CHANGED = 10
BATCH_TOKENS = 2560


def main() -> None:
    """Write, read, print."""
    arguments = parse_arguments()
    with tempfile.TemporaryDirectory() as folder:
        text = Path(folder) / "text.txt"
        write_text(arguments.text, text, arguments.megabytes * MEGABYTE)
        corpus = Corpus([str(text)], spacy.blank("en"), tokenized=arguments.tokenized)
        vocabulary = build_vocabulary(next(corpus.pools()).sentences)[0]
        lexicon = BiLM(BiLMConfig()).token_encoder.require_lexicon()
        for figures in read(corpus, Batcher(vocabulary, lexicon)):
            print(json.dumps(figures), flush=True)


def write_text(sources: list[str], path: Path, size: int) -> None:
    """size (int): In bytes, about."""
    lines = chain.from_iterable(
        changed(Path(source), turn) for turn in count() for source in sources
    )
    written = 0
    with path.open("w", encoding="utf8") as file:
        for line in lines:
            written += file.write(line)
            if written >= size:
                return


def changed(path: Path, turn: int) -> Iterator[str]:
    """Lines of a file, every tenth word with an ending of this turn."""
    ending = f"{turn}" if turn else ""
    with path.open(encoding="utf8") as file:
        for line in file:
            words = line.rstrip("\n").split(" ")
            words[::CHANGED] = [word and word + ending for word in words[::CHANGED]]
            yield " ".join(words) + "\n"


def read(corpus: Corpus, batcher: Batcher) -> Iterator[dict[str, float]]:
    """Everything into batches, which are thrown away."""
    begin, start = peak_megabytes(), time.process_time()
    n_tokens, n_characters, reported = 0, 0, 0
    for number, pool in enumerate(corpus.pools(seed=0)):
        n_tokens += sum(map(len, pool.sentences))
        for sentences in by_length(
            pool.sentences, batch_tokens=BATCH_TOKENS, seed=number
        ):
            batcher.from_sentences(sentences)
        n_characters += sum(len(word) + 1 for s in pool.sentences for word in s)
        if n_characters - reported >= REPORTED or pool.is_last:
            reported = n_characters
            yield {
                "megabytes_read": round(n_characters / MEGABYTE),
                "tokens": n_tokens,
                "cpu_seconds": round(time.process_time() - start),
                "peak_memory_mb": round(peak_megabytes()),
                "grown_by_mb": round(peak_megabytes() - begin),
            }


def peak_megabytes() -> float:
    """What this process has taken at most."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def parse_arguments() -> argparse.Namespace:
    """RETURNS (Namespace): The options."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("text", nargs="+", help="files of raw text")
    parser.add_argument("--megabytes", type=int, default=1000)
    parser.add_argument(
        "--tokenized", action="store_true", help="spaces are between tokens"
    )
    return parser.parse_args()


if __name__ == "__main__":
    main()
