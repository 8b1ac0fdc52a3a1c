"""The pictures of docs/results.md."""

from collections.abc import Callable
from pathlib import Path

import pytest
from experiments.paper import COMPARED
from experiments.pictures import LOOKS, plot_costs, plot_efficiency

from .util import record, write_results

pytest.importorskip("matplotlib")


@pytest.mark.parametrize("plot", [plot_costs, plot_efficiency])
def test_a_picture_is_drawn(plot: Callable[[Path, Path], None], tmp_path: Path) -> None:
    results = write_results(
        tmp_path / "results.jsonl",
        record("cnn", 0.90, 0.60),
        record("enhanced", 0.95, 0.70),
        record("cnn-10", 0.80, 0.40),
        record("enhanced-10", 0.85, 0.52),
        cnn=1000,
        enhanced=700,
    )
    plot(results, tmp_path / "picture.png")
    assert (tmp_path / "picture.png").read_bytes().startswith(b"\x89PNG")


def test_every_row_that_is_compared_in_full_has_a_look_of_its_own() -> None:
    assert set(LOOKS) == set(COMPARED) - {"minilm"}
    assert len(set(LOOKS.values())) == len(LOOKS)
