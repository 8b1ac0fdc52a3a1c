"""What fewer bits cost: trained pipelines, tested in each precision."""

import json
from collections.abc import Iterator
from typing import Any, get_args

import spacy
from spacy.training import Corpus

from spacy_elmo.bilm.product import Precision

from .rows import ROWS
from .runs import Folders, read
from .tables import SCORES, line

Scores = dict[str, dict[str, float]]


def measure_precision(folders: Folders) -> Iterator[str]:
    """Test the models with ELMo that lie in the work folder; keep and show the scores.

    YIELDS (str): The lines of a Markdown table: float32, and the change of the others.
    """
    measured: dict[str, Scores] = {}
    yield "| | seed | precision | tags | entities F1 |"
    yield "|---|---|---|---|---|"
    for record in read(folders.results):
        key, seed = record["row"], record["seed"]
        model = folders.model(key, seed) / "model-best"
        if not record["learned"] or not model.is_dir():
            continue
        scores: Scores = {}
        for precision in get_args(Precision):
            scores[precision] = _test(model, precision, folders)
            shown = _cells(scores["float32"], scores[precision], precision)
            yield line(ROWS[key].label, str(seed), *shown)
        measured[f"{key}-{seed}"] = scores
    path = folders.results.with_suffix(".precision.json")
    path.write_text(json.dumps(measured, indent=1) + "\n", encoding="utf8")


def _test(model: Any, precision: str, folders: Folders) -> dict[str, float]:
    nlp = spacy.load(model, config={"components.elmo.model.precision": precision})
    examples = list(Corpus(folders.corpus / "test.spacy")(nlp))
    scores = nlp.evaluate(examples)
    return {name: 100 * scores[name] for name in SCORES}


def _cells(exact: dict[str, float], scores: dict[str, float], name: str) -> list[str]:
    if scores is exact:
        return [name, *(f"{scores[score]:.2f}" for score in SCORES)]
    return [name, *(f"{scores[score] - exact[score]:+.2f}" for score in SCORES)]
