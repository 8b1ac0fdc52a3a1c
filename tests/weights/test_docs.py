"""docs/weights.md names every dataset, tensor, loader and size there is."""

import re
from pathlib import Path

import pytest
import torch

import spacy_elmo.weights.loaders as loaders
from spacy_elmo.bilm import BiLM, BiLMConfig
from spacy_elmo.weights.allennlp_layout import dataset_shapes
from tests.golden_elmo import GOLDEN, GoldenModel

PAGE = Path(__file__).parents[2] / "docs" / "weights.md"
TEXT = PAGE.read_text(encoding="utf8")
EMBEDDER = GOLDEN.parent / "efml" / "word_char" / "token_embedder.pkl"


@pytest.mark.parametrize("name", ["relu_hw2", "layers3"])
def test_every_dataset_stands_in_the_table(name: str) -> None:
    for dataset in dataset_shapes(GoldenModel(name).weights.config):
        group, _, last = dataset.rpartition("/")
        last = re.sub(r"(W_cnn|b_cnn)_\d", r"\1_i", last)
        assert f"{last}`" in TEXT
        generic = re.sub(r"Cell\d", "Cellk", re.sub("high_[0-9]", "high_k", group))
        assert re.sub("^RNN_[01]/", "", generic) in TEXT


def test_every_tensor_stands_in_the_table() -> None:
    for name in torch.load(EMBEDDER, weights_only=True):
        generic = re.sub(r"convolutions\.\d", "convolutions.i", name)
        generic = re.sub(r"_layers\.\d", "_layers.k", generic)
        assert generic.removesuffix(".bias") in TEXT


def test_every_loader_is_named() -> None:
    names = re.findall(r'"""spacy-elmo\.(\w+\.v1):', Path(loaders.__file__).read_text())
    assert len(names) == 5
    for name in names:
        assert name in TEXT or name == "BundledWeights.v1"


def test_the_widths_are_those_of_the_models() -> None:
    """allennlp issues 1614, 2343; flair issue 1265: a documented width was wrong."""
    rows = re.findall(r"\| (\d+) \| \(3, tokens, (\d+)\) \| (\d+) \|", TEXT)
    assert len(rows) == 5
    for projection, columns, width in rows:
        config = BiLMConfig(projection_dim=int(projection))
        assert config.width == int(width) == int(columns)
    assert rows[0][2] == str(BiLMConfig().width)


def test_layer_0_is_twice_the_token_vector() -> None:
    config = BiLMConfig(cell_dim=4, projection_dim=3, filters=((1, 4),))
    bilm = BiLM(config)
    layers, _ = bilm(bilm.collate([["word"]]))
    assert torch.equal(layers[0, :, :3], layers[0, :, 3:])
