"""Perplexity over the whole vocabulary, each prediction counted once."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from typing import Any

from .batches import by_length
from .language_model import LanguageModel

#: Sentences that are sorted by length together.
POOL_SENTENCES = 4096


@dataclass(frozen=True)
class Evaluation:
    """How well a biLM predicts a text.

    forward, backward (float): Perplexity, exp of the mean negative log-probability of a
        direction's predictions: the words and one boundary a sentence.
    average (float): exp of the mean over both directions, as bilm-tf reports it.
    n_predictions (int): Predictions of one direction.
    n_tokens (int): Words of the text.
    n_sentences (int): Its sentences.
    oov_rate (float): Share of its words that are scored as <UNK>.
    """

    forward: float
    backward: float
    average: float
    n_predictions: int
    n_tokens: int
    n_sentences: int
    oov_rate: float

    def to_dict(self) -> dict[str, Any]:
        """RETURNS (Dict[str, Any]): JSON-ready."""
        return asdict(self)


def evaluate(
    model: LanguageModel,
    sentences: Iterable[Sequence[str]],
    *,
    batch_tokens: int = 2048,
) -> Evaluation:
    """Score independent sentences; the batch size changes nothing.

    RAISES (ValueError): There are no sentences.
    """
    totals = [0.0, 0.0]
    n_predictions = n_sentences = n_unknown = 0
    stream = iter(sentences)
    while pool := list(islice(stream, POOL_SENTENCES)):
        for batch_sentences in by_length(pool, batch_tokens=batch_tokens, seed=None):
            batch = model.batcher.from_sentences(batch_sentences)
            n_unknown += int((batch.targets[0] == model.vocabulary.unknown).sum())
            nll, _ = model.nll(batch.to(model.device))
            for direction, total in enumerate(nll.double().sum(dim=1).tolist()):
                totals[direction] += total
            n_predictions += nll.shape[1]
        n_sentences += len(pool)
    if n_predictions == 0:
        raise ValueError("No sentences to evaluate: the text is empty.")
    n_tokens = n_predictions - n_sentences
    forward, backward = (total / n_predictions for total in totals)
    return Evaluation(
        forward=_exp(forward),
        backward=_exp(backward),
        average=_exp((forward + backward) / 2),
        n_predictions=n_predictions,
        n_tokens=n_tokens,
        n_sentences=n_sentences,
        oov_rate=n_unknown / n_tokens if n_tokens else 0.0,
    )


def _exp(mean: float) -> float:
    return math.exp(mean) if mean < 700 else math.inf
