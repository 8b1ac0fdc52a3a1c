"""Every word predicted once in each direction, and nothing padded."""

from collections import Counter

import numpy as np
import pytest

from spacy_elmo.bilm import BiLMConfig
from spacy_elmo.bilm.lexicon import Lexicon
from spacy_elmo.pretraining.batches import Batcher, both_ways, by_length
from spacy_elmo.pretraining.windows import Streams

from .util import make_sentences, make_vocabulary

SENTENCES = [*make_sentences(60), ["the"] * 1000, []]


def make_batcher() -> Batcher:
    return Batcher(make_vocabulary(), Lexicon(BiLMConfig()))


def predictions(stretches) -> Counter:
    return Counter((r, p) for read, pred in stretches for r, p in zip(read, pred))


def all_predictions(direction: int) -> Counter:
    return predictions([both_ways(sentence)[direction] for sentence in SENTENCES])


def test_a_sentence_is_predicted_with_one_boundary_a_direction():
    forward, backward = both_ways(["a", "b"])
    assert forward == (["<S>", "a", "b"], ["a", "b", "</S>"])
    assert backward == (["</S>", "b", "a"], ["b", "a", "<S>"])


@pytest.mark.parametrize("seed", [None, 0])
@pytest.mark.parametrize("batch_tokens", [1, 50, 10_000])
def test_batches_hold_every_sentence_once(seed: int | None, batch_tokens: int):
    batches = list(by_length(SENTENCES, batch_tokens=batch_tokens, seed=seed))
    found = sorted(sentence for batch in batches for sentence in batch)
    assert found == sorted(SENTENCES)


def test_batches_keep_to_the_budget_unless_a_sentence_alone_is_longer():
    for batch in by_length(SENTENCES, batch_tokens=50, seed=0):
        assert len(batch) == 1 or sum(len(s) + 1 for s in batch) <= 50


def test_sentences_of_a_batch_are_of_about_a_length():
    batches = list(by_length(make_sentences(500), batch_tokens=60, seed=0))
    assert max(max(map(len, b)) - min(map(len, b)) for b in batches) <= 2


def test_the_seed_decides_the_order():
    orders = {str(list(by_length(SENTENCES, batch_tokens=50, seed=s))) for s in (0, 1)}
    assert len(orders) == 2


def test_packed_rows_are_what_each_stretch_reads_and_predicts():
    sentences = [["the"], ["a", "cat", "sat"], [], ["x", "dog"]]
    batch = make_batcher().from_sentences(sentences)
    assert batch.active == [4, 3, 2, 1]
    assert batch.order.tolist() == [1, 3, 0, 2]
    words = make_vocabulary().words
    forward, backward = [[words[i] for i in row] for row in batch.targets]
    assert " ".join(forward) == "a <UNK> the </S> cat dog </S> sat </S> </S>"
    assert " ".join(backward) == "sat dog the <S> cat <UNK> <S> a <S> <S>"
    distinct = len({"<S>", "</S>", "the", "a", "cat", "sat", "x", "dog"})
    assert batch.ids.shape == (distinct, 50)


def test_a_batch_has_no_padded_step():
    batch = make_batcher().from_sentences(SENTENCES)
    assert batch.n_predictions == 2 * sum(len(s) + 1 for s in SENTENCES)
    assert batch.words.shape == batch.targets.shape
    assert sum(batch.active) == batch.targets.shape[1]


@pytest.mark.parametrize("unroll, n_streams", [(20, 4), (1, 1), (7, 100)])
def test_windows_predict_every_word_once(unroll: int, n_streams: int):
    """bilm-tf issues 142, 130: what becomes of sentences over the unrolled steps."""
    streams = Streams.from_size(n_streams)
    windows = list(streams.windows(SENTENCES, unroll=unroll, is_last=True))
    for direction in (0, 1):
        stretches = [s for window in windows for s in window[direction]]
        assert predictions(stretches) == all_predictions(direction)
    assert max(len(read) for w in windows for read, _ in w[0]) <= unroll


def test_windows_go_on_over_the_borders_of_pools():
    whole, split = Streams.from_size(4), Streams.from_size(4)
    expected = list(whole.windows(SENTENCES, unroll=5, is_last=True))
    found = list(split.windows(SENTENCES[:20], unroll=5, is_last=False))
    split = Streams.from_json(split.to_json())
    found += split.windows(SENTENCES[20:], unroll=5, is_last=True)
    assert found == expected


def test_stretches_may_be_empty():
    """Streams of windows end at different points."""
    forward, backward = both_ways(["the", "a"])
    nothing = ([], [])
    batch = make_batcher().from_stretches([nothing, forward], [nothing, backward])
    assert batch.active == [1, 1, 1]
    assert np.array_equal(batch.order, [1, 0])
