"""How fast pretraining is, and where its time goes.

python benchmarks/pretrain.py [--text FILE ...] [--steps 20] [--threads 2] [--plain]

Prints tokens a second, the shares of data, forward, backward and optimizer, the peak
memory, and the rate of a matrix product of the machine in the same run. `--plain` also
trains a plain model of the same sizes: `torch.nn.LSTM` with `proj_size`, every position
through the same CNN once a distinct word, sampled softmax by `cross_entropy`.
"""

import argparse
import json
import resource
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

import numpy as np
import spacy
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from spacy_elmo.bilm import BiLM, BiLMConfig
from spacy_elmo.pretraining.batches import Batcher, PredictionBatch, by_length
from spacy_elmo.pretraining.corpus import Corpus, Pool
from spacy_elmo.pretraining.initialise import initialise
from spacy_elmo.pretraining.language_model import LanguageModel
from spacy_elmo.pretraining.optimization import build_optimizer
from spacy_elmo.pretraining.sampling import sample_log_uniform
from spacy_elmo.pretraining.settings import Adam
from spacy_elmo.pretraining.softmax import LinearSoftmax
from spacy_elmo.pretraining.vocabulary import (
    TargetVocabulary,
    build_vocabulary,
)

PARTS = ("data", "forward", "backward", "optimizer")
DROPOUT = 0.1


@dataclass
class Clock:
    """Seconds by part of a step."""

    seconds: dict[str, float] = field(default_factory=dict)
    since: float = field(default_factory=time.perf_counter)

    def lap(self, part: str) -> None:
        """Count the time since the last lap to a part."""
        now = time.perf_counter()
        self.seconds[part] = self.seconds.get(part, 0.0) + now - self.since
        self.since = now


class PlainModel(nn.Module):
    """What one writes first: autograd through torch's own LSTM."""

    def __init__(self, bilm: BiLM, vocabulary_size: int, n_samples: int) -> None:
        super().__init__()
        config = bilm.config
        self.encoder = bilm.token_encoder
        width, cell = config.projection_dim, config.cell_dim
        self.layers = nn.ModuleList(
            nn.LSTM(width, cell, proj_size=width) for _ in range(2 * config.n_layers)
        )
        self.softmax = LinearSoftmax(vocabulary_size, width, n_samples)

    def loss(self, batch: PredictionBatch) -> Tensor:
        """Summed over both directions."""
        words = self.encoder.encode(batch.ids)
        sizes = torch.tensor(batch.active)
        total = torch.zeros(())
        for direction in (0, 1):
            X = words[batch.words[direction]]
            for k, lstm in enumerate(self.layers[direction::2]):
                X = F.dropout(X, DROPOUT)
                packed = nn.utils.rnn.PackedSequence(X, sizes)
                Y = lstm(packed)[0].data
                X = Y + X if k else Y
            H = F.dropout(X, DROPOUT)
            total = total + self._softmax_loss(H, batch.targets[direction])
        return total

    def _softmax_loss(self, H: Tensor, targets: Tensor) -> Tensor:
        weight, bias = self.softmax.weight, self.softmax.bias
        assert self.softmax.n_samples is not None
        ids, expected = sample_log_uniform(self.softmax.n_samples, len(weight))
        scores = F.linear(H, weight[ids], bias[ids] - expected[ids])
        hits = targets[:, None] == ids
        scores = scores.masked_fill(hits, -torch.inf)
        true = (H * weight[targets]).sum(1) + bias[targets] - expected[targets]
        scores = torch.cat([true[:, None], scores], dim=1)
        zeros = torch.zeros_like(targets)
        return F.cross_entropy(scores, zeros, reduction="sum")


def main() -> None:
    """Measure and print."""
    arguments = parse_arguments()
    torch.set_num_threads(arguments.threads)
    torch.manual_seed(0)
    with tempfile.TemporaryDirectory() as folder:
        text = arguments.text or [write_text(Path(folder) / "text.txt")]
        corpus = Corpus(text, spacy.blank("en"), pool_tokens=200_000)
        vocabulary = make_vocabulary(corpus, arguments.vocabulary)
        bilm = BiLM(BiLMConfig())
        initialise(bilm)
        softmax = LinearSoftmax(len(vocabulary), 128, arguments.samples)
        model = LanguageModel(bilm, softmax, vocabulary)
        start = time.perf_counter()
        pool = next(corpus.pools(seed=0))
        seconds = time.perf_counter() - start
        per_token = seconds / sum(len(sentence) + 1 for sentence in pool.sentences)
        run = Run(
            model.batcher, pool, per_token, arguments.steps, arguments.batch_tokens
        )
        figures = {
            "threads": arguments.threads,
            "vocabulary": len(vocabulary),
            "gemm_gflops_before": round(gemm_rate(), 1),
            **run.measure(model, lambda batch: model.loss(batch, dropout=DROPOUT)[0]),
            "gemm_gflops_after": round(gemm_rate(), 1),
        }
        if arguments.plain:
            plain = PlainModel(BiLM(BiLMConfig()), len(vocabulary), arguments.samples)
            figures["plain"] = run.measure(plain, plain.loss)
            figures["gemm_gflops_end"] = round(gemm_rate(), 1)
    print(json.dumps(figures, indent=2))


@dataclass(frozen=True)
class Run:
    """The same steps for every model.

    tokenizing_seconds (float): For a token; a pool is read at once, so that it is
        added to the time of each step.
    """

    batcher: Batcher
    pool: Pool
    tokenizing_seconds: float
    n_steps: int
    batch_tokens: int

    def measure(
        self, model: nn.Module, loss_of: Callable[[PredictionBatch], Tensor]
    ) -> dict[str, object]:
        """Train, and say how fast; the first step is not counted."""
        optimizer = build_optimizer(Adam(kind="adam"), list(model.parameters()))
        batches, n_tokens, clock = self.batches(), 0, Clock()
        for step in range(self.n_steps + 1):
            if step == 1:
                n_tokens, clock = 0, Clock()
            batch = next(batches)
            clock.lap("data")
            loss = loss_of(batch) / batch.n_predictions
            clock.lap("forward")
            loss.backward()
            clock.lap("backward")
            optimizer.step()
            optimizer.zero_grad()
            clock.lap("optimizer")
            n_tokens += batch.targets.shape[1]
        clock.seconds["data"] += n_tokens * self.tokenizing_seconds
        total = sum(clock.seconds.values())
        shares = {part: round(clock.seconds[part] / total, 3) for part in PARTS}
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return {
            "tokens_per_second": round(n_tokens / total),
            "shares": shares,
            "peak_memory_mb": round(peak / 1024),
        }

    def batches(self) -> Iterator[PredictionBatch]:
        """Endless."""
        for seed in count():
            cut = by_length(
                self.pool.sentences, batch_tokens=self.batch_tokens, seed=seed
            )
            for sentences in cut:
                yield self.batcher.from_sentences(sentences)


def make_vocabulary(corpus: Corpus, size: int) -> TargetVocabulary:
    """The text's words, filled up with others to the size."""
    words = build_vocabulary(corpus.sentences(), max_size=size)[0].words
    return TargetVocabulary([*words, *(f"#{i}" for i in range(size - len(words)))])


def write_text(path: Path, n_sentences: int = 20_000, n_types: int = 60_000) -> str:
    """Random sentences of 5 to 45 words whose frequencies follow Zipf's law."""
    generator = np.random.default_rng(0)
    letters = np.array(list("etaoinshrdlucmfwypvbgk"))
    types = ["".join(generator.choice(letters, n)) for n in _lengths(n_types)]
    p = 1 / np.arange(1, n_types + 1)
    lines = []
    for n in generator.integers(5, 46, n_sentences):
        ids = generator.choice(n_types, n, p=p / p.sum())
        lines.append(" ".join(types[i] for i in ids) + " .")
    path.write_text("\n".join(lines), encoding="utf8")
    return str(path)


def _lengths(n_types: int) -> list[int]:
    """Rarer words are longer."""
    return [2 + int(1.2 * np.log(rank)) for rank in range(1, n_types + 1)]


def gemm_rate(size: int = 1024, n: int = 10) -> float:
    """GFLOP/s of a matrix product."""
    A = torch.randn(size, size)
    for _ in range(n):  # threads and clock wake up
        A @ A
    start = time.perf_counter()
    for _ in range(n):
        A @ A
    return n * 2 * size**3 / (time.perf_counter() - start) / 1e9


def parse_arguments() -> argparse.Namespace:
    """RETURNS (Namespace): The options."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--text", nargs="+", help="files; random text by default")
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--batch-tokens", type=int, default=2560)
    parser.add_argument("--samples", type=int, default=4096)
    parser.add_argument("--vocabulary", type=int, default=40_000)
    parser.add_argument(
        "--plain", action="store_true", help="measure a plain model too"
    )
    return parser.parse_args()


if __name__ == "__main__":
    main()
