"""allenai/bilm-tf#45: spaCy tokens in place of strings led to NaN."""

from typing import Any

import pytest
from spacy.language import Language

from spacy_elmo.characters import word_to_ids


def test_tokens_are_refused(elmo_nlp: Language) -> None:
    with pytest.raises(TypeError, match="token.text"):
        word_to_ids(elmo_nlp.make_doc("word")[0])  # type: ignore[arg-type]


@pytest.mark.parametrize("word", [b"word", 7, None])
def test_what_is_no_string_is_refused(word: Any) -> None:
    with pytest.raises(TypeError, match=f"found {type(word).__name__}"):
        word_to_ids(word)
