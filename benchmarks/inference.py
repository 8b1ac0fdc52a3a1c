"""How fast the engine is: against the machine's arithmetic, and against AllenNLP.

    python benchmarks/inference.py [--text FILE] [--sizes bundled,small,official]
        [--batches 0,1,32] [--sentences 512] [--threads 2] [--passes 5]
        [--allennlp PYTHON] [--device cuda] [--output FILE]

Everything runs in turns, each program in a process of its own; figures are medians.
Batch size 0 hands over all sentences, batched by length as the component does; 1 takes
an eighth of them. Each pass of the engine begins without kept words, but for
"engine, kept". PYTHON is an interpreter that can import AllenNLP 2.10.1; it
reads the same weights on the processor, once plainly and once with every word cached in
advance. Weights but the bundled ones are random, of the published sizes.
"""

import argparse
import json
import tempfile
from pathlib import Path
from typing import Any

import torch
from sentences import random_sentences, read_sentences
from side_by_side import Figures, Program, measure

from spacy_elmo.bilm import BiLM, BiLMConfig, Weights
from spacy_elmo.weights.allennlp_export import write_allennlp
from spacy_elmo.weights.loaders import BUNDLED
from spacy_elmo.weights.native import read_native

FILTERS = ((1, 32), (2, 32), (3, 64), (4, 128), (5, 256), (6, 512), (7, 1024))
CLIPS: dict[str, Any] = {"filters": FILTERS, "cell_clip": 3.0, "projection_clip": 3.0}
SIZES = {
    "bundled": None,
    "small": BiLMConfig(n_highway=1, cell_dim=1024, projection_dim=128, **CLIPS),
    "official": BiLMConfig(n_highway=2, cell_dim=4096, projection_dim=512, **CLIPS),
}
#: The matrix product whose rate stands for what the machine can do.
GEMM = {"rows": 512, "width": 512, "columns": 4096, "repeats": 20}
#: As many numbers as the recurrent weights of the original size.
READING = {"floats": 42_000_000, "repeats": 4}


def main() -> None:
    """Measure and print."""
    arguments = parse_arguments()
    rows = []
    with tempfile.TemporaryDirectory() as name:
        for size in arguments.sizes.split(","):
            folder = Path(name) / size
            weights = make_weights(size)
            write_allennlp(weights, folder)
            for batch_size in map(int, arguments.batches.split(",")):
                rows += run(arguments, size, weights.config, folder, batch_size)
                print(json.dumps(rows[-1]), flush=True)
    print(to_table(rows))
    if arguments.output:
        arguments.output.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf8")


def make_weights(size: str) -> Weights:
    """The bundled weights, or random ones."""
    config = SIZES[size]
    if config is None:
        return read_native(BUNDLED)
    torch.manual_seed(0)
    return Weights(config, BiLM(config).state_dict(), None, {})


def run(
    arguments: argparse.Namespace,
    size: str,
    config: BiLMConfig,
    folder: Path,
    batch_size: int,
) -> list[dict[str, Any]]:
    """All programs on one size of network and of batch."""
    n = max(1, arguments.sentences // (8 if batch_size == 1 else 1))
    text = arguments.text
    texts = read_sentences(text, n) if text else random_sentences(n)
    path = folder / "sentences.json"
    path.write_text(json.dumps(texts), encoding="utf8")
    measured = measure(
        programs(arguments, folder, path, batch_size),
        passes=arguments.passes,
        threads=arguments.threads,
    )
    gemm = 2 * GEMM["rows"] * GEMM["width"] * GEMM["columns"] * GEMM["repeats"]
    read = 4 * READING["floats"] * READING["repeats"]
    n_tokens = sum(map(len, texts))
    common = {
        "size": size,
        "batch": batch_size,
        "threads": arguments.threads,
        "sentences": len(texts),
        "tokens": n_tokens,
        "gemm_gflops": round(gemm / measured.pop("gemm").seconds / 1e9),
        "linear_gflops": round(gemm / measured.pop("F.linear").seconds / 1e9),
        "read_gb_per_second": round(read / measured.pop("reading").seconds / 1e9, 1),
    }
    return [
        {**common, **describe(label, figures, n_tokens, config)}
        for label, figures in measured.items()
    ]


def programs(
    arguments: argparse.Namespace, folder: Path, sentences: Path, batch_size: int
) -> list[Program]:
    """Ours with and without kept words, what the machine can do, and AllenNLP."""
    on = {"device": arguments.device}
    ours = {
        "weights": str(folder),
        "sentences": str(sentences),
        "batch_size": batch_size,
        **on,
    }
    engine = "implementations:engine"
    low = ("bfloat16", "int8") if arguments.device == "cpu" else ("bfloat16",)
    found = [
        Program("engine", engine, ours),
        Program("engine, kept", engine, {**ours, "keeps_words": True}),
        *(Program(p, engine, {**ours, "precision": p}) for p in low),
        Program("gemm", "implementations:gemm", {**GEMM, **on}),
        Program("F.linear", "implementations:plain_gemm", {**GEMM, **on}),
        Program("reading", "implementations:reading", {**READING, **on}),
    ]
    if arguments.allennlp:
        theirs = {
            "options": str(folder / "options.json"),
            "weights": str(folder / "weights.hdf5"),
            "sentences": str(sentences),
            "batch_size": batch_size or 32,
        }
        for label, cache in (("AllenNLP", False), ("AllenNLP, cached", True)):
            options = {**theirs, "cache": cache}
            target = "implementations:allennlp"
            found.append(Program(label, target, options, arguments.allennlp))
    return found


def recurrent_weights(config: BiLMConfig) -> int:
    """Numbers by which the steps of one token multiply, in all layers."""
    width, cell = config.projection_dim, config.cell_dim
    weights = 4 * cell * width + (0 if cell == width else cell * width)
    return 2 * config.n_layers * weights


def lstm_operations(config: BiLMConfig) -> int:
    """Floating-point operations of the LSTMs for one token."""
    inputs = 2 * config.n_layers * 4 * config.cell_dim * config.projection_dim
    return 2 * (inputs + recurrent_weights(config))


def describe(
    label: str, figures: Figures, n_tokens: int, config: BiLMConfig
) -> dict[str, float | str]:
    """RETURNS (Dict): Rates of one program; `gflops` are those of the LSTMs alone, and
    `gb_per_second` what reads each recurrent weight once a token.
    """
    work, weights = lstm_operations(config), 4 * recurrent_weights(config)
    rate = n_tokens / figures.seconds
    return {
        "program": label,
        "tokens_per_second": round(rate),
        "tokens_per_cpu_second": round(n_tokens / figures.cpu_seconds),
        "gflops": round(rate * work / 1e9),
        "gb_per_second": round(rate * weights / 1e9, 1),
        "peak_mb": round(figures.peak_mb),
    }


def to_table(rows: list[dict[str, Any]]) -> str:
    """RETURNS (str): Markdown; the ratio is to AllenNLP, where it was measured."""
    plain = {
        (r["size"], r["batch"]): r["tokens_per_second"]
        for r in rows
        if r["program"] == "AllenNLP"
    }
    lines = [
        "| size | sentences a call | | tokens/s | to AllenNLP | LSTM GFLOP/s | "
        "of the product's | of reading's | MB |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for r in rows:
        theirs = plain.get((r["size"], r["batch"]))
        ratio = f"{r['tokens_per_second'] / theirs:.1f}" if theirs else ""
        share = f"{r['gflops'] / r['gemm_gflops']:.0%}"
        alone = r["batch"] == 1 and r["program"].startswith("engine")
        read = f"{r['gb_per_second'] / r['read_gb_per_second']:.0%}" if alone else ""
        cells = [r["size"], r["batch"] or "all", r["program"]]
        cells += [
            f"{r['tokens_per_second']:,}",
            ratio,
            r["gflops"],
            share,
            read,
            r["peak_mb"],
        ]
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    return "\n".join(lines)


def parse_arguments() -> argparse.Namespace:
    """RETURNS (Namespace): The options."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--text", type=Path, help="CoNLL-U or tokenized lines")
    parser.add_argument("--sizes", default="bundled,small,official")
    parser.add_argument("--batches", default="0,1,32")
    parser.add_argument("--sentences", type=int, default=512)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--passes", type=int, default=5)
    parser.add_argument("--allennlp", help="an interpreter that imports AllenNLP")
    parser.add_argument("--device", default="cpu", help="of ours: cpu or cuda")
    parser.add_argument("--output", type=Path, help="a JSON file for the figures")
    return parser.parse_args()


if __name__ == "__main__":
    main()
