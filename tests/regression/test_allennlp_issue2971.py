"""allenai/allennlp#2971: dropout in prediction, for nobody had called `eval()`."""

from pathlib import Path

import numpy as np
import spacy
from spacy.language import Language

from tests.util import TEXTS, elmo_of, make_examples, make_nlp, train


def is_deterministic(nlp: Language) -> bool:
    first, second = nlp(TEXTS[0]), nlp(TEXTS[0])
    return (
        np.array_equal(first._.elmo, second._.elmo)
        and np.array_equal(first.tensor, second.tensor)
        and bool((first._.elmo != 0).any(axis=2).all())
    )


def test_a_new_pipeline_drops_nothing() -> None:
    nlp = make_nlp(heads=(), mix={"dropout": 0.5}, frozen=False)
    assert is_deterministic(nlp)


def test_a_loaded_pipeline_drops_nothing(open_nlp: Language, tmp_path: Path) -> None:
    train(open_nlp, drop=0.5)
    open_nlp.to_disk(tmp_path)
    assert is_deterministic(spacy.load(tmp_path))


def test_prediction_drops_nothing_after_an_update(open_nlp: Language) -> None:
    train(open_nlp, drop=0.5)
    assert is_deterministic(open_nlp)


def test_an_update_drops_at_the_rate_it_is_given(open_nlp: Language) -> None:
    docs = [example.x for example in make_examples(open_nlp)]
    model = elmo_of(open_nlp).model
    predicted = model.predict(docs)[0]
    for drop, equal in ((0.0, True), (0.5, False)):
        open_nlp.update(make_examples(open_nlp), drop=drop, sgd=False)
        trained = model.begin_update(docs)[0][0]
        assert np.allclose(trained, predicted, atol=1e-5) == equal
