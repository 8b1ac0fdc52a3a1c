"""explosion/spaCy PR #11385, spacy-transformers PR #342: annotating overwrote training.

A component that also annotates in training predicts after it has updated; that must not
touch the batch whose gradients are on their way.
"""

import pytest
from spacy.language import Language

from tests.util import changed, snapshot, train


@pytest.mark.parametrize(
    "annotates", [["elmo"], ["elmo", "tagger"], ["elmo", "tagger", "ner"]]
)
def test_an_annotating_open_component_learns(
    open_nlp: Language, annotates: list[str]
) -> None:
    train(open_nlp, 2)
    before = snapshot(open_nlp)
    train(open_nlp, annotates=annotates)
    assert changed(before, snapshot(open_nlp)) == list(before)
