"""Checkpoints survive what happens to files."""

from pathlib import Path

import pytest
import torch

from spacy_elmo.pretraining.checkpoints import Checkpoints


def make_checkpoints(folder: Path, steps: range) -> Checkpoints:
    checkpoints = Checkpoints(folder, keep=2)
    for step in steps:
        checkpoints.save(step, {"step": step, "tensor": torch.arange(1000)})
    return checkpoints


def test_the_newest_are_kept_and_the_newest_is_read(tmp_path: Path):
    checkpoints = make_checkpoints(tmp_path, range(1, 5))
    assert [p.name for p in checkpoints.paths()] == [
        "step-000000003.pt",
        "step-000000004.pt",
    ]
    assert checkpoints.load(pytest.fail)["step"] == 4


@pytest.mark.parametrize("size", [0, 100, -1])
def test_a_truncated_one_gives_way_to_the_one_before(tmp_path: Path, size: int):
    """bilm-tf wrote in place: a crash could leave nothing to restore."""
    checkpoints = make_checkpoints(tmp_path, range(1, 3))
    newest = checkpoints.paths()[-1]
    newest.write_bytes(newest.read_bytes()[:size])
    notes: list[str] = []
    assert checkpoints.load(notes.append)["step"] == 1
    assert "step-000000002.pt is damaged" in notes[0]


def test_a_half_written_one_is_not_seen(tmp_path: Path):
    checkpoints = make_checkpoints(tmp_path, range(1, 2))
    (tmp_path / "step-000000002.partial").write_bytes(b"half")
    assert checkpoints.load(pytest.fail)["step"] == 1


def test_nothing_to_resume_is_an_error(tmp_path: Path):
    with pytest.raises(FileNotFoundError, match="train without --resume"):
        Checkpoints(tmp_path, keep=2).load(pytest.fail)


class Evil:
    """Would run code when unpickled."""

    def __reduce__(self) -> tuple:
        return (pytest.fail, ("a checkpoint ran code",))


def test_a_checkpoint_runs_no_code(tmp_path: Path):
    checkpoints = make_checkpoints(tmp_path, range(1, 2))
    torch.save({"evil": Evil()}, tmp_path / "step-000000009.pt")
    assert checkpoints.load(lambda message: None)["step"] == 1
