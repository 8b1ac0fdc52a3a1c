"""The page about `embed` runs as it stands."""

import re
import shlex
from pathlib import Path

import pytest
from spacy.cli import app
from typer.testing import CliRunner

import spacy_elmo.cli  # noqa: F401  (adds the commands)

from .util import write_jsonl

PAGE = Path(__file__).parents[2] / "docs" / "embedding.md"
COMMAND = "python -m spacy "


def test_commands_and_code_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
):
    pytest.importorskip("pyarrow")
    monkeypatch.chdir(tmp_path)
    write_jsonl(Path("documents.jsonl"), [f"He sat on bank {i}." for i in range(20)])
    page = PAGE.read_text(encoding="utf8")
    lines = [line for line in page.splitlines() if line.startswith(COMMAND)]
    assert len(lines) >= 3
    for line in lines:
        arguments = shlex.split(line.removeprefix(COMMAND))
        result = CliRunner().invoke(app, arguments)
        assert result.exit_code == 0, result.output
    capsys.readouterr()
    namespace: dict = {}
    for block in re.findall(r"```python\n(.*?)```", page, flags=re.DOTALL):
        exec(compile(block, str(PAGE), "exec"), namespace)
    assert capsys.readouterr().out.splitlines() == [
        "20 d17 (256,) He sat on bank 17.",
        "20 0",
        "(2, 256)",
    ]
