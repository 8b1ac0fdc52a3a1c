"""`spacy elmo pretrain CONFIG OUTPUT`: train a biLM from raw text."""

import math
import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Annotated

import typer
from tqdm import tqdm  # type: ignore[import-untyped]
from wasabi import msg

from ..pretraining.config import read_config
from ..pretraining.reports import EvaluationReport, StepReport
from ..pretraining.session import pretrain
from ..pretraining.trainer import NonFiniteLossError
from ._app import Arg, Opt, elmo_cli, failing, import_code, parse_config_overrides

INTERRUPTED = 130


@elmo_cli.command(
    "pretrain",
    context_settings={"allow_extra_args": True, "ignore_unknown_options": True},
)
def pretrain_cli(
    ctx: typer.Context,
    config_path: Annotated[Path, Arg(help="Config file", exists=True, dir_okay=False)],
    output: Annotated[Path, Arg(help="Folder for weights, checkpoints and metrics")],
    resume: Annotated[
        bool, Opt("--resume", "-R", help="Go on with the training in OUTPUT")
    ] = False,
    code: Annotated[
        Path | None, Opt("--code", "-c", help="Python file to import first")
    ] = None,
) -> None:
    """
    Train a bidirectional language model from raw text. Settings can be overridden as
    with `spacy train`, for example --paths.train corpus.txt. Ctrl-C stops with a
    checkpoint; --resume goes on from the last one, also after a crash.
    """
    overrides = parse_config_overrides(ctx.args)
    import_code(code)
    reporter, stop = Reporter(), StopSignal()
    with failing():
        config = read_config(config_path, overrides)
        stop.listen()
        try:
            is_done = pretrain(
                config,
                output,
                resume=resume,
                observer=reporter,
                should_stop=stop.is_requested,
            )
        except NonFiniteLossError as error:
            msg.fail(str(error), exits=1)
        finally:
            reporter.close()
    if not is_done:
        msg.warn(f"Stopped after a checkpoint. Go on with --resume into {output}.")
        raise typer.Exit(INTERRUPTED)
    if os.environ.get("RANK", "0") == "0":
        msg.good(f"Wrote the weights to {output}/model-last")


@dataclass
class StopSignal:
    """Turns the first Ctrl-C into a wish, the second into an exception."""

    requested: bool = False

    def listen(self) -> None:
        """Begin to catch SIGINT and SIGTERM."""
        signal.signal(signal.SIGINT, self._on_signal)
        signal.signal(signal.SIGTERM, self._on_signal)

    def is_requested(self) -> bool:
        """Whether to stop."""
        return self.requested

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        if self.requested:
            raise KeyboardInterrupt
        self.requested = True


class Reporter:
    """Shows a progress bar in a terminal, and a line for each evaluation anywhere."""

    def __init__(self) -> None:
        self.bar: tqdm | None = None
        self.since = time.perf_counter()
        self.n_tokens = 0
        self.loss = math.nan

    def step(self, report: StepReport) -> None:
        """Move the bar: loss, tokens a second, time left."""
        if self.bar is None:
            self.bar = tqdm(
                total=1.0,
                initial=min(report.progress, 1.0),
                disable=None,
                bar_format="{l_bar}{bar}| {elapsed}<{remaining}{postfix}",
            )
        self.n_tokens += report.n_tokens
        self.loss = report.loss
        rate = self._tokens_per_second()
        self.bar.set_postfix_str(
            f"step {report.step}, loss {report.loss:.3f}, {rate:,.0f} tokens/s",
            refresh=False,
        )
        self.bar.update(report.progress - self.bar.n)

    def evaluation(self, report: EvaluationReport) -> None:
        """Print the perplexities of the whole distribution."""
        rate, result = self._tokens_per_second(), report.result
        self._print(
            f"step {report.step:>7}  epoch {report.epochs:.2f}  "
            f"training loss {self.loss:.3f}  perplexity: forward {result.forward:.1f}  "
            f"backward {result.backward:.1f}  average {result.average:.1f}"
            f"{' (best)' if report.is_best else ''}  {rate:,.0f} tokens/s"
        )

    def note(self, message: str) -> None:
        """Print it."""
        self._print(message)

    def close(self) -> None:
        """End the bar."""
        if self.bar is not None:
            self.bar.close()

    def _tokens_per_second(self) -> float:
        return self.n_tokens / (time.perf_counter() - self.since)

    def _print(self, message: str) -> None:
        tqdm.write(message)
