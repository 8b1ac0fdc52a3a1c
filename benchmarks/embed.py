"""A million short documents: how fast, in how much memory, and against AllenNLP.

    python benchmarks/embed.py [--text FILE] [--documents 100000] [--compared 3000]
        [--threads 2] [--passes 5] [--allennlp PYTHON] [--output FILE]

First `embed` writes so many documents of about 50 characters as Parquet; documents a
second, the memory on the way, the size of the output, and what a million would take.
Then programs run in turns on fewer documents: `embed`, the bare engine on the same
tokens, our `nlp.pipe` on ten documents at a time, and AllenNLP 2.10.1 on ten documents
a call, with the same weights. PYTHON is an interpreter that can import it.
"""

import argparse
import gzip
import json
import shutil
import tempfile
import time
from collections.abc import Iterator
from itertools import chain, cycle, islice
from pathlib import Path
from typing import Any

import spacy
import torch
from implementations import Run
from sentences import random_sentences
from side_by_side import Program, measure, peak_memory

from spacy_elmo.embedding import Options, Progress, embed
from spacy_elmo.weights.allennlp_export import write_allennlp
from spacy_elmo.weights.loaders import BUNDLED
from spacy_elmo.weights.native import read_native

CHARACTERS = 50
TOGETHER = 10
MILLION = 1_000_000


def main() -> None:
    """Measure and print."""
    arguments = parse_arguments()
    torch.set_num_threads(arguments.threads)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        result: dict[str, Any] = {"threads": arguments.threads}
        result["whole"] = run_whole(arguments, folder)
        result["compared"] = compare(arguments, folder)
    text = json.dumps(result, indent=1)
    print(text)
    if arguments.output:
        arguments.output.write_text(text + "\n", encoding="utf8")


def run_whole(arguments: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """Embed many documents once."""
    documents = make_documents(arguments.text, arguments.documents)
    path = write_documents(folder / "whole.txt", documents)
    memory: list[tuple[int, float]] = [(0, memory_now())]

    def note(progress: Progress) -> None:
        memory.append((memory[-1][0] + progress.documents, memory_now()))

    start = time.perf_counter()
    report = embed(path, folder / "whole", observer=note)
    seconds = time.perf_counter() - start
    size = sum(file.stat().st_size for file in (folder / "whole").iterdir())
    at_tenth = next(mb for n, mb in memory if n >= report.documents / 10)
    return {
        "documents": report.documents,
        "tokens": report.words,
        "documents_per_second": round(report.documents / seconds),
        "tokens_per_second": round(report.words / seconds),
        "minutes_a_million": round(MILLION * seconds / report.documents / 60, 1),
        "output_gb_a_million": round(MILLION * size / report.documents / 1e9, 3),
        "memory_mb": {
            "before": round(memory[0][1]),
            "at_a_tenth": round(at_tenth),
            "at_the_end": round(memory[-1][1]),
            "peak": round(peak_memory()),
        },
    }


def compare(arguments: argparse.Namespace, folder: Path) -> list[dict[str, Any]]:
    """Run all programs in turns on the same documents."""
    documents = make_documents(arguments.text, arguments.compared)
    texts = write_documents(folder / "texts.txt", documents)
    tokenizer = spacy.blank("en").tokenizer
    sentences = [
        [token.text for token in tokenizer(text) if not token.is_space]
        for text in documents
    ]
    path = folder / "sentences.json"
    path.write_text(json.dumps(sentences), encoding="utf8")
    measured = measure(
        programs(arguments, folder, texts, path),
        passes=arguments.passes,
        threads=arguments.threads,
    )
    n_tokens = sum(map(len, sentences))
    seconds = {label: figures.seconds for label, figures in measured.items()}
    return [
        {
            "program": label,
            "documents_per_second": round(len(documents) / figures.seconds),
            "tokens_per_second": round(n_tokens / figures.seconds),
            "tokens_per_cpu_second": round(n_tokens / figures.cpu_seconds),
            "to_engine": round(seconds["engine"] / figures.seconds, 3),
            "to_allennlp": (
                round(seconds["AllenNLP, tens"] / figures.seconds, 1)
                if "AllenNLP, tens" in seconds
                else None
            ),
            "peak_mb": round(figures.peak_mb),
        }
        for label, figures in measured.items()
    ]


def programs(
    arguments: argparse.Namespace, folder: Path, texts: Path, sentences: Path
) -> list[Program]:
    """Ours in bulk, the engine alone, ours ten at a time, and AllenNLP."""
    engine = {
        "weights": str(BUNDLED),
        "sentences": str(sentences),
        "batch_size": 0,
        "keeps_words": True,
    }
    bulk_options = {"texts": str(texts), "output": str(folder / "bulk")}
    found = [
        Program("embed", "embed:bulk", bulk_options),
        Program("engine", "implementations:engine", engine),
        Program("nlp.pipe, tens", "embed:pipe_in_tens", {"texts": str(texts)}),
    ]
    if arguments.allennlp:
        write_allennlp(read_native(BUNDLED), folder / "allennlp")
        theirs = {
            "options": str(folder / "allennlp" / "options.json"),
            "weights": str(folder / "allennlp" / "weights.hdf5"),
            "sentences": str(sentences),
            "batch_size": TOGETHER,
        }
        target = "implementations:allennlp"
        found.append(Program("AllenNLP, tens", target, theirs, arguments.allennlp))
    return found


def bulk(texts: str, output: str) -> Run:
    """`embed` from a file into a fresh folder."""

    def run() -> Any:
        shutil.rmtree(output, ignore_errors=True)
        return embed(texts, output, nlp=nlp, options=Options())

    nlp = spacy.blank("en")
    nlp.add_pipe("elmo")
    return run


def pipe_in_tens(texts: str) -> Run:
    """`nlp.pipe` called with ten texts, again and again, and the vector of each."""
    nlp = spacy.blank("en")
    nlp.add_pipe("elmo")
    documents = Path(texts).read_text(encoding="utf8").splitlines()

    def run() -> Any:
        for i in range(0, len(documents), TOGETHER):
            for doc in nlp.pipe(documents[i : i + TOGETHER]):
                assert doc.vector is not None

    return run


def make_documents(text: Path | None, n: int) -> list[str]:
    """Pieces of a text, or of random sentences, of about 50 characters.

    The text is repeated if it is too short.
    """
    if text is None:
        words = chain.from_iterable(random_sentences(n * 12 // 19 + 1))
    else:
        data = text.read_bytes()
        data = gzip.decompress(data) if text.suffix == ".gz" else data
        words = cycle(data.decode("utf8").split())
    return list(islice(_pieces(words), n))


def _pieces(words: Iterator[str]) -> Iterator[str]:
    piece: list[str] = []
    n_characters = 0
    for word in words:
        piece.append(word)
        n_characters += len(word) + 1
        if n_characters >= CHARACTERS:
            yield " ".join(piece)
            piece, n_characters = [], 0


def write_documents(path: Path, documents: list[str]) -> Path:
    """A line each."""
    path.write_text("".join(f"{text}\n" for text in documents), encoding="utf8")
    return path


def memory_now() -> float:
    """RETURNS (float): MB that this process has in memory."""
    status = Path("/proc/self/status").read_text(encoding="utf8")
    return int(status.split("VmRSS:")[1].split()[0]) / 1024


def parse_arguments() -> argparse.Namespace:
    """RETURNS (Namespace): The options."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--text", type=Path, help="raw text, also gzip")
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument("--compared", type=int, default=3000)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--passes", type=int, default=5)
    parser.add_argument("--allennlp", help="an interpreter that imports AllenNLP")
    parser.add_argument("--output", type=Path, help="a JSON file for the figures")
    return parser.parse_args()


if __name__ == "__main__":
    main()
