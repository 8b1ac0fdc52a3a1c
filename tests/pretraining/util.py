"""Tiny texts, configs and models for the tests of pretraining."""

import random
from pathlib import Path
from typing import Any

import torch
from thinc.api import Config

from spacy_elmo.bilm import BiLM, BiLMConfig
from spacy_elmo.pretraining.evaluation import Evaluation
from spacy_elmo.pretraining.language_model import LanguageModel
from spacy_elmo.pretraining.reports import EvaluationReport, StepReport
from spacy_elmo.pretraining.softmax import LinearSoftmax
from spacy_elmo.pretraining.vocabulary import SPECIALS, TargetVocabulary

WORDS = ["the", "a", "cat", "dog", "sat", "ran", "on", "mat", "red", "naïve", "."]
SIZES: dict[str, Any] = {
    "char_dim": 4,
    "filters": [[1, 4], [2, 8]],
    "cell_dim": 12,
    "projection_dim": 8,
}
CONFIG = """
[nlp]
lang = "en"
pipeline = []

[pretraining_elmo]
max_epochs = 2
dropout = 0.1
log_every_steps = 1

[pretraining_elmo.corpus]
train = []
dev = []
tokenized = true
pool_tokens = 100

[pretraining_elmo.vocabulary]
max_size = 13

[pretraining_elmo.model]

[pretraining_elmo.batches]
kind = "sentences"
batch_tokens = 40

[pretraining_elmo.softmax]
kind = "sampled"
n_samples = 5

[pretraining_elmo.optimizer]
kind = "adam"
learn_rate = 0.01
warmup_steps = 2

[pretraining_elmo.evaluation]
every_steps = 5

[pretraining_elmo.checkpoints]
every_steps = 4
keep = 2
"""


def make_sentences(n: int, seed: int = 0, longest: int = 12) -> list[list[str]]:
    """Sentences of random words."""
    generator = random.Random(seed)
    return [
        [generator.choice(WORDS) for _ in range(generator.randint(1, longest))]
        for _ in range(n)
    ]


def write_text(path: Path, sentences: list[list[str]]) -> str:
    """Write a sentence a line; RETURNS (str): The path."""
    lines = [" ".join(sentence) for sentence in sentences]
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf8")
    return str(path)


def make_config(train: str | list[str], dev: str | None = None, **sections: Any) -> Any:
    """A tiny config. Blocks and settings of [pretraining_elmo] replace its own."""
    config = Config().from_str(CONFIG)
    block = config["pretraining_elmo"]
    block["corpus"] |= {"train": train, "dev": dev}
    block["model"] = dict(SIZES)
    for name, value in sections.items():
        if isinstance(value, dict) and "kind" not in value:
            block[name] |= value
        else:
            block[name] = value
    return config


def make_vocabulary() -> TargetVocabulary:
    """The specials and a few of the words."""
    return TargetVocabulary([*SPECIALS, *WORDS[:8]])


def make_model(
    n_samples: int | None = None, seed: int = 0, **sizes: Any
) -> LanguageModel:
    """A tiny language model with weights of some size."""
    torch.manual_seed(seed)
    vocabulary = make_vocabulary()
    config = BiLMConfig(**{**SIZES, **sizes})
    softmax = LinearSoftmax(len(vocabulary), config.projection_dim, n_samples)
    return LanguageModel(BiLM(config), softmax, vocabulary)


class Recorder:
    """Keeps what a training tells."""

    def __init__(self) -> None:
        self.steps: list[StepReport] = []
        self.evaluations: list[Evaluation] = []
        self.notes: list[str] = []

    def step(self, report: StepReport) -> None:
        self.steps.append(report)

    def evaluation(self, report: EvaluationReport) -> None:
        self.evaluations.append(report.result)

    def note(self, message: str) -> None:
        self.notes.append(message)
