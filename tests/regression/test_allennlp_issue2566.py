"""allenai/allennlp#2566: where are the learned weights of the layers?

Also allenai/allennlp#2085, #1716, #2552 and allenai/bilm-tf#92.
"""

from pathlib import Path

import pytest
import spacy
from spacy.language import Language

from spacy_elmo import layer_weights
from tests.util import make_nlp, train


def test_they_are_uniform_before_training(nlp: Language) -> None:
    reports = layer_weights(nlp)
    assert [r.component for r in reports] == ["tagger", "ner"]
    for report in reports:
        assert report.upstream == "elmo"
        assert report.layers == (0, 1, 2)
        assert report.weights == pytest.approx([1 / 3] * 3, abs=1e-7)
        assert report.gamma == 1.0


def test_training_changes_them(nlp: Language) -> None:
    train(nlp, 3)
    heads = layer_weights(nlp)
    assert len(heads) == 2
    for head in heads:
        assert max(abs(w - 1 / 3) for w in head.weights) > 1e-4
        assert sum(head.weights) == pytest.approx(1, abs=1e-6)
        assert abs(head.gamma - 1) > 1e-4


def test_they_are_saved_and_restored_exactly(nlp: Language, tmp_path: Path) -> None:
    train(nlp, 3)
    nlp.to_disk(tmp_path)
    assert layer_weights(spacy.load(tmp_path)) == layer_weights(nlp)


def test_before_initialize_the_error_says_so() -> None:
    with pytest.raises(ValueError, match="'tagger' has no layer weights yet.*nlp.init"):
        layer_weights(make_nlp(initialize=False))
