"""scripts/plot_map.py: documents as points."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.similarity.util import random_vectors, write_vectors

pytest.importorskip("matplotlib")

SCRIPT = Path(__file__).parents[2] / "scripts" / "plot_map.py"


@pytest.mark.parametrize("most, expected", [(5000, 28), (10, 10)])
def test_a_picture_is_drawn(tmp_path: Path, most: int, expected: int) -> None:
    rows = [*random_vectors(28), None, [0] * 16] if most > 30 else random_vectors(30)
    ids = [f"topic-{i % 3}-{i}" for i in range(30)]
    write_vectors(tmp_path / "vectors", rows, ids=ids, shard_rows=7)
    picture = tmp_path / "maps" / "map.png"
    command = [sys.executable, SCRIPT, tmp_path / "vectors", picture]
    options = ["--max-points", str(most)]
    result = subprocess.run([*command, *options], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    assert f"{expected} documents" in result.stdout
    assert picture.read_bytes().startswith(b"\x89PNG")
