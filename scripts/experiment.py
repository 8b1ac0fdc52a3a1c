"""Train, test and compare pipelines with and without ELMo, run by run.

    python scripts/experiment.py run CORPUS RESULTS WORK --rows cnn,enhanced
    python scripts/experiment.py speed CORPUS RESULTS WORK
    python scripts/experiment.py table RESULTS

A run is a row and a seed. It trains with the constants of its config, keeps the model
that is best on CORPUS/dev.spacy, and adds a line to RESULTS with its scores on
CORPUS/test.spacy. Runs that stand in RESULTS with the same config, corpus and weights
are skipped, so that work can go on another day. Speed is measured apart, all rows in
turns, because machines have slow spells.
"""

import argparse
import json
import os
import shutil
import statistics
import time
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import spacy
from spacy.cli.evaluate import evaluate
from spacy.cli.train import train
from spacy.util import load_config

from spacy_elmo import layer_weights
from spacy_elmo.weights.loaders import BUNDLED

CONFIGS = Path(__file__).parent.parent / "configs"
Overrides = dict[str, Any]


class Row(NamedTuple):
    """One line of the table: a config and what is changed in it."""

    label: str
    config: str
    overrides: Overrides = {}


def _mixes(**settings: Any) -> Overrides:
    """Settings for the mixes of both heads."""
    path = "components.{}.model.tok2vec.elmo_input.mix.{}"
    return {
        path.format(head, name): value
        for head in ("tagger", "ner")
        for name, value in settings.items()
    }


ROWS = {
    "cnn": Row("HashEmbedCNN", "tagger_ner_cnn"),
    "elmo": Row("ELMo alone", "tagger_ner_elmo"),
    "enhanced": Row("HashEmbedCNN + ELMo", "tagger_ner_enhanced"),
    "top": Row(
        "… top layer only",
        "tagger_ner_enhanced",
        _mixes(weights=[0.0, 0.0, 1.0], train_weights=False),
    ),
    "uniform": Row("… uniform mix", "tagger_ner_enhanced", _mixes(train_weights=False)),
    "finetuned": Row("… fine-tuned", "tagger_ner_finetuned"),
}
BASELINE = "cnn"


def run(
    corpus: Path, results: Path, work: Path, key: str, seed: int, extra: Overrides
) -> None:
    """Train and test one row with one seed, and add the result, unless it is there."""
    row, output = ROWS[key], work / "models" / f"{key}-{seed}"
    path = CONFIGS / f"{row.config}.cfg"
    overrides = {
        "paths.train": str(corpus / "train.spacy"),
        "paths.dev": str(corpus / "dev.spacy"),
        "system.seed": seed,
        **row.overrides,
        **extra,
    }
    if "layer_cache" in load_config(path)["paths"]:
        overrides["paths.layer_cache"] = str(work / "layers.db")
    inputs = _fingerprint(path, overrides, corpus)
    if (key, seed, inputs) in [
        (r["row"], r["seed"], r["inputs"]) for r in read(results)
    ]:
        return
    start = time.time()
    partial = output.with_name(f"{output.name}-{os.getpid()}")
    train(path, partial, overrides=overrides)
    shutil.rmtree(output, ignore_errors=True)
    partial.rename(output)
    seconds = time.time() - start
    scores = evaluate(str(output / "model-best"), corpus / "test.spacy", silent=True)
    record = {"row": key, "seed": seed, "inputs": inputs, "seconds": round(seconds)}
    record |= {name: scores[name] for name in ("tag_acc", "ents_f")}
    record |= _learned(output / "model-best")
    with results.open("a", encoding="utf8") as file:
        file.write(json.dumps(record) + "\n")


def _fingerprint(config: Path, overrides: Overrides, corpus: Path) -> str:
    """Stands for all that a run depends on, save the code."""
    settings = load_config(config, overrides=overrides, interpolate=True)
    digest = sha256(settings.to_str().encode("utf8"))
    if "elmo" in settings["components"]:
        digest.update((BUNDLED / "weights.safetensors").read_bytes())
    for split in ("train", "dev", "test"):
        digest.update((corpus / f"{split}.spacy").read_bytes())
    return digest.hexdigest()[:12]


def _learned(model: Path) -> dict[str, Any]:
    nlp = spacy.load(model)
    heads = layer_weights(nlp)
    weights = {
        mix.component: [round(w, 3) for w in (*mix.weights, mix.gamma)] for mix in heads
    }
    source = nlp.get_pipe("elmo").provenance["source"] if heads else None  # type: ignore[attr-defined]
    return {"weights": source, "learned": weights}


def read(results: Path) -> list[dict[str, Any]]:
    """The runs that are done; of one row and seed, the last."""
    if not results.is_file():
        return []
    lines = results.read_text(encoding="utf8").splitlines()
    records = [json.loads(line) for line in lines]
    return list({(r["row"], r["seed"]): r for r in records}.values())


def measure_speed(corpus: Path, results: Path, work: Path, rounds: int = 3) -> None:
    """Let the first model of each row tag the test text in turns, and keep medians.

    Rows without a model in `work` keep the figures they have.
    """
    found = {
        r["row"]: work / "models" / f"{r['row']}-{r['seed']}" / "model-best"
        for r in reversed(read(results))
    }
    models = {row: path for row, path in found.items() if path.is_dir()}
    speeds: dict[str, list[float]] = {row: [] for row in models}
    for _ in range(rounds):
        for row, path in models.items():
            scores = evaluate(str(path), corpus / "test.spacy", silent=True)
            speeds[row].append(scores["speed"])
    medians = {row: round(statistics.median(s)) for row, s in speeds.items()}
    text = json.dumps(_speeds(results) | medians, indent=2)
    _speeds_path(results).write_text(text + "\n", encoding="utf8")


def _speeds(results: Path) -> dict[str, int]:
    path = _speeds_path(results)
    return json.loads(path.read_text(encoding="utf8")) if path.is_file() else {}


def _speeds_path(results: Path) -> Path:
    return results.with_suffix(".speed.json")


def table(results: Path) -> Iterator[str]:
    """The lines of a Markdown table: mean ± standard deviation over the seeds."""
    records, speeds = read(results), _speeds(results)
    yield (
        "| | seeds | tags | error | entities F1 | error | tokens/s "
        "| learned: tagger | learned: NER |"
    )
    yield "|---|---|---|---|---|---|---|---|---|"
    base = [record for record in records if record["row"] == BASELINE]
    for key, row in ROWS.items():
        runs = [record for record in records if record["row"] == key]
        if not runs:
            continue
        cells = [row.label, ", ".join(str(r["seed"]) for r in runs)]
        for score in ("tag_acc", "ents_f"):
            values = [100 * r[score] for r in runs]
            cells += [_spread(values), _reduction(values, base, score)]
        cells.append(f"{speeds[key]:,}" if key in speeds else "")
        cells += [_mean_weights(runs, head) for head in ("tagger", "ner")]
        yield "| " + " | ".join(cells) + " |"


def _spread(values: list[float]) -> str:
    mean = statistics.mean(values)
    return (
        f"{mean:.2f} ± {statistics.stdev(values):.2f}" if values[1:] else f"{mean:.2f}"
    )


def _reduction(values: list[float], base: list[dict[str, Any]], score: str) -> str:
    """The change of the error against the baseline, in percent of it."""
    if not base:
        return ""
    error = 100 - statistics.mean(100 * r[score] for r in base)
    change = (100 - statistics.mean(values)) / error - 1
    return f"{100 * change:+.1f} %" if abs(change) > 1e-9 else ""


def _mean_weights(runs: list[dict[str, Any]], head: str) -> str:
    """Effective layer weights, and gamma after the ×."""
    learned = [r["learned"][head] for r in runs if head in r["learned"]]
    if not learned:
        return ""
    *weights, gamma = (statistics.mean(values) for values in zip(*learned))
    return " ".join(f"{w:.2f}" for w in weights) + f" × {gamma:.2f}"


def main() -> None:
    """Run what is missing, or print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    runs = commands.add_parser("run", help="train and test what is missing")
    runs.add_argument("corpus", type=Path, help="folder of train, dev and test.spacy")
    runs.add_argument("results", type=Path, help="JSON lines, one a run")
    runs.add_argument("work", type=Path, help="folder for models and the layer cache")
    runs.add_argument("--rows", default=",".join(ROWS), help="which, by commas")
    runs.add_argument("--seeds", default="0,1,2", help="which, by commas")
    runs.add_argument("--max-steps", type=int, help="instead of the config's")
    runs.add_argument("--eval-frequency", type=int, help="instead of the config's")
    speed = commands.add_parser("speed", help="measure tokens a second, in turns")
    speed.add_argument("corpus", type=Path, help="folder with test.spacy")
    speed.add_argument("results", type=Path, help="JSON lines, one a run")
    speed.add_argument("work", type=Path, help="folder of the models")
    tables = commands.add_parser("table", help="print a Markdown table")
    tables.add_argument("results", type=Path, help="JSON lines, one a run")
    arguments = parser.parse_args()
    if arguments.command == "table":
        print("\n".join(table(arguments.results)))
        return
    if arguments.command == "speed":
        measure_speed(arguments.corpus, arguments.results, arguments.work)
        return
    given = ("max_steps", "eval_frequency")
    values = {f"training.{name}": getattr(arguments, name) for name in given}
    extra = {name: value for name, value in values.items() if value is not None}
    paths = (arguments.corpus, arguments.results, arguments.work)
    arguments.results.parent.mkdir(parents=True, exist_ok=True)
    for seed in map(int, arguments.seeds.split(",")):
        for key in arguments.rows.split(","):
            run(*paths, key, seed, extra)


if __name__ == "__main__":
    main()
