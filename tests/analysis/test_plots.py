"""Pictures say what was found."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from spacy_elmo import LayerWeights
from spacy_elmo.analysis import plots
from spacy_elmo.analysis.results import Results, Row
from spacy_elmo.analysis.sense_map import OTHER, SenseMap

RESULTS = Results(
    "tag",
    [
        Row("counted", {"accuracy": [0.5], "other": [0.1]}, True),
        Row("biLSTM layer 1", {"accuracy": [0.9, 0.8], "other": [0.1, 0.1]}),
    ],
)
MIXES = [
    LayerWeights("tagger", "", "elmo", (0, 1, 2), (0.2, 0.5, 0.3), 1.5),
    LayerWeights("ner", "elmo_output", "elmo", (1, 2), (0.4, 0.6), 0.5),
]
MAP = SenseMap(
    "line",
    np.arange(16, dtype=np.float32).reshape(2, 4, 2),
    [OTHER, "queue", "queue"],
)


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Any]]:
    """The figures that are saved while a test runs."""
    figures: list[Any] = []
    save = plots._save

    def record(figure: Any, path: Path) -> None:
        figures.append(figure)
        save(figure, path)

    monkeypatch.setattr(plots, "_save", record)
    yield figures


def texts_of(axes: Any) -> list[str]:
    return [text.get_text() for text in axes.texts]


def test_results_are_bars_of_the_first_column(tmp_path: Path, drawn: list[Any]) -> None:
    plots.plot_results(RESULTS, tmp_path / "new" / "a.png")
    assert (tmp_path / "new" / "a.png").read_bytes()[:4] == b"\x89PNG"
    (axes,) = drawn[0].axes
    assert axes.get_xlabel() == "tag: accuracy, %"
    assert [t.get_text() for t in axes.get_yticklabels()] == [
        "counted",
        "biLSTM layer 1",
    ]
    assert texts_of(axes) == ["50.0", "85.0"]
    assert [bar.get_width() for bar in axes.patches] == pytest.approx([50, 85])
    first, second = (bar.get_facecolor() for bar in axes.patches)
    assert first != second


def test_layer_weights_are_a_group_of_bars_a_head(
    tmp_path: Path, drawn: list[Any]
) -> None:
    plots.plot_layer_weights(MIXES, tmp_path / "a.png")
    (axes,) = drawn[0].axes
    assert [t.get_text() for t in axes.get_xticklabels()] == [
        "tagger\nγ = 1.50",
        "ner, output\nγ = 0.50",
    ]
    heights = [[bar.get_height() for bar in bars] for bars in axes.containers]
    assert heights == [[0.2, 0], [0.5, 0.4], [0.3, 0.6]]
    labels = [t.get_text() for t in axes.get_legend().get_texts()]
    assert labels == ["token layer", "biLSTM layer 1", "biLSTM layer 2"]


def test_a_map_is_a_panel_a_layer_and_a_colour_a_sense(
    tmp_path: Path, drawn: list[Any]
) -> None:
    plots.plot_senses(MAP, tmp_path / "a.png")
    first, second = drawn[0].axes
    assert first.get_title() == "“line”, biLSTM layer 1"
    assert second.get_title() == "“line”, biLSTM layer 2"
    labels = [t.get_text() for t in drawn[0].legends[0].get_texts()]
    assert labels == ["queue (2)", "other senses (1)", "your sentence"]
    queue, other, star = first.collections
    assert queue.get_offsets().tolist() == [[2, 3], [4, 5]]
    assert other.get_offsets().tolist() == [[0, 1]]
    assert star.get_offsets().tolist() == [[6, 7]]


@pytest.mark.parametrize(
    "draw, content",
    [
        (plots.plot_results, RESULTS),
        (plots.plot_layer_weights, MIXES),
        (plots.plot_senses, MAP),
    ],
)
def test_without_matplotlib(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, draw: Any, content: Any
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r"spacy-elmo\[plots\]"):
        draw(content, tmp_path / "a.png")
