"""Layers of tokenized sentences."""

from pathlib import Path

import numpy as np
import pytest
import spacy
from spacy.tokens import Doc

import spacy_elmo
from spacy_elmo.analysis.layer_reader import (
    CHUNK,
    LayerReader,
    combinations,
    open_weights,
)
from tests.analysis.util import make_reader, sentence
from tests.util import GOLDEN, WEIGHTS


def test_layers_are_those_of_the_component() -> None:
    """Also where a rule would split the sentence."""
    sentences = [sentence("Why ? Because ."), sentence("It is so")]
    nlp = spacy_elmo.blank("en", weights=GOLDEN / WEIGHTS)
    for found, layers in make_reader().read(sentences):
        starts = [True, *[False] * (len(found.words) - 1)]
        doc = Doc(nlp.vocab, words=found.words, sent_starts=starts)
        np.testing.assert_allclose(
            layers, nlp.get_pipe("elmo")(doc)._.elmo, rtol=0, atol=1e-5
        )


def test_a_stream_keeps_its_order() -> None:
    """Sentences of many lengths, more than are read at once."""
    sentences = [sentence("so " * (n % 7)) for n in range(CHUNK + 3)]
    found = list(make_reader().read(iter(sentences)))
    assert [s for s, _ in found] == sentences
    assert all(layers.shape == (3, len(s.words), 24) for s, layers in found)


def test_combinations() -> None:
    layers = np.arange(12, dtype=np.float32).reshape(3, 2, 2)
    found = {way.name: way.combine(layers) for way in combinations(3)}
    expected = {
        "token layer": [[0, 1], [2, 3]],
        "biLSTM layer 1": [[4, 5], [6, 7]],
        "biLSTM layer 2": [[8, 9], [10, 11]],
        "uniform mix": [[4, 5], [6, 7]],
        "concatenation": [[0, 1, 4, 5, 8, 9], [2, 3, 6, 7, 10, 11]],
    }
    assert {name: vectors.tolist() for name, vectors in found.items()} == expected


def test_the_bundled_weights() -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("elmo")
    ((_, layers),) = LayerReader(open_weights("bundled")).read([sentence("It is so")])
    np.testing.assert_allclose(layers, nlp("It is so")._.elmo, rtol=0, atol=1e-5)


def test_no_weights(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="No folder of weights"):
        open_weights(str(tmp_path / "nowhere"))


@pytest.mark.parametrize("given, expected", [(None, 2), (0, 0), (1, 1)])
def test_a_layer_is_checked(given: int | None, expected: int) -> None:
    assert make_reader().check_layer(given) == expected


@pytest.mark.parametrize("given", [-1, 3])
def test_there_is_no_such_layer(given: int) -> None:
    with pytest.raises(ValueError, match=f"expected 0 to 2, found {given}"):
        make_reader().check_layer(given)
