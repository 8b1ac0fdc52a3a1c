"""allenai/allennlp#2260: a flat list of words was read letter by letter."""

from typing import Any

import pytest

from spacy_elmo.characters import check_sentences


@pytest.mark.parametrize(
    "sentences, found", [(["i", "am"], "the str 'i'"), ("i am", "the str 'i am'")]
)
def test_strings_where_lists_of_words_are_wanted_are_refused(
    sentences: Any, found: str
) -> None:
    with pytest.raises(TypeError, match=found):
        check_sentences(sentences)
