"""explosion/spaCy#2228: a Doc saved without its tensor could not be read again."""

import pytest
from spacy.language import Language
from spacy.tokens import Doc

from tests.util import TRAIN


def test_a_doc_without_tensor_and_user_data_comes_back(trained_nlp: Language) -> None:
    doc = trained_nlp(TRAIN[0][0])
    data = doc.to_bytes(exclude=["tensor", "user_data", "user_hooks"])
    loaded = Doc(trained_nlp.vocab).from_bytes(data)
    assert loaded.text == doc.text
    assert loaded._.elmo is None


def test_a_head_says_which_component_is_to_run_first(trained_nlp: Language) -> None:
    doc = trained_nlp(TRAIN[0][0])
    data = doc.to_bytes(exclude=["tensor", "user_data", "user_hooks"])
    loaded = Doc(trained_nlp.vocab).from_bytes(data)
    with pytest.raises(
        ValueError, match="'tagger' listens to the ELMo component 'elmo'"
    ):
        trained_nlp.get_pipe("tagger")(loaded)
