"""Figures of a training: a row every so many steps, and one an evaluation."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import srsly

from .reports import EvaluationReport, StepReport

Row = dict[str, Any]


class Sink(Protocol):
    """Where rows go."""

    def write(self, row: Row) -> None:
        """Keep a row."""

    def cut_after(self, step: int) -> None:
        """Forget what a resumed training will write again."""


@dataclass(frozen=True)
class JsonLines:
    """metrics.jsonl, a row a line.

    path (Path): The file; it is gone on with after a stop.
    """

    path: Path

    def write(self, row: Row) -> None:
        """Add a line."""
        srsly.write_jsonl(self.path, [row], append=True, append_new_line=False)

    def cut_after(self, step: int) -> None:
        """Leave out later lines."""
        if self.path.is_file():
            rows = [row for row in srsly.read_jsonl(self.path) if row["step"] <= step]
            srsly.write_jsonl(self.path, rows)


class TensorBoard:
    """TensorBoard's files: a curve for each figure.

    folder (str): For `tensorboard --logdir`.
    RAISES (ImportError): The package is not installed; says how to install it.
    """

    def __init__(self, folder: str) -> None:
        try:
            from torch.utils.tensorboard import SummaryWriter
        except ImportError as error:
            raise ImportError(
                f"tensorboard = {folder!r}: the package tensorboard is not installed: "
                "pip install 'spacy-elmo[tensorboard]', or set it to null."
            ) from error
        self.folder = folder
        self._new_writer = SummaryWriter
        self._writer: Any = None

    def write(self, row: Row) -> None:
        """Add a point to each curve."""
        if self._writer is None:
            self._writer = self._new_writer(self.folder)
        for name, value in row.items():
            if name not in ("kind", "step"):
                self._writer.add_scalar(f"{row['kind']}/{name}", value, row["step"])
        self._writer.flush()

    def cut_after(self, step: int) -> None:
        """Let TensorBoard hide later points."""
        self._writer = self._new_writer(self.folder, purge_step=step + 1)


@dataclass
class Metrics:
    """Sums up steps and hands rows on.

    sinks (Sequence[Sink]): Where they go. every_steps (int): Steps that a row sums up.
    """

    sinks: Sequence[Sink]
    every_steps: int
    _steps: list[StepReport] = field(default_factory=list)

    def cut_after(self, step: int) -> None:
        """Forget what a resumed training will write again."""
        for sink in self.sinks:
            sink.cut_after(step)

    def step(self, report: StepReport) -> None:
        """Write a row when enough steps have come together."""
        self._steps.append(report)
        if report.step % self.every_steps:
            return
        n_tokens = sum(step.n_tokens for step in self._steps)
        loss = sum(step.loss * step.n_tokens for step in self._steps) / n_tokens
        seconds = sum(step.seconds for step in self._steps)
        self._write(
            {
                "kind": "training",
                "step": report.step,
                "epochs": report.epochs,
                "tokens": report.n_tokens_seen,
                "training_loss": loss,
                "learn_rate": report.learn_rate,
                "grad_norm": max(step.grad_norm for step in self._steps),
                "tokens_per_second": n_tokens / seconds,
            }
        )
        self._steps.clear()

    def evaluation(self, report: EvaluationReport) -> None:
        """Write a row."""
        head = {"kind": "evaluation", "step": report.step, "epochs": report.epochs}
        figures = report.result.to_dict()
        self._write({**head, **figures, "is_best": report.is_best})

    def note(self, message: str) -> None:
        """Notes are not figures."""

    def _write(self, row: Row) -> None:
        for sink in self.sinks:
            sink.write(row)
