"""metrics.jsonl: a line every so many steps, and one an evaluation."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import srsly

from .reports import EvaluationReport, StepReport


@dataclass
class MetricsFile:
    """Writes figures to a file, and goes on with it after a stop.

    path (Path): The file. every_steps (int): Steps that a line sums up.
    """

    path: Path
    every_steps: int
    _steps: list[StepReport] = field(default_factory=list)

    def cut_after(self, step: int) -> None:
        """Forget what a resumed training will write again."""
        if self.path.is_file():
            rows = [row for row in srsly.read_jsonl(self.path) if row["step"] <= step]
            srsly.write_jsonl(self.path, rows)

    def step(self, report: StepReport) -> None:
        """Write a line when enough steps have come together."""
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
        """Write a line."""
        head = {"kind": "evaluation", "step": report.step, "epochs": report.epochs}
        figures = report.result.to_dict()
        self._write({**head, **figures, "is_best": report.is_best})

    def note(self, message: str) -> None:
        """Notes are not figures."""

    def _write(self, row: dict[str, Any]) -> None:
        srsly.write_jsonl(self.path, [row], append=True, append_new_line=False)
