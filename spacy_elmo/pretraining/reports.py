"""What a training tells those who watch it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from .evaluation import Evaluation


@dataclass(frozen=True)
class StepReport:
    """One step.

    loss (float): Mean training loss of a prediction; with a sampled softmax its exp is
        no perplexity. progress (float): Share of the training that is done.
    grad_norm (float): Before clipping; 0 if float16 overflowed and nothing changed.
    n_tokens (int): Predictions of one direction, this step. n_tokens_seen: all steps.
    """

    step: int
    epochs: float
    progress: float
    loss: float
    learn_rate: float
    grad_norm: float
    n_tokens: int
    n_tokens_seen: int
    seconds: float


@dataclass(frozen=True)
class EvaluationReport:
    """One evaluation.

    result (Evaluation): The figures. is_best (bool): None before was better.
    """

    step: int
    epochs: float
    result: Evaluation
    is_best: bool


class Observer(Protocol):
    """Whoever wants to know how it goes."""

    def step(self, report: StepReport) -> None:
        """After each step."""

    def evaluation(self, report: EvaluationReport) -> None:
        """After each evaluation."""

    def note(self, message: str) -> None:
        """Something to tell the user."""


@dataclass(frozen=True)
class Observers:
    """Several observers as one; only the first process has any."""

    all: Sequence[Observer]

    def step(self, report: StepReport) -> None:
        """Tell all."""
        for observer in self.all:
            observer.step(report)

    def evaluation(self, report: EvaluationReport) -> None:
        """Tell all."""
        for observer in self.all:
            observer.evaluation(report)

    def note(self, message: str) -> None:
        """Tell all."""
        for observer in self.all:
            observer.note(message)
