"""scripts/sts.py: what it measures, and that the page has the figures."""

import json
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from tests.golden_elmo import GOLDEN

pytest.importorskip("pyarrow")

ROOT = Path(__file__).parents[2]
NOUNS = ["dog", "cat", "ship", "tree", "king", "song", "road", "lamp"]
VERBS = ["sees", "likes", "finds", "hears", "draws"]


def run(*arguments: object) -> str:
    command = [sys.executable, ROOT / "scripts" / "sts.py", *map(str, arguments)]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    return result.stdout


def write_sets(folder: Path) -> None:
    """Texts whose likeness is that of their words, and judgements that say so."""
    texts = [f"The {a} {v} the {b}." for a in NOUNS for b in NOUNS[:4] for v in VERBS]
    rows = []
    for first, second in zip(texts[::3], texts[1::3]):
        shared = len(set(first.split()) & set(second.split()))
        rows.append(f"{shared}.0\t{first}\t{second}\tgenre\n")
    (folder / "stsbenchmark").mkdir()
    (folder / "stsbenchmark" / "dev.tsv").write_text("".join(rows))
    (folder / "stsbenchmark" / "train.tsv").write_text("".join(rows[::-1]))
    (folder / "lee").mkdir()
    (folder / "lee" / "lee.cor").write_text("\n".join(texts[:9]))
    (folder / "lee" / "lee_background.cor").write_text("\n".join(texts[9:]))
    judgements = np.triu(np.random.default_rng(0).random((9, 9)))
    np.savetxt(folder / "lee" / "similarities0-1.txt", judgements)


def test_it_measures_every_layer_and_pooling(tmp_path: Path) -> None:
    write_sets(tmp_path)
    output = tmp_path / "sts.json"
    run("measure", tmp_path, output, "--weights", GOLDEN / "relu_hw2")
    results = json.loads(output.read_text())
    rows = {(r["vectors"], r["pooling"], r["removed"]): r for r in results["rows"]}
    layers = ("token layer", "biLSTM layer 1", "biLSTM layer 2", "mix")
    for layer in layers:
        for pooling in ("mean", "max", "idf", "sif"):
            # 30 components are more than these vectors are wide.
            assert {(layer, pooling, n) in rows for n in (None, 0, 1, 3, 10)} == {True}
            assert (layer, pooling, 30) not in rows
    assert results["pairs"] == {"stsb": 53, "lee": 36}
    assert results["weights"]["source"] == "weights.hdf5"
    # Words shared by sentences of a length: what the judgements count.
    assert rows["bag of words", "mean", None]["stsb"]["pearson"] > 0.95
    assert rows["token layer", "mean", None]["stsb"]["spearman"] > 0.5
    has_gensim = find_spec("gensim") is not None
    assert (("word2vec", "mean", None) in rows) == has_gensim
    assert ("word2vec" in results["skipped"]) != has_gensim
    assert "| bag of words | mean | " in run("table", output)


def test_the_page_has_the_figures(tmp_path: Path) -> None:
    page = ROOT / "docs" / "similarity.md"
    results = ROOT / "docs" / "results" / "sts.json"
    shutil.copy(page, tmp_path / "page.md")
    run("table", results, tmp_path / "page.md")
    fresh = (tmp_path / "page.md").read_text(encoding="utf8")
    assert fresh == page.read_text(encoding="utf8"), (
        "Run: python scripts/sts.py table docs/results/sts.json docs/similarity.md"
    )
