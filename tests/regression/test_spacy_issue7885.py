"""explosion/spaCy#7885, #7525: training failed where other components were disabled."""

import numpy as np
import pytest
from spacy.language import Language

from tests.util import TEXTS, make_examples, scalars_of, train


def test_a_head_trains_with_the_other_disabled(nlp: Language) -> None:
    tagger, ner = scalars_of(nlp, "tagger"), scalars_of(nlp, "ner")
    with nlp.select_pipes(enable=["elmo", "ner"]):
        train(nlp, 3)
    np.testing.assert_array_equal(scalars_of(nlp, "tagger"), tagger)
    assert (scalars_of(nlp, "ner") != ner).all()


def test_without_elmo_an_update_says_what_to_enable(nlp: Language) -> None:
    with (
        nlp.select_pipes(disable=["elmo"]),
        pytest.raises(ValueError, match="enabled.*annotating_components"),
    ):
        nlp.update(make_examples(nlp), sgd=False)


def test_without_elmo_a_prediction_says_what_to_enable(nlp: Language) -> None:
    with (
        nlp.select_pipes(disable=["elmo"]),
        pytest.raises(ValueError, match="'tagger' listens to .* 'elmo'.*enabled"),
    ):
        nlp(TEXTS[0])
