"""Figures reach TensorBoard where it is asked for."""

import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from spacy_elmo.pretraining.metrics import TensorBoard
from spacy_elmo.pretraining.session import pretrain

from .util import make_config, make_sentences, write_text

MODULE = "torch.utils.tensorboard"


class Writer:
    """Stands in for SummaryWriter, which the tests do not need installed."""

    made: list["Writer"] = []

    def __init__(self, folder: str, purge_step: int | None = None) -> None:
        self.folder, self.purge_step = folder, purge_step
        self.points: list[tuple[str, float, int]] = []
        self.made.append(self)

    def add_scalar(self, name: str, value: float, step: int) -> None:
        self.points.append((name, value, step))

    def flush(self) -> None:
        pass


@pytest.fixture()
def writers(monkeypatch: pytest.MonkeyPatch) -> list[Writer]:
    module: Any = ModuleType(MODULE)
    module.SummaryWriter = Writer
    monkeypatch.setitem(sys.modules, MODULE, module)
    monkeypatch.setattr(Writer, "made", [])
    return Writer.made


def test_every_figure_is_a_curve(tmp_path: Path, writers: list[Writer]):
    text = write_text(tmp_path / "text.txt", make_sentences(20))
    folder = str(tmp_path / "board")
    config = make_config(text, text, max_steps=2, tensorboard=folder)
    pretrain(config, tmp_path / "out")
    (writer,) = writers
    assert (writer.folder, writer.purge_step) == (folder, None)
    steps = {name: [s for n, _, s in writer.points if n == name] for name in CURVES}
    assert steps == CURVES
    assert all(value == value for _, value, _ in writer.points)


CURVES = {
    "training/training_loss": [1, 2],
    "training/learn_rate": [1, 2],
    "training/tokens_per_second": [1, 2],
    "evaluation/average": [2],
    "evaluation/oov_rate": [2],
}


def test_a_resumed_training_hides_what_it_writes_again(writers: list[Writer]):
    board = TensorBoard("folder")
    board.cut_after(7)
    board.write({"kind": "training", "step": 8, "training_loss": 1.0})
    (writer,) = writers
    assert writer.purge_step == 8
    assert writer.points == [("training/training_loss", 1.0, 8)]


def test_without_the_package_the_error_names_the_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setitem(sys.modules, MODULE, None)
    text = write_text(tmp_path / "text.txt", make_sentences(3))
    config = make_config(text, tensorboard="board")
    with pytest.raises(ImportError, match=r"spacy-elmo\[tensorboard\]"):
        pretrain(config, tmp_path / "out")
    assert not (tmp_path / "out").exists()
