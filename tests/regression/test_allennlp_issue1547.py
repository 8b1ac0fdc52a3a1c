"""allenai/allennlp#1547: must users add the sentence boundaries <S> and </S>?

No: the model adds them. Also allenai/allennlp#1419, #2092, ELMoForManyLangs#34.
"""

import numpy as np
import pytest
from spacy.language import Language

from spacy_elmo.characters import word_to_ids
from tests.util import make_doc

WORDS = ["I", "am", "here"]


def test_every_token_gets_one_row_and_boundaries_none(elmo_nlp: Language) -> None:
    doc = elmo_nlp(make_doc(elmo_nlp.vocab, WORDS))
    assert doc._.elmo.shape[1] == 3


def test_boundaries_added_by_hand_are_two_more_tokens(elmo_nlp: Language) -> None:
    plain = elmo_nlp(make_doc(elmo_nlp.vocab, WORDS))._.elmo
    marked = elmo_nlp(make_doc(elmo_nlp.vocab, ["<S>", *WORDS, "</S>"]))._.elmo
    assert marked.shape[1] == 5
    assert np.abs(marked[1, 1:4] - plain[1]).max() > 1e-3


@pytest.mark.parametrize(
    "word, inside",
    [("<S>", [257]), ("</S>", [258]), ("<s>", [ord(c) + 1 for c in "<s>"])],
)
def test_only_the_literal_boundaries_get_their_characters(
    word: str, inside: list[int]
) -> None:
    expected = [259, *inside, 260]
    ids = word_to_ids(word)
    assert ids == expected + [261] * (50 - len(expected))
