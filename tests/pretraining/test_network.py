"""The network of training gives what `BiLM.forward` gives, and its gradients."""

import pytest
import torch
from torch import Tensor

from spacy_elmo.bilm import BiLM, BiLMConfig
from spacy_elmo.pretraining.batches import Batcher, PredictionBatch
from spacy_elmo.pretraining.network import encode_words, read_tops

from .util import SIZES, make_vocabulary

SENTENCES = [["ab", "cat", "x" * 60], [], ["é"], ["a", "b", "c", "d", "é" * 20]]
VARIANTS: dict[str, dict] = {
    "plain": {},
    "clips": {"cell_clip": 0.05, "projection_clip": 0.03},
    "no_projection": {"cell_dim": 8, "projection_clip": 0.01},
    "one_layer": {"n_layers": 1},
    "three_layers_no_skip": {"n_layers": 3, "skip_connections": False},
    "tanh_no_highway": {"activation": "tanh", "n_highway": 0},
    "narrow": {"max_characters": 5},
    "words": {"characters": "none", "n_words": 11, "word_dim": 6},
    "words_as_wide": {"characters": "none", "n_words": 11, "word_dim": 8},
    "words_and_bytes": {"n_words": 11, "word_dim": 6},
}


def make_bilm(**sizes) -> BiLM:
    torch.manual_seed(0)
    bilm = BiLM(BiLMConfig(**{**SIZES, **sizes})).double()
    for name, parameter in bilm.named_parameters():
        if name.endswith("bias"):
            torch.nn.init.normal_(parameter)
    if bilm.config.n_words:
        bilm.set_vocabulary(make_vocabulary().words)
    return bilm


def make_batcher(bilm: BiLM) -> Batcher:
    return Batcher(make_vocabulary(), bilm.token_encoder.require_lexicon())


def make_batch(bilm: BiLM) -> PredictionBatch:
    return make_batcher(bilm).from_sentences(SENTENCES)


def expected_tops(bilm: BiLM, batch: PredictionBatch) -> Tensor:
    """Each stretch's rows from `BiLM.forward`, put into packed order."""
    width = bilm.config.projection_dim
    layers, _ = bilm(bilm.collate(SENTENCES))
    lengths = [len(sentence) + 2 for sentence in SENTENCES]
    tops = layers[-1].split(lengths)
    by_stretch = [(t[:-1, :width], t[1:, width:].flip(0)) for t in tops]
    rows: list[list[Tensor]] = [[], []]
    for step, n in enumerate(batch.active):
        for stretch in batch.order[:n].tolist():
            for direction in (0, 1):
                rows[direction].append(by_stretch[stretch][direction][step])
    return torch.stack([torch.stack(side) for side in rows])


@pytest.mark.parametrize("sizes", VARIANTS.values(), ids=VARIANTS)
def test_tops_and_gradients_are_those_of_the_bilm(sizes: dict):
    bilm = make_bilm(**sizes)
    batch = make_batch(bilm)
    expected = expected_tops(bilm, batch)
    tops, _ = read_tops(bilm, batch)
    assert torch.allclose(tops, expected, atol=1e-12)
    weights = torch.randn_like(tops)
    parameters = list(bilm.parameters())
    theirs = torch.autograd.grad((expected * weights).sum(), parameters)
    ours = torch.autograd.grad((tops * weights).sum(), parameters)
    for ours_, theirs_ in zip(ours, theirs):
        assert torch.allclose(ours_, theirs_, atol=1e-12)


def test_clips_bite_in_the_test_above():
    bilm = make_bilm(**VARIANTS["clips"])
    tops, ((h, c), _) = read_tops(bilm, make_batch(bilm))
    assert (c.abs() == 0.05).any() and (h.abs() == 0.03).any()


def test_reading_goes_on_from_a_state():
    bilm = make_bilm()
    batcher = make_batcher(bilm)
    words = (["a", "b", "c", "d"], ["b", "c", "d", "the"])
    other = (["x", "y"], ["y", "z"])
    whole = batcher.from_stretches([other, words], [other, words])
    tops, ends = read_tops(bilm, whole)
    begun = (words[0][:2], words[1][:2])
    first = batcher.from_stretches([other, begun], [other, begun])
    rest = (words[0][2:], words[1][2:])
    second = batcher.from_stretches([([], []), rest], [([], []), rest])
    _, state = read_tops(bilm, first)
    tops_after, ends_after = read_tops(bilm, second, state=state)
    assert torch.allclose(tops_after, tops[:, -2:], atol=1e-12)
    for (h, c), (h_after, c_after) in zip(ends, ends_after):
        assert torch.allclose(h_after, h, atol=1e-12)
        assert torch.allclose(c_after, c, atol=1e-12)


def test_words_of_all_lengths_are_encoded_as_in_prediction():
    encoder = make_bilm(filters=[[1, 4], [7, 8]]).token_encoder
    words = ["a" * n for n in range(60)] * 4
    ids = encoder.to_ids(words)
    assert torch.allclose(encode_words(encoder, ids), encoder(ids), atol=1e-12)


def test_dropout_is_at_each_layers_input_and_at_the_top():
    bilm = make_bilm()
    batch = make_batch(bilm)
    torch.manual_seed(0)
    tops, _ = read_tops(bilm, batch, dropout=0.5)
    zeros = (tops == 0).double().mean().item()
    assert 0.4 < zeros < 0.6
    without, _ = read_tops(bilm, batch)
    kept = tops != 0
    assert not torch.allclose(tops[kept], 2 * without[kept])
