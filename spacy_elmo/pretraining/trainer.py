"""The training loop: a step, an evaluation, a checkpoint, and again."""

import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from .checkpoints import Checkpoints
from .corpus import Corpus
from .evaluation import evaluate
from .folder import replace_language_model
from .language_model import LanguageModel
from .optimization import Updater
from .precision import DTYPES
from .processes import Processes
from .progress import Progress
from .reports import EvaluationReport, Observer, StepReport
from .settings import PretrainingSettings
from .stream import TrainingBatch, TrainingStream, derive_seed

BEST, LAST = "model-best", "model-last"


class NonFiniteLossError(ArithmeticError):
    """The loss or its gradient is no longer a number."""


class Trainer:
    """Trains a language model; everything that it does follows from its checkpoint.

    What is random in a step is drawn from a seed made of the config's seed and the
    step's number, so that a resumed training goes on with the same bits.

    settings (PretrainingSettings): The config. model (LanguageModel): On its device.
    stream (TrainingStream): The batches. dev (Optional[Corpus]): What to evaluate on.
    output (Path): The folder to write.
    provenance (Dict[str, Any]): Goes into the weights that are written.
    should_stop (Callable[[], bool]): Asked after each step, to end early.
    """

    def __init__(
        self,
        *,
        settings: PretrainingSettings,
        model: LanguageModel,
        stream: TrainingStream,
        dev: Corpus | None,
        output: Path,
        processes: Processes,
        observer: Observer,
        provenance: dict[str, Any],
        should_stop: Callable[[], bool],
    ) -> None:
        self.settings = settings
        self.model = model
        self.stream = stream
        self.dev = dev
        self.output = output
        self.processes = processes
        self.observer = observer
        self.provenance = provenance
        self.should_stop = should_stop
        self.parameters = list(model.parameters())
        self.dtype = DTYPES[settings.precision]
        self.updater = Updater(
            settings.optimizer,
            self.parameters,
            scales_loss=self.dtype == torch.float16,
        )
        self.checkpoints = Checkpoints(
            output / "checkpoints", settings.checkpoints.keep
        )
        self.progress = Progress()

    def resume(self) -> None:
        """Go on from the newest whole checkpoint.

        RAISES (FileNotFoundError): There is none.
        """
        content = self.checkpoints.load(self.observer.note)
        self.model.load_state_dict(content["model"])
        self.updater.load_state_dict(content)
        self.progress = Progress.from_checkpoint(content, self.model.device)

    def run(self) -> bool:
        """Train to the end, or until asked to stop.

        RETURNS (bool): Whether the end was reached.
        RAISES (NonFiniteLossError): The last checkpoint is kept.
        """
        settings, progress = self.settings, self.progress
        if progress.step == 0:
            self._checkpoint()
        batches = self.stream.batches(progress.position)
        while settings.max_steps is None or progress.step < settings.max_steps:
            batch = next(batches, None)
            if batch is None:
                break
            report, stop = self._step(batch)
            self.observer.step(report)
            if progress.step % settings.evaluation.every_steps == 0:
                self._evaluate()
            if progress.step % settings.checkpoints.every_steps == 0 or stop:
                self._checkpoint()
            if stop:
                return False
        if not progress.is_finished:
            if progress.step % settings.evaluation.every_steps:
                self._evaluate()
            self._write_model(LAST)
            progress.is_finished = True
            self._checkpoint()
        return True

    def _share_done(self, batch: TrainingBatch) -> float:
        """Of the limit that comes first."""
        shares = [0.0]
        if self.settings.max_epochs is not None:
            shares.append(batch.epochs / self.settings.max_epochs)
        if self.settings.max_steps is not None:
            shares.append((self.progress.step + 1) / self.settings.max_steps)
        return min(1.0, max(shares))

    def _step(self, batch: TrainingBatch) -> tuple[StepReport, bool]:
        progress, processes = self.progress, self.processes
        started = time.perf_counter()
        torch.manual_seed(
            derive_seed(self.settings.seed, progress.step, processes.rank)
        )
        loss, stop = self._backward(batch)
        if not math.isfinite(loss):
            raise NonFiniteLossError(self._explain(f"the loss is {loss}"))
        update = self.updater.apply(step=progress.step, progress=progress.share)
        if not (update.is_finite or update.is_skipped):
            raise NonFiniteLossError(
                self._explain(f"the gradient's norm is {update.grad_norm}")
            )
        progress.is_finished = False
        progress.share, progress.epochs = self._share_done(batch), batch.epochs
        progress.step += 1
        progress.n_tokens += batch.n_predictions // 2
        progress.position = batch.position
        report = StepReport(
            step=progress.step,
            epochs=batch.epochs,
            progress=progress.share,
            loss=loss,
            learn_rate=update.learn_rate,
            grad_norm=0.0 if update.is_skipped else update.grad_norm,
            n_tokens=batch.n_predictions // 2,
            n_tokens_seen=progress.n_tokens,
            seconds=time.perf_counter() - started,
        )
        return report, stop

    def _backward(self, batch: TrainingBatch) -> tuple[float, bool]:
        """Gradients of the mean loss over all processes' predictions."""
        processes, model = self.processes, self.model
        mine = slice(processes.rank, None, processes.size)
        forward, backward = batch.forward[mine], batch.backward[mine]
        self.updater.optimizer.zero_grad()
        # Loss, and whether anyone was asked to stop.
        totals = torch.zeros(2, dtype=torch.double, device=model.device)
        totals[1] = float(self.should_stop())
        if forward:
            inputs = model.batcher.from_stretches(forward, backward).to(model.device)
            loss, ends = model.loss(
                inputs,
                dropout=self.settings.dropout,
                state=self.progress.state,
                dtype=self.dtype,
            )
            loss = loss / batch.n_predictions
            self.updater.backward(loss)
            totals[0] = loss.detach()
            if self.settings.batches.kind == "windows":
                self.progress.state = ends
        processes.sum_gradients(self.parameters)
        total, stop = processes.sum(totals).tolist()
        return total, stop > 0

    def _explain(self, what: str) -> str:
        kept = self.checkpoints.paths()
        good = f" {kept[-1].name} is the last good checkpoint." if kept else ""
        rate = self.updater.optimizer.param_groups[0]["lr"]
        return (
            f"After step {self.progress.step}, with the learning rate {rate:g}: {what}."
            f"{good} Lower learn_rate or grad_clip, or warm up longer."
        )

    def _evaluate(self) -> None:
        if self.dev is not None and self.processes.is_first:
            result = evaluate(
                self.model,
                self.dev.sentences(),
                batch_tokens=self.settings.evaluation.batch_tokens,
            )
            progress, best = self.progress, self.progress.best
            is_best = result.average < (math.inf if best is None else best)
            if is_best:
                progress.best = result.average
                self._write_model(BEST, {"evaluation": result.to_dict()})
            self.observer.evaluation(
                EvaluationReport(progress.step, progress.epochs, result, is_best)
            )
        self.processes.wait()

    def _checkpoint(self) -> None:
        if not all(p.isfinite().all() for p in self.parameters):
            raise NonFiniteLossError(self._explain("a weight is not finite"))
        if self.processes.is_first:
            content = {
                "model": self.model.state_dict(),
                **self.updater.state_dict(),
                **self.progress.to_checkpoint(),
            }
            self.checkpoints.save(self.progress.step, content)
        self.processes.wait()

    def _write_model(self, name: str, more: dict[str, Any] | None = None) -> None:
        if self.processes.is_first:
            training = {
                "steps": self.progress.step,
                "tokens": self.progress.n_tokens,
                **(more or {}),
            }
            provenance = {**self.provenance, "training": training}
            replace_language_model(self.model, self.output / name, provenance)
