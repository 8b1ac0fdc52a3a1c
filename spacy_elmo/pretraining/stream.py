"""The order of training: batch after batch, epoch after epoch, from any point."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import count
from typing import Any, Protocol

import numpy as np

from .batches import Stretch, both_ways, by_length
from .corpus import Corpus, Pool
from .splitting import Sentence
from .windows import Streams

Stretches = tuple[list[Stretch], list[Stretch]]


@dataclass(frozen=True)
class Position:
    """A point between two batches; JSON-ready.

    epoch (int): Times the text has been read. pool (Optional[Dict[str, Any]]): Where
        the pool begins. batch (int): Batches of the pool that are done.
    streams (Optional[Dict[str, Any]]): What the windows had left at the pool's start.
    """

    epoch: int = 0
    pool: dict[str, Any] | None = None
    batch: int = 0
    streams: dict[str, Any] | None = None

    def to_dict(self) -> dict[str, Any]:
        """RETURNS (Dict[str, Any]): For `Position(**content)`."""
        return asdict(self)


@dataclass(frozen=True)
class TrainingBatch:
    """What all processes train on in one step.

    forward, backward (List[Stretch]): In pairs of equal length.
    epochs (float): How often the text is read after this batch, about.
    position (Position): The point after it.
    """

    forward: list[Stretch]
    backward: list[Stretch]
    epochs: float
    position: Position

    @property
    def n_predictions(self) -> int:
        """Predictions of both directions."""
        return 2 * sum(len(read) for read, _ in self.forward)


class Cutter(Protocol):
    """Cuts pools of sentences into batches."""

    def cut(self, pool: Pool, *, seed: int) -> Iterator[Stretches]:
        """Every batch of a pool."""

    def carried(self) -> dict[str, Any] | None:
        """What is left over from the pools before; JSON-ready."""

    def set_carried(self, content: dict[str, Any] | None) -> None:
        """Go on from what was left over."""


@dataclass(frozen=True)
class SentenceCutter:
    """Batches of whole sentences of about a length."""

    batch_tokens: int

    def cut(self, pool: Pool, *, seed: int) -> Iterator[Stretches]:
        """Every sentence of the pool once."""
        limit = self.batch_tokens
        for batch in by_length(pool.sentences, batch_tokens=limit, seed=seed):
            forward, backward = zip(*map(both_ways, batch))
            yield list(forward), list(backward)

    def carried(self) -> None:
        """Nothing is left over."""

    def set_carried(self, content: dict[str, Any] | None) -> None:
        """Nothing is left over."""


@dataclass
class WindowCutter:
    """Windows over streams of sentences."""

    n_streams: int
    unroll: int

    def __post_init__(self) -> None:
        self.streams = Streams.from_size(self.n_streams)

    def cut(self, pool: Pool, *, seed: int) -> Iterator[Stretches]:
        """The sentences in shuffled order, a window at a time."""
        sentences: Sequence[Sentence] = pool.sentences
        order = np.random.default_rng(seed).permutation(len(sentences))
        shuffled = [sentences[i] for i in order]
        return self.streams.windows(shuffled, unroll=self.unroll, is_last=pool.is_last)

    def carried(self) -> dict[str, Any]:
        """What each stream has left."""
        return self.streams.to_json()

    def set_carried(self, content: dict[str, Any] | None) -> None:
        """Go on from there."""
        if content is not None:
            self.streams = Streams.from_json(content)


@dataclass(frozen=True)
class TrainingStream:
    """Epochs over a corpus, each in an order of its own.

    corpus (Corpus): The text. cutter (Cutter): Makes batches of its pools.
    seed (int): Decides every order.
    max_epochs (Optional[int]): Times to read the text; None for endlessly.
    """

    corpus: Corpus
    cutter: Cutter
    seed: int
    max_epochs: int | None = None

    def batches(self, start: Position) -> Iterator[TrainingBatch]:
        """Every batch from a point on.

        RAISES (ValueError): The text holds no sentences.
        """
        self.cutter.set_carried(start.streams)
        for epoch in count(start.epoch):
            if self.max_epochs is not None and epoch >= self.max_epochs:
                return
            is_empty = True
            pools = self.corpus.pools(
                seed=derive_seed(self.seed, epoch), start=start.pool
            )
            for pool in pools:
                is_empty = is_empty and not pool.sentences
                yield from self._pool_batches(epoch, pool, skip=start.batch)
                start = Position()
            if is_empty:
                raise ValueError(f"No sentences in {self.corpus.files}.")

    def _pool_batches(
        self, epoch: int, pool: Pool, *, skip: int
    ) -> Iterator[TrainingBatch]:
        carried = self.cutter.carried()
        seed = derive_seed(self.seed, epoch, pool.start["number"])
        total = sum(len(sentence) + 1 for sentence in pool.sentences)
        done, (begin, end) = 0, pool.read
        for i, (forward, backward) in enumerate(self.cutter.cut(pool, seed=seed), 1):
            done += sum(len(read) for read, _ in forward)
            if i > skip:
                share = begin + (end - begin) * min(1.0, done / max(total, 1))
                yield TrainingBatch(
                    forward=forward,
                    backward=backward,
                    epochs=epoch + share,
                    position=Position(epoch, pool.start, i, carried),
                )


def derive_seed(*numbers: int) -> int:
    """A seed that depends on all of the numbers."""
    return int(np.random.SeedSequence(numbers).generate_state(1, np.uint64)[0] >> 1)
