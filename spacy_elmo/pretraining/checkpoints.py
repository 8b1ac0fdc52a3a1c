"""The whole state of a training, written so that a crash leaves a good file."""

import os
import pickle
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch


@dataclass(frozen=True)
class Checkpoints:
    """A folder of checkpoints, of which the newest are kept.

    folder (Path): Where they are. keep (int): How many to keep.
    """

    folder: Path
    keep: int

    def save(self, step: int, content: dict[str, Any]) -> Path:
        """Write a checkpoint: first beside its place, then moved there."""
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / f"step-{step:09d}.pt"
        partial = path.with_suffix(".partial")
        with partial.open("wb") as file:
            torch.save(content, file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(partial, path)
        for old in self.paths()[: -self.keep]:
            old.unlink()
        return path

    def paths(self) -> list[Path]:
        """RETURNS (List[Path]): Oldest first."""
        return sorted(self.folder.glob("step-*.pt"))

    def load(self, note: Callable[[str], None]) -> dict[str, Any]:
        """Read the newest checkpoint that is whole.

        note (Callable[[str], None]): Is told of those that are not.
        RAISES (FileNotFoundError): There is none.
        """
        for path in reversed(self.paths()):
            try:
                content: dict[str, Any] = torch.load(
                    path, map_location="cpu", weights_only=True
                )
                return content
            except (RuntimeError, EOFError, OSError, pickle.UnpicklingError) as error:
                note(f"{path.name} is damaged ({error}); trying the one before it.")
        raise FileNotFoundError(
            f"No whole checkpoint in {self.folder} to resume from; train without "
            "--resume, in another folder."
        )
