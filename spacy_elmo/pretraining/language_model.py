"""A biLM with its softmax: what pretraining trains, and what scores text."""

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor, nn

from ..bilm import BiLM
from ..bilm.batch import BOS, EOS
from .batches import Batcher, PredictionBatch
from .network import read_tops
from .recurrence import PairState
from .softmax import Softmax
from .vocabulary import TargetVocabulary


class TokenScores(NamedTuple):
    """How well each direction predicts the words of a sentence.

    forward (List[float]): log P(word | the words before it).
    backward (List[float]): log P(word | the words after it).
    """

    forward: list[float]
    backward: list[float]


class LanguageModel(nn.Module):
    """Two language models in opposite directions that share one softmax.

    Peters et al. 2018, eq. 1: the loss is the forward plus the backward negative log
    likelihood.

    bilm (BiLM): The network that later gives the vectors.
    softmax (Softmax): Scores its top layer.
    vocabulary (TargetVocabulary): The words the softmax knows.
    RAISES (ValueError): Vocabulary and softmax differ in size, or the biLM is of a form
        whose sentences begin and end otherwise.
    """

    def __init__(
        self, bilm: BiLM, softmax: Softmax, vocabulary: TargetVocabulary
    ) -> None:
        super().__init__()
        if softmax.vocabulary_size != len(vocabulary):
            raise ValueError(
                f"The vocabulary has {len(vocabulary)} words, the softmax has "
                f"{softmax.vocabulary_size}. Give the vocabulary that the softmax was "
                "trained with, or train a new softmax on this one."
            )
        boundaries = bilm.token_encoder.require_lexicon().boundaries
        if boundaries != (BOS, EOS):
            raise ValueError(
                f"This biLM calls a sentence's boundaries {boundaries}; only one that "
                f"calls them {(BOS, EOS)} can be trained further."
            )
        self.bilm = bilm
        self.softmax = softmax
        self.vocabulary = vocabulary

    @property
    def batcher(self) -> Batcher:
        """Makes the batches that this model reads."""
        return Batcher(self.vocabulary, self.bilm.token_encoder.require_lexicon())

    @property
    def device(self) -> torch.device:
        """Where the parameters are."""
        return next(self.bilm.parameters()).device

    def loss(
        self,
        batch: PredictionBatch,
        *,
        dropout: float = 0.0,
        state: list[PairState] | None = None,
        dtype: torch.dtype = torch.float32,
    ) -> tuple[Tensor, list[PairState]]:
        """The objective of a batch.

        dtype (torch.dtype): What products are computed in; the softmax has too narrow a
            range for float16 and then stays in float32.
        RETURNS (Tuple[Tensor, List[PairState]]): The training loss summed over both
            directions' predictions, and where the stretches ended.
        """
        tops, ends = read_tops(
            self.bilm, batch, dropout=dropout, state=state, dtype=dtype
        )
        low = torch.float32 if dtype == torch.float16 else dtype
        loss = self.softmax.loss(tops.flatten(0, 1), batch.targets.flatten(), low)
        return loss, ends

    @torch.no_grad()
    def nll(
        self, batch: PredictionBatch, state: list[PairState] | None = None
    ) -> tuple[Tensor, list[PairState]]:
        """Over the whole distribution, whatever the training loss.

        RETURNS (Tuple[Tensor, List[PairState]]): (2, N) negative log-probability of
            each target in packed order, and where the stretches ended.
        """
        tops, ends = read_tops(self.bilm, batch, state=state)
        nll = self.softmax.nll(tops.flatten(0, 1), batch.targets.flatten())
        return nll.reshape(batch.targets.shape), ends

    def score(self, sentence: Sequence[str]) -> TokenScores:
        """Log-probability of each word of a sentence in each direction.

        A word that the vocabulary lacks is scored as <UNK>.
        """
        if not sentence:
            return TokenScores([], [])
        batch = self.batcher.from_sentences([sentence]).to(self.device)
        nll, _ = self.nll(batch)
        # Direction 0 predicts w1 ... wn </S>, direction 1 wn ... w1 <S>.
        forward, backward = (-nll).cpu()
        return TokenScores(forward[:-1].tolist(), backward[:-1].flip(0).tolist())

    @torch.no_grad()
    def substitutes(
        self, sentence: Sequence[str], k: int = 10
    ) -> list[list[tuple[str, float]]]:
        """The words most probable in each place, by both directions together.

        The score is log P(word | before) + log P(word | after). Neither direction reads
        the word that stands there.

        RETURNS (List[List[Tuple[str, float]]]): For each word, k words and scores, best
            first; the boundaries and <UNK> are left out.
        """
        n = len(sentence)
        if n == 0:
            return []
        batch = self.batcher.from_sentences([sentence]).to(self.device)
        tops, _ = read_tops(self.bilm, batch)  # (2, n + 1, P)
        forward = self.softmax.log_probs(tops[0, :n])  # (n, V)
        scores = forward + self.softmax.log_probs(tops[1, :n].flip(0))
        scores[:, :3] = -torch.inf
        values, ids = scores.topk(min(k, scores.shape[1] - 3), dim=1)
        words = self.vocabulary.words
        return [
            [(words[i], value) for i, value in zip(row_ids, row)]
            for row_ids, row in zip(ids.tolist(), values.tolist())
        ]
