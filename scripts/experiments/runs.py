"""A run is a row and a seed: train, test, and add a line to the results."""

import json
import os
import random
import shutil
import sys
import time
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import spacy
from spacy.cli.evaluate import evaluate
from spacy.tokens import DocBin
from spacy.training.initialize import init_nlp
from spacy.training.loop import train
from spacy.util import load_config
from thinc.api import Config, NumpyOps, set_current_ops

from spacy_elmo import layer_weights
from spacy_elmo.weights.loaders import BUNDLED

from .rows import ROWS, Row, Settings

CONFIGS = Path(__file__).parents[2] / "configs"
Record = dict[str, Any]


class Folders(NamedTuple):
    """Where things lie.

    corpus (Path): train.spacy, dev.spacy, test.spacy.
    results (Path): JSON lines, one a run.
    work (Path): Models, samples, and the layers of documents.
    """

    corpus: Path
    results: Path
    work: Path

    def model(self, key: str, seed: int) -> Path:
        """RETURNS (Path): What a run has trained."""
        return self.work / "models" / f"{key}-{seed}"


def run(folders: Folders, key: str, seed: int, extra: Settings) -> None:
    """Train and test one row with one seed, and add the result, unless it is there."""
    row, output = ROWS[key], folders.model(key, seed)
    config = configure(row, folders, seed, extra)
    inputs = fingerprint(config, folders.corpus)
    done = [(r["row"], r["seed"], r["inputs"]) for r in read(folders.results)]
    if (key, seed, inputs) in done:
        return
    if row.share < 1:
        _sample(folders.corpus / "train.spacy", config["paths"]["train"], row, seed)
    # numpy's products take half of BLIS's time here; they differ in rounding alone.
    set_current_ops(NumpyOps(use_blis=False))
    start, cpu = time.time(), time.process_time()
    partial = output.with_name(f"{output.name}-{os.getpid()}")
    curve = _train(config, partial)
    shutil.rmtree(output, ignore_errors=True)
    partial.rename(output)
    record = {"row": key, "seed": seed, "inputs": inputs}
    record["seconds"] = round(time.time() - start)
    record["cpu_seconds"] = round(time.process_time() - cpu)
    test = folders.corpus / "test.spacy"
    scores = evaluate(str(output / "model-best"), test, silent=True)
    record |= {name: scores[name] for name in ("tag_acc", "ents_f")}
    record |= _learned(output / "model-best") | {"curve": curve}
    with folders.results.open("a", encoding="utf8") as file:
        file.write(json.dumps(record) + "\n")


def configure(row: Row, folders: Folders, seed: int, extra: Settings) -> Config:
    """The config of a run, its variables not yet filled in.

    RAISES (SystemExit): Something that the row needs does not lie beside the corpus.
    """
    path = CONFIGS / f"{row.config}.cfg"
    train_path = folders.corpus / "train.spacy"
    if row.share < 1:
        train_path = folders.work / "samples" / f"{row.share}-{seed}.spacy"
    overrides = {
        "paths.train": str(train_path),
        "paths.dev": str(folders.corpus / "dev.spacy"),
        "system.seed": seed,
        **row.overrides,
        **extra,
    }
    if "layer_cache" in load_config(path)["paths"]:
        overrides["paths.layer_cache"] = str(folders.work / "layers.db")
    blocks = dict(row.blocks)
    if row.resource:
        resource = folders.corpus / row.resource
        if not resource.exists():
            raise SystemExit(
                f"{row.label}: needs {resource}; see the commands of the workflow "
                "`reproduce` in project.yml."
            )
        blocks["paths"] = {**blocks.get("paths", {}), row.resource: str(resource)}
    return load_config(path, overrides=overrides).merge(blocks)


def fingerprint(config: Config, corpus: Path) -> str:
    """Stands for all that a run depends on, save the code."""
    settings = config.interpolate()
    digest = sha256(settings.to_str().encode("utf8"))
    if "elmo" in settings["components"]:
        digest.update((BUNDLED / "weights.safetensors").read_bytes())
    for split in ("train", "dev", "test"):
        digest.update((corpus / f"{split}.spacy").read_bytes())
    return digest.hexdigest()[:12]


def _sample(source: Path, target: str, row: Row, seed: int) -> None:
    documents = list(DocBin().from_disk(source).get_docs(spacy.blank("en").vocab))
    n = max(1, round(row.share * len(documents)))
    drawn = random.Random(seed).sample(documents, n)
    Path(target).parent.mkdir(parents=True, exist_ok=True)
    DocBin(docs=drawn, store_user_data=True).to_disk(target)


def _train(config: Config, output: Path) -> list[list[float]]:
    """RETURNS (List[List[float]]): Update, tag accuracy and entity F1 on dev."""
    output.mkdir(parents=True)
    log = output / "log.jsonl"
    config["training"]["logger"] = {
        "@loggers": "spacy.ConsoleLogger.v3",
        "console_output": True,
        "output_file": str(log),
    }
    train(init_nlp(config), output, stdout=sys.stdout, stderr=sys.stderr)
    lines = map(json.loads, log.read_text(encoding="utf8").splitlines())
    return [
        [line["step"], line["scores"]["tag_acc"], line["scores"]["ents_f"]]
        for line in lines
    ]


def _learned(model: Path) -> Record:
    nlp = spacy.load(model)
    heads = layer_weights(nlp)
    weights = {
        mix.component: [round(w, 3) for w in (*mix.weights, mix.gamma)] for mix in heads
    }
    source = nlp.get_pipe("elmo").provenance["source"] if heads else None  # type: ignore[attr-defined]
    return {"weights": source, "learned": weights}


def read(results: Path) -> list[Record]:
    """The runs that are done; of one row and seed, the last."""
    if not results.is_file():
        return []
    records = map(json.loads, results.read_text(encoding="utf8").splitlines())
    return list({(r["row"], r["seed"]): r for r in records}.values())


def by_row(records: Iterable[Record]) -> dict[str, list[Record]]:
    """The runs of each row, in the order of `ROWS`, then of the seeds."""
    ordered = sorted(records, key=_seed_of)
    return {key: [r for r in ordered if r["row"] == key] for key in ROWS}


def _seed_of(record: Record) -> int:
    return int(record["seed"])
