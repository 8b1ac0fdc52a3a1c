"""The paper's tables beside ours."""

import json
from pathlib import Path

import pytest
from experiment import page_tables
from experiments import paper

from .util import CURVE, record, write_results

ROOT = Path(__file__).parents[3]


@pytest.fixture
def results(tmp_path: Path) -> Path:
    return write_results(
        tmp_path / "results.jsonl",
        record("cnn", 0.90, 0.60),
        record("enhanced", 0.95, 0.70),
        record("top", 0.94, 0.65),
        record("cnn-10", 0.80, 0.40),
        record("enhanced-10", 0.85, 0.52),
        record("minilm", 0.96, 0.75, cpu_seconds=1234.4),
        minilm=567,
    )


def test_weighting(results: Path) -> None:
    assert list(paper.weighting(results))[2:] == [
        "| no ELMo | 0 | 90.00 | 60.00 | 80.8, 88.1, 81.6 |",
        "| last layer only | 0 | 94.00 | 65.00 | 84.7, 89.1, 84.1 |",
        "| all layers, λ = 0 | 0 | 95.00 | 70.00 |  |",
    ]


def test_placement(results: Path) -> None:
    (line,) = list(paper.placement(results))[2:]
    assert line == "| input only | 0 | 95.00 | 70.00 | 85.1, 88.9, 84.7 |"


def test_efficiency(results: Path) -> None:
    assert list(paper.efficiency(results))[2:] == [
        "| 10 % | HashEmbedCNN | 0 | 80.00 |  | 40.00 |  |",
        "| 10 % | HashEmbedCNN + ELMo | 0 | 85.00 | -25.0 % | 52.00 | -20.0 % |",
        "| 100 % | HashEmbedCNN | 0 | 90.00 |  | 60.00 |  |",
        "| 100 % | HashEmbedCNN + ELMo | 0 | 95.00 | -50.0 % | 70.00 | -25.0 % |",
    ]


def test_updates(results: Path) -> None:
    assert list(paper.updates(results))[2:] == [
        "| tags | 0 | 90.00 | 200 | 100 |",
        "| entities F1 | 0 | 60.00 | 300 | never |",
    ]


def test_comparators(results: Path) -> None:
    cnn, enhanced, minilm = list(paper.comparators(results))[2:]
    assert cnn == "| HashEmbedCNN | 0 | 90.00 |  | 60.00 |  |  | 100 |"
    assert minilm.endswith("| 96.00 | -60.0 % | 75.00 | -37.5 % | 567 | 1,234 |")


def test_the_first_of_equal_scores_is_the_best() -> None:
    curve = [*CURVE, [400, 90.0, 0.0]]
    assert paper.best_of({"curve": curve}, 1) == (200, 90.0)


def test_probed(tmp_path: Path) -> None:
    path = tmp_path / "probe.json"
    row = {"name": "biLSTM layer 1", "is_baseline": False}
    scores = {"accuracy": {"mean": 0.9, "sd": None, "values": [0.9]}}
    path.write_text(json.dumps({"task": "tag", "rows": [row | scores]}))
    assert list(paper.probed(path, paper.TAGS)) == [
        "|  | accuracy | the paper |",
        "|---|---|---|",
        "| biLSTM layer 1 | 90.00 | 97.3 |",
    ]


def test_a_page_gets_its_tables_and_keeps_the_rest(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# Title\n<!-- one -->\nold\n<!-- /one -->\nText.\n")
    paper.write_page(page, {"one": ["| new |"]})
    expected = "# Title\n<!-- one -->\n| new |\n<!-- /one -->\nText.\n"
    assert page.read_text() == expected
    with pytest.raises(ValueError, match="<!-- two -->"):
        paper.write_page(page, {"two": []})


def test_the_page_is_fresh(tmp_path: Path) -> None:
    page = ROOT / "docs" / "results.md"
    copy = tmp_path / "results.md"
    copy.write_text(page.read_text(encoding="utf8"), encoding="utf8")
    paper.write_page(copy, page_tables(ROOT / "docs" / "results" / "reproduce.jsonl"))
    assert copy.read_text(encoding="utf8") == page.read_text(encoding="utf8"), (
        "Run: python -m spacy project run reproduce-page"
    )
