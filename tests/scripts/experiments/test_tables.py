"""The table of README."""

from pathlib import Path

from experiments.tables import comparison

from .util import record, write_results


def test_comparison(tmp_path: Path) -> None:
    results = write_results(
        tmp_path / "results.jsonl",
        record("cnn", 0.92, 0.60, seed=1),
        record("cnn", 0.90, 0.60),
        record("enhanced", 0.955, 0.56),
        record("enhanced", 0.955, 0.58),
        cnn=1000,
    )
    _, _, cnn, enhanced = comparison(results)
    assert "| 0, 1 | 91.00 ± 1.41 |  | 60.00 ± 0.00 |  | 1,000 |" in cnn
    assert "| 0 | 95.50 | -50.0 % | 58.00 | +5.0 % |  |" in enhanced
    assert "0.20 0.30 0.50 × 1.50 | 0.10 0.10 0.80 × 1.00 |" in enhanced
