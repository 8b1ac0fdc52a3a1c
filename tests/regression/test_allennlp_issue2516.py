"""allenai/allennlp#2516: two calls differed with dropout 0, in evaluation mode."""

import numpy as np

from tests.util import TEXTS, elmo_of, layers_of, make_nlp


def test_predict_twice_is_bit_equal_with_a_hundred_batches_in_between() -> None:
    nlp = make_nlp(heads=())
    docs = [nlp.make_doc(text) for text in TEXTS]
    first = elmo_of(nlp).predict(docs)
    for _ in range(100):
        layers_of(nlp, ["something else", "of other words"])
    second = elmo_of(nlp).predict(docs)
    for a, b in zip(first, second, strict=True):
        np.testing.assert_array_equal(a, b)
