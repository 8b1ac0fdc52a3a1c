"""Words by their letters, by a table, or by both."""

from typing import Any

import pytest
import torch

from spacy_elmo.bilm import BiLM, BiLMConfig, Weights
from spacy_elmo.bilm.token_encoder import TokenEncoder
from tests.golden_elmo import GoldenModel

WORDS = ["<S>", "</S>", "<UNK>", "cat", "dog"]
UNICODE_WORDS = ["<oov>", "<bos>", "<eos>", "cat", "dog"]
CHARACTERS = ["<bos>", "<eos>", "<oov>", "<pad>", "<bow>", "<eow>", "c", "a", "t"]

TINY: dict[str, Any] = {
    "char_dim": 3,
    "filters": ((1, 4), (3, 5)),
    "cell_dim": 7,
    "projection_dim": 4,
}
UNICODE = {"characters": "unicode", "n_characters": len(CHARACTERS)}
TABLE = {"n_words": 5, "word_dim": 6}
INPUTS: dict[str, dict[str, Any]] = {
    "bytes": {},
    "bytes and words": TABLE,
    "unicode": UNICODE,
    "unicode and words": {**UNICODE, **TABLE},
    "words": {"characters": "none", **TABLE},
    "words as they are": {"characters": "none", "n_words": 5, "word_dim": 4},
    "words projected": {
        "characters": "none",
        "n_words": 5,
        "word_dim": 4,
        "always_project": True,
    },
}


def make_encoder(name: str, **changes: Any) -> TokenEncoder:
    torch.manual_seed(0)
    bilm = BiLM(BiLMConfig(**{**TINY, **INPUTS[name], **changes}))
    if "unicode" in name:
        bilm.set_vocabulary(UNICODE_WORDS, CHARACTERS)
    else:
        bilm.set_vocabulary(WORDS)
    return bilm.token_encoder


def encode(encoder: TokenEncoder, words: list[str]) -> torch.Tensor:
    with torch.no_grad():
        vectors: torch.Tensor = encoder(encoder.to_ids(words))
    return vectors


@pytest.mark.parametrize("name", INPUTS)
def test_a_word_is_the_projection_of_its_parts(name: str) -> None:
    encoder = make_encoder(name)
    parts = []
    ids = encoder.to_ids(["cat"])
    if encoder.reads_words:
        parts.append(encoder.word_embedding.weight[3])
        assert ids[0, 0] == 3
        ids = ids[:, 1:]
    if encoder.reads_characters:
        X = encoder.embedding.weight[ids[0]].T[None]
        pooled = [c(X)[0].max(dim=1).values for c in encoder.convolutions]
        Y = torch.relu(torch.cat(pooled))[None]
        for highway in encoder.highways:
            Y = highway(Y)
        parts.append(Y[0])
    expected = encoder.projection(torch.cat(parts)[None])[0]
    torch.testing.assert_close(encode(encoder, ["cat"])[0], expected)


@pytest.mark.parametrize("name", ["words as they are"])
def test_a_table_of_the_right_width_is_the_token_vectors(name: str) -> None:
    encoder = make_encoder(name)
    assert torch.equal(encode(encoder, WORDS), encoder.word_embedding.weight)


@pytest.mark.parametrize("name", [n for n in INPUTS if n != "bytes"])
def test_unknown_words(name: str) -> None:
    """Words alone cannot tell them apart, letters can."""
    one, two = encode(make_encoder(name), ["tact", "tactt"])
    assert torch.allclose(one, two) == name.startswith("words")


@pytest.mark.parametrize("name", INPUTS)
def test_gradients_reach_every_parameter(name: str) -> None:
    encoder = make_encoder(name)
    encoder(encoder.to_ids(["cat", "tact"])).sum().backward()
    for parameter in encoder.parameters():
        assert parameter.grad is not None and parameter.grad.any()


@pytest.mark.parametrize("name", ["unicode", "words", "bytes and words"])
def test_a_biLM_with_tables_has_to_be_told_its_words(name: str) -> None:
    bilm = BiLM(BiLMConfig(**TINY, **INPUTS[name]))
    with pytest.raises(ValueError, match=r"bilm\.set_vocabulary"):
        bilm.collate([["cat"]])
    with pytest.raises(ValueError, match="expected|needs"):
        bilm.set_vocabulary(["too", "few"])


def test_bytes_need_no_words() -> None:
    weights = GoldenModel("relu_hw2").weights
    Weights(weights.config, weights.state, vocabulary=["any", "words"])
    BiLM(BiLMConfig(**TINY)).set_vocabulary(None)


def test_weights_refuse_the_words_of_another_model() -> None:
    """SIFRank_zh issue 16: a dictionary of 71222 words for a table of 6169."""
    config = BiLMConfig(**TINY, **INPUTS["words"])
    state = BiLM(config).state_dict()
    with pytest.raises(ValueError, match="weights: vocabulary: expected 5.*found 6"):
        Weights(config, state, vocabulary=[*WORDS, "bird"])
    assert Weights(config, state, vocabulary=WORDS).to_model().collate([["cat"]])
