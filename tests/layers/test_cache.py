"""Layers are computed once, kept by content and weights, within a bound."""

import pickle
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import spacy
from spacy.tokens import Doc

from spacy_elmo.bilm import BiLM
from spacy_elmo.layers.cache import LayerCache
from spacy_elmo.layers.context import Stretch
from spacy_elmo.layers.shim import BiLMShim
from spacy_elmo.layers.types import Docs, LayersList
from tests.golden_elmo import GoldenModel

NLP = spacy.blank("en")


class Computer:
    """Counts what it computes."""

    def __init__(self) -> None:
        self.computed: list[str] = []

    def __call__(self, docs: Docs) -> LayersList:
        self.computed += [doc.text for doc in docs]
        return [np.full((3, len(doc), 2), len(doc.text), dtype="f") for doc in docs]


def read(
    cache: LayerCache, texts: list[str], salt: bytes = b"", length: int | None = None
) -> tuple[LayersList, list[str]]:
    compute = Computer()
    docs = [NLP(text) for text in texts]
    contexts = [[Stretch(0, length or len(doc), 0, len(doc))] for doc in docs]
    return cache.layers_of(docs, contexts, salt, compute), compute.computed


@pytest.fixture(params=["memory", "file"])
def cache(request: pytest.FixtureRequest, tmp_path: Path) -> LayerCache:
    path = tmp_path / "deep" / "layers.db"
    return LayerCache(path=str(path) if request.param == "file" else None)


def test_each_text_is_computed_once(cache: LayerCache) -> None:
    first, computed = read(cache, ["one", "two words", "one", ""])
    assert computed == ["one", "two words", ""]
    again, computed = read(cache, ["two words", "", "three"])
    assert computed == ["three"]
    assert np.array_equal(again[0], first[1]) and again[0].dtype == np.float32
    assert again[1].shape == (3, 0, 2)


def test_other_weights_and_contexts_are_other_keys(cache: LayerCache) -> None:
    read(cache, ["one word"])
    assert read(cache, ["one word"], salt=b"other")[1] == ["one word"]
    assert read(cache, ["one word"], length=1)[1] == ["one word"]
    assert read(cache, ["one word"])[1] == []


def test_a_full_cache_keeps_what_it_has(tmp_path: Path) -> None:
    one_word = 3 * 1 * 2 * 4  # bytes of "a"
    for path in (None, str(tmp_path / "layers.db")):
        cache = LayerCache(max_megabytes=1.5 * one_word / 2**20, path=path)
        read(cache, ["a", "b"])
        assert read(cache, ["a", "b"])[1] == ["b"]


def test_a_file_outlives_the_process(tmp_path: Path) -> None:
    path = str(tmp_path / "layers.db")
    read(LayerCache(path=path), ["one"])
    assert read(LayerCache(path=path), ["one"])[1] == []


def test_copies_start_empty() -> None:
    cache = LayerCache(max_megabytes=7)
    read(cache, ["one"])
    copy = pickle.loads(pickle.dumps(cache))
    assert copy.max_megabytes == 7
    assert read(copy, ["one"])[1] == ["one"]


def test_a_file_that_is_something_else(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("not a database, but long enough to be taken for one" * 10)
    with pytest.raises(ValueError, match="notes.txt is not a layer cache"):
        read(LayerCache(path=str(path)), ["one"])


def test_no_room_at_all() -> None:
    with pytest.raises(ValueError, match="max_megabytes: expected above 0"):
        LayerCache(max_megabytes=0)


def test_words_are_not_confused() -> None:
    """Two words are not one with a separator in it."""
    cache, compute = LayerCache(), Computer()
    docs = [Doc(NLP.vocab, words=words) for words in (["a", "b"], ["a', 'b"])]
    cache.layers_of(docs, [[], []], b"", compute)
    assert len(compute.computed) == 2


def test_equal_tensors_of_another_config_are_other_weights() -> None:
    golden = GoldenModel("relu_hw2")
    prints = set()
    for clip in (3.0, 0.1, None):
        config = replace(golden.weights.config, cell_clip=clip)
        shim = BiLMShim(BiLM(config))
        shim.set_weights(replace(golden.weights, config=config))
        prints.add(shim.fingerprint())
    assert len(prints) == 3


def test_a_folder_in_place_of_the_file(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="is not a layer cache"):
        read(LayerCache(path=str(tmp_path)), ["one"])
