"""docs/similarity.md: its code runs, on the sample documents."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "similarity.md").read_text(encoding="utf8")


def test_the_python_block_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    (block,) = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)
    (tmp_path / "assets").symlink_to(ROOT / "assets")
    monkeypatch.chdir(tmp_path)
    exec(compile(block, "similarity.md", "exec"), {})
    first, *_ = capsys.readouterr().out.splitlines()
    id, score, text = first.split(maxsplit=2)
    assert re.fullmatch(r"\w+-\d\d", id) and 0.5 < float(score) < 1
    assert text in (ROOT / "assets/search/documents.jsonl").read_text(encoding="utf8")
