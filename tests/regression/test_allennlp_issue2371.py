"""allenai/allennlp#2371, #2398: a fine-tuned model gave new vectors each call."""

from pathlib import Path

import numpy as np
import spacy
from spacy.language import Language

from tests.util import TEXTS, bilm_of, train


def test_a_reloaded_fine_tuned_model_always_says_the_same(
    open_nlp: Language, tmp_path: Path
) -> None:
    train(open_nlp, 2)
    before = open_nlp(TEXTS[0])._.elmo
    open_nlp.to_disk(tmp_path)
    loaded = spacy.load(tmp_path)
    assert bilm_of(loaded) is not bilm_of(open_nlp)
    for _ in range(100):
        np.testing.assert_array_equal(loaded(TEXTS[0])._.elmo, before)
