"""Other scripts: Chinese as in the documentation, and whatever else Unicode holds."""

import json
from pathlib import Path

import numpy as np
import pytest
import spacy
import torch
from spacy.tokens import Doc
from spacy.util import load_model_from_config

import spacy_elmo
from spacy_elmo.weights.describe import fill_config
from spacy_elmo.weights.detect import read_weights
from tests.golden_elmo import GOLDEN

EFML = GOLDEN.parent / "efml"
BYTES = GOLDEN / "relu_hw2"

#: By spaCy's code of the language; "xx" splits at blanks and punctuation.
TEXTS = {
    "zh": "我喜欢自然语言处理。",
    "ar": "أحب معالجة اللغات الطبيعية .",
    "hi": "मुझे प्राकृतिक भाषा पसंद है ।",
    "xx": "ภาษาไทย ok 👩‍👩‍👧‍👦 🙂 cafe\u0301 nai\u0308ve",
}


FOLDERS = [BYTES, EFML / "word_char", EFML / "char_clip"]


@pytest.fixture(params=FOLDERS, ids=[folder.name for folder in FOLDERS])
def weights(request: pytest.FixtureRequest) -> Path:
    folder: Path = request.param
    return folder


@pytest.mark.parametrize("lang", TEXTS)
def test_one_row_a_token(weights: Path, lang: str) -> None:
    nlp = spacy_elmo.blank(lang, weights=weights)
    doc = nlp(TEXTS[lang])
    layers = doc._.elmo
    assert layers.shape[:2] == (3, len(doc))
    assert np.isfinite(layers).all() and layers.any(axis=2).all()
    bilm = read_weights(weights).to_model()
    with torch.no_grad():
        expected, _ = bilm(bilm.collate([[token.text for token in doc]]))
    np.testing.assert_allclose(layers, expected[:, 1:-1].numpy(), rtol=0, atol=1e-5)


def test_chinese_is_segmented_by_character() -> None:
    nlp = spacy_elmo.blank("zh", weights=EFML / "word_char")
    assert [token.text for token in nlp("我喜欢")] == ["我", "喜", "欢"]


def test_segmented_chinese_equals_elmoformanylangs() -> None:
    nlp = spacy_elmo.blank("zh", weights=EFML / "word_char")
    sentences = json.loads((EFML / "sentences.json").read_text("utf8"))["sentences"]
    expected = np.load(EFML / "word_char" / "expected.npz")["single_3"]
    doc = nlp(Doc(nlp.vocab, words=sentences[3]))
    np.testing.assert_allclose(doc._.elmo, expected, rtol=0, atol=5e-6)


@pytest.mark.parametrize(
    "weights, limit", [(BYTES, 16), (EFML / "char_clip", 48)], ids=["bytes", "unicode"]
)
def test_long_chinese_words_share_their_beginning(weights: Path, limit: int) -> None:
    """48 bytes are 16 Chinese characters; ELMoForManyLangs reads 48 of them."""
    bilm = read_weights(weights).to_model()
    word = "自然语言处理" * 9
    ids = bilm.token_encoder.to_ids(
        [word[:limit], word[:limit] + "好", word[: limit - 1]]
    )
    assert torch.equal(ids[0], ids[1]) and not torch.equal(ids[0], ids[2])


def test_normalization_is_left_to_the_user(weights: Path) -> None:
    encoder = read_weights(weights).to_model().token_encoder
    composed, decomposed = encoder.to_ids(["café", "cafe\u0301"])
    assert not torch.equal(composed, decomposed)


@pytest.mark.parametrize("name", ["word_char", "char_clip", "word_only"])
def test_a_saved_pipeline_knows_its_words(name: str, tmp_path: Path) -> None:
    nlp = spacy_elmo.blank("zh", weights=EFML / name)
    expected = nlp("我喜欢 The cat .")._.elmo
    nlp.to_disk(tmp_path)
    again = spacy.load(tmp_path)
    assert np.array_equal(again("我喜欢 The cat .")._.elmo, expected)
    copied = load_model_from_config(nlp.config).from_bytes(nlp.to_bytes())
    assert np.array_equal(copied("我喜欢 The cat .")._.elmo, expected)


def test_a_config_of_sizes_and_a_loader(tmp_path: Path) -> None:
    """What `fill_config` writes is what `nlp.initialize` reads."""
    folder = EFML / "word_only"
    base = spacy_elmo.blank("zh").config
    config = fill_config(base, read_weights(folder), folder)
    nlp = load_model_from_config(config)
    nlp.initialize()
    expected = spacy_elmo.blank("zh", weights=folder)("我喜欢")._.elmo
    assert np.array_equal(nlp("我喜欢")._.elmo, expected)
