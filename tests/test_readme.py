"""README's own code runs, and its project tables are fresh."""

import re
import shutil
from pathlib import Path

import pytest
from spacy.cli import app
from spacy.util import load_model_from_config
from thinc.api import Config
from typer.testing import CliRunner

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf8")


def test_python_blocks_run_in_order(capsys: pytest.CaptureFixture) -> None:
    blocks = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
    assert len(blocks) >= 4
    namespace: dict = {}
    for block in blocks:
        exec(compile(block, "README.md", "exec"), namespace)
    printed = capsys.readouterr().out.splitlines()
    assert printed[0] == "(256,)"
    assert 0 < float(printed[1]) < 1
    assert printed[2] == "(3, 9, 256)"
    assert printed[4] == "(256,) 0.0"
    assert float(printed[5]) == pytest.approx(float(printed[1]), abs=1e-5)


def test_the_config_makes_a_pipeline() -> None:
    (block, *_) = re.findall(r"```ini\n(.*?)```", README, flags=re.DOTALL)
    nlp = load_model_from_config(Config().from_str(block), auto_fill=True)
    assert nlp.pipe_names == ["elmo", "tagger"]
    assert nlp.get_pipe("elmo").listening_components == ["tagger"]


def test_project_tables_are_fresh(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copy(ROOT / "project.yml", tmp_path)
    shutil.copy(ROOT / "README.md", tmp_path)
    (tmp_path / "assets").mkdir()
    monkeypatch.chdir(tmp_path)
    command = ["project", "document", ".", "--output", "README.md"]
    result = CliRunner().invoke(app, command)
    assert result.exit_code == 0, result.output
    fresh = (tmp_path / "README.md").read_text(encoding="utf8")
    assert fresh == README, "Run: python -m spacy project document --output README.md"
