"""explosion/spaCy#11868, #6879: predictions changed in a pool of threads."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
from spacy.language import Language

from tests.util import TEXTS, TRAIN, annotations_of, make_nlp, train

MANY = [*TEXTS, *(text for text, _, _ in TRAIN)] * 17


def test_four_threads_predict_what_one_does() -> None:
    nlp = make_nlp(frozen=False, mix={"dropout": 0.5})
    train(nlp, 60, drop=0.5)
    expected = [nlp(text) for text in MANY]
    with ThreadPoolExecutor(4) as pool:
        for doc, alone in zip(pool.map(nlp, MANY * 4), expected * 4, strict=True):
            np.testing.assert_array_equal(doc._.elmo, alone._.elmo)
            assert annotations_of(doc) == annotations_of(alone)


def test_the_first_use_may_be_in_several_threads() -> None:
    def first_use(nlp: Language) -> np.ndarray:
        return nlp("bank").tensor

    expected = first_use(make_nlp(heads=(), weights=None, initialize=False))
    nlp = make_nlp(heads=(), weights=None, initialize=False)
    with ThreadPoolExecutor(4) as pool:
        for tensor in pool.map(first_use, [nlp] * 8):
            np.testing.assert_array_equal(tensor, expected)
