"""From a config to a training: everything is built, checked and put together."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from thinc.api import Config

from .building import Initial, build_language_model, make_vocabulary, read_initial
from .config import read_nlp, read_settings
from .corpus import Corpus
from .folder import VOCABULARY_NAME
from .metrics import JsonLines, Metrics, Sink, TensorBoard
from .processes import Processes, join_processes
from .reports import Observer, Observers
from .settings import PretrainingSettings, SentenceBatches
from .stream import Cutter, SentenceCutter, TrainingStream, WindowCutter
from .trainer import Trainer
from .vocabulary import read_vocabulary

CONFIG_NAME, METRICS_NAME, SETTINGS_NAME = "config.cfg", "metrics.jsonl", "run.json"
#: Settings that a resumed training may not change.
FIXED = ("seed", "corpus", "model", "batches", "softmax", "initial_weights")


def pretrain(
    config: Config,
    output: str | Path,
    *,
    resume: bool = False,
    observer: Observer | None = None,
    should_stop: Callable[[], bool] = bool,
) -> bool:
    """Train a biLM as a config says.

    config (Config): Interpolated; see `configs/pretrain.cfg`.
    output (Union[str, Path]): A folder for weights, checkpoints and metrics.
    resume (bool): Go on with the training that the folder holds.
    observer (Optional[Observer]): Is told of steps and evaluations.
    should_stop (Callable[[], bool]): Asked after each step, to end with a checkpoint.
    RETURNS (bool): Whether the end was reached.
    RAISES (ValueError, FileNotFoundError): Names the setting or file.
        (NonFiniteLossError): The last good checkpoint is kept.
    """
    output = Path(output)
    settings = read_settings(config)
    _check_output(settings, output, resume=resume)
    processes = join_processes(settings.device)
    _check_processes(settings, processes)
    device = processes.device(settings.device)
    observers = Observers([observer] if observer and processes.is_first else [])
    metrics = _metrics(settings, output)
    corpus = _corpus(settings, settings.corpus.train, config)
    dev = settings.corpus.dev
    observers.note(f"Training text: {', '.join(corpus.files)}")
    initial = read_initial(settings, observers)
    path = output / VOCABULARY_NAME
    if processes.is_first and not resume:
        output.mkdir(parents=True, exist_ok=True)
        make_vocabulary(settings, corpus, initial, observers).write(path)
    processes.wait()
    vocabulary = read_vocabulary(path)
    model = build_language_model(settings, initial, vocabulary, observers)
    if settings.softmax.kind == "sampled":
        observers.note("The training loss is of sampled words: it is no perplexity.")
    if processes.is_first:
        observers = Observers([*observers.all, metrics])
        config.to_disk(output / CONFIG_NAME)
        _write_settings(settings, output)
    trainer = Trainer(
        settings=settings,
        model=model.to(device),
        stream=TrainingStream(
            corpus, _cutter(settings), settings.seed, settings.max_epochs
        ),
        dev=_corpus(settings, dev, config) if dev else None,
        output=output,
        processes=processes,
        observer=observers,
        provenance=_provenance(settings, corpus, initial, output),
        should_stop=should_stop,
    )
    if resume:
        trainer.resume()
        observers.note(f"Resumed after step {trainer.progress.step}.")
        if processes.is_first:
            metrics.cut_after(trainer.progress.step)
    processes.wait()
    is_done = trainer.run()
    processes.leave()
    return is_done


def _check_output(settings: PretrainingSettings, output: Path, *, resume: bool) -> None:
    holds_training = any((output / "checkpoints").glob("step-*.pt"))
    if not resume:
        if holds_training:
            raise ValueError(
                f"{output} holds a training already: --resume it, or name another "
                "folder."
            )
        return
    if settings.corpus.train == ["-"]:
        raise ValueError(
            "--resume with the standard input: what was read before cannot be skipped. "
            "Give the text as files."
        )
    if not holds_training:
        raise FileNotFoundError(f"No training to resume in {output}.")
    _check_unchanged(settings, output)


def _check_unchanged(settings: PretrainingSettings, output: Path) -> None:
    path = output / SETTINGS_NAME
    before: dict[str, Any] = json.loads(path.read_text(encoding="utf8"))
    now = _as_json(settings)
    changed = [name for name in FIXED if before.get(name) != now[name]]
    if before["optimizer"]["kind"] != now["optimizer"]["kind"]:
        changed.append("optimizer.kind")
    if changed:
        raise ValueError(
            "These settings cannot change on --resume: "
            + "; ".join(f"{n}: was {before.get(n)}, is {now.get(n)}" for n in changed)
        )


def _check_processes(settings: PretrainingSettings, processes: Processes) -> None:
    if processes.size > 1 and not isinstance(settings.batches, SentenceBatches):
        raise ValueError(
            f'batches: found kind = "windows" with {processes.size} processes; their '
            'carried states stay on one. Expected kind = "sentences".'
        )
    if processes.size > 1 and settings.corpus.train == ["-"]:
        raise ValueError("The standard input cannot be read by several processes.")


def _corpus(
    settings: PretrainingSettings, patterns: list[str], config: Config
) -> Corpus:
    return Corpus(
        patterns,
        read_nlp(config),
        tokenized=settings.corpus.tokenized,
        pool_tokens=settings.corpus.pool_tokens,
    )


def _metrics(settings: PretrainingSettings, output: Path) -> Metrics:
    sinks: list[Sink] = [JsonLines(output / METRICS_NAME)]
    if settings.tensorboard is not None:
        sinks.append(TensorBoard(settings.tensorboard))
    return Metrics(sinks, settings.log_every_steps)


def _cutter(settings: PretrainingSettings) -> Cutter:
    batches = settings.batches
    if isinstance(batches, SentenceBatches):
        return SentenceCutter(batches.batch_tokens)
    return WindowCutter(batches.n_streams, batches.unroll)


def _provenance(
    settings: PretrainingSettings,
    corpus: Corpus,
    initial: Initial | None,
    output: Path,
) -> dict[str, Any]:
    """What the weights' file says of their making; names, and no paths."""
    left_out = {"corpus", "vocabulary", "initial_weights", "device", "tensorboard"}
    content: dict[str, Any] = {
        "source": output.resolve().name,
        "format": "spacy-elmo",
        "text": [Path(path).name for path in corpus.files],
        "pretraining": settings.model_dump(mode="json", exclude=left_out),
    }
    if initial is not None:
        content["initial_weights"] = initial.weights.provenance
    return content


def _as_json(settings: PretrainingSettings) -> dict[str, Any]:
    content: dict[str, Any] = settings.model_dump(mode="json")
    return content


def _write_settings(settings: PretrainingSettings, output: Path) -> None:
    text = json.dumps(_as_json(settings), indent=2) + "\n"
    (output / SETTINGS_NAME).write_text(text, encoding="utf8")
