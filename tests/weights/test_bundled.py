"""The bundled weights: pinned, small, and as good as in float32."""

from pathlib import Path

import numpy as np

from spacy_elmo.bilm.engine import Engine
from spacy_elmo.weights.loaders import BUNDLED
from spacy_elmo.weights.native import read_native

GOLDEN = np.load(Path(__file__).parents[1] / "golden" / "bundled.npz")


def layers() -> np.ndarray:
    engine = Engine(read_native(BUNDLED).to_model())
    sentences = [str(sentence).split() for sentence in GOLDEN["sentences"]]
    return engine.layers(sentences, [0, 1, 2]).numpy()


def test_layers_are_pinned() -> None:
    np.testing.assert_allclose(layers(), GOLDEN["written"], rtol=0, atol=1e-5)


def test_float16_in_the_file_costs_a_thousandth_of_a_vector() -> None:
    trained = GOLDEN["trained"]
    errors = np.linalg.norm(layers() - trained, axis=2)
    assert (errors / np.linalg.norm(trained, axis=2)).max() < 1e-3


def test_size() -> None:
    assert (BUNDLED / "weights.safetensors").stat().st_size < 8_000_000


def test_the_card_is_there() -> None:
    assert "Perplexity" in (BUNDLED / "README.md").read_text(encoding="utf8")
