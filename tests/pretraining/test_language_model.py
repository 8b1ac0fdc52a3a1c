"""Scores, substitutes and perplexity."""

import copy
import math

import pytest
import torch

from spacy_elmo.pretraining.evaluation import evaluate
from spacy_elmo.pretraining.language_model import LanguageModel

from .util import make_model, make_sentences, make_vocabulary

SENTENCES = [*make_sentences(40), ["the"] * 100, ["unheard", "the"]]


def test_a_uniform_model_has_the_vocabularys_size_as_perplexity():
    """bilm-tf issues 113, 189: what the printed figure means."""
    model = make_model()
    torch.nn.init.zeros_(model.softmax.weight)
    result = evaluate(model, SENTENCES)
    for perplexity in (result.forward, result.backward, result.average):
        assert perplexity == pytest.approx(len(model.vocabulary), rel=1e-6)


def test_perplexity_does_not_depend_on_the_batch():
    model = make_model()
    small, large = (evaluate(model, SENTENCES, batch_tokens=n) for n in (1, 10_000))
    assert small.forward == pytest.approx(large.forward, rel=1e-5)
    assert small.backward == pytest.approx(large.backward, rel=1e-5)
    assert small.n_predictions == large.n_predictions


def test_perplexity_weighs_every_word_the_same():
    model = make_model()
    total, n = 0.0, 0
    for sentence in SENTENCES:
        nll, _ = model.nll(model.batcher.from_sentences([sentence]))
        total, n = total + nll[0].sum().item(), n + nll.shape[1]
    assert evaluate(model, SENTENCES).forward == pytest.approx(
        math.exp(total / n), rel=1e-5
    )


def test_the_counts_are_those_of_the_text():
    result = evaluate(make_model(), [["the", "zzz"], [], ["cat"]])
    assert (result.n_sentences, result.n_tokens, result.n_predictions) == (3, 3, 6)
    assert result.oov_rate == pytest.approx(1 / 3)


def test_the_average_is_the_geometric_mean_of_both_directions():
    result = evaluate(make_model(), SENTENCES)
    assert result.average == pytest.approx(math.sqrt(result.forward * result.backward))


def test_reading_backwards_swaps_the_directions():
    """A model with swapped LSTMs and boundaries, on reversed sentences."""
    model = make_model()
    swapped = copy.deepcopy(model)
    bilm = swapped.bilm
    bilm.forward_lstm, bilm.backward_lstm = bilm.backward_lstm, bilm.forward_lstm
    with torch.no_grad():
        for rows, pair in (
            (bilm.token_encoder.embedding.weight, (257, 258)),
            (swapped.softmax.weight, (0, 1)),
            (swapped.softmax.bias, (0, 1)),
        ):
            rows[list(pair)] = rows[list(pair[::-1])].clone()
    ours = evaluate(model, SENTENCES)
    theirs = evaluate(swapped, [sentence[::-1] for sentence in SENTENCES])
    assert ours.forward == pytest.approx(theirs.backward, rel=1e-6)
    assert ours.backward == pytest.approx(theirs.forward, rel=1e-6)
    assert ours.forward != pytest.approx(ours.backward, rel=1e-3)


def test_no_text_has_no_perplexity():
    with pytest.raises(ValueError, match="text is empty"):
        evaluate(make_model(), [])


def test_scores_are_those_the_perplexity_is_made_of():
    model = make_model()
    sentence = ["the", "cat", "zzz"]
    nll, _ = model.nll(model.batcher.from_sentences([sentence]))
    scores = model.score(sentence)
    assert scores.forward == pytest.approx((-nll[0, :-1]).tolist())
    assert scores.backward == pytest.approx((-nll[1, :-1]).flip(0).tolist())


def test_the_score_of_a_word_depends_on_its_own_side_alone():
    model = make_model()
    one, other = model.score(["the", "cat", "sat"]), model.score(["the", "cat", "ran"])
    assert one.forward[:2] == pytest.approx(other.forward[:2])
    assert one.backward[0] != pytest.approx(other.backward[0])


def test_substitutes_are_the_best_by_both_directions():
    model = make_model()
    sentence = ["the", "cat", "sat"]
    found = model.substitutes(sentence, k=3)
    words = model.vocabulary.words[3:]
    by_hand = []
    for word in words:
        scores = model.score(["the", word, "sat"])
        by_hand.append((word, scores.forward[1] + scores.backward[1]))
    by_hand.sort(key=lambda pair: -pair[1])
    assert [word for word, _ in found[1]] == [word for word, _ in by_hand[:3]]
    assert [s for _, s in found[1]] == pytest.approx([s for _, s in by_hand[:3]])
    assert len(found) == 3


def test_an_empty_sentence_has_no_scores():
    model = make_model()
    assert model.score([]) == ([], [])
    assert model.substitutes([]) == []


def test_a_softmax_of_another_size_is_refused():
    """bilm-tf issue 197: an index out of range, deep inside."""
    model = make_model()
    vocabulary = make_vocabulary()
    model.softmax.vocabulary_size = 99
    with pytest.raises(ValueError, match="has 11 words, the softmax has 99"):
        LanguageModel(model.bilm, model.softmax, vocabulary)
