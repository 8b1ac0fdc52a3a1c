"""allenai/allennlp#1530, PR #1347, #1269: the character CNN read words repeatedly."""

import numpy as np

from tests.util import TEXTS, bilm_of, count_calls, make_nlp


def test_a_word_is_spelled_once() -> None:
    nlp = make_nlp(heads=())
    nlp("warm up")  # the boundaries are spelled with the first text
    texts = TEXTS * 3
    docs = [nlp.make_doc(text) for text in texts]
    words = {token.text for doc in docs for token in doc}
    with count_calls(bilm_of(nlp).token_encoder, "to_ids") as calls:
        list(nlp.pipe(texts))
        assert sum(len(spelled) for (spelled,) in calls) == len(words)
        list(nlp.pipe(texts[::-1]))
        assert sum(len(spelled) for (spelled,) in calls) == len(words)


def test_it_changes_no_vector() -> None:
    kept, anew = make_nlp(heads=()), make_nlp(heads=(), word_cache=0)
    for text in TEXTS * 2:
        np.testing.assert_array_equal(kept(text)._.elmo, anew(text)._.elmo)
