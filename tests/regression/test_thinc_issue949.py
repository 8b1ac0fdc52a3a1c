"""explosion/thinc#949, #967: deprecated calls of torch warned at every load."""

import warnings
from pathlib import Path

import spacy

from tests.util import TEXTS, make_nlp, train


def test_train_save_load_and_predict_warn_of_nothing_to_come(tmp_path: Path) -> None:
    with warnings.catch_warnings():
        for category in (FutureWarning, DeprecationWarning):
            warnings.simplefilter("error", category)
        nlp = make_nlp(frozen=False)
        train(nlp)
        nlp.to_disk(tmp_path)
        assert len(spacy.load(tmp_path)(TEXTS[0])) == 9
