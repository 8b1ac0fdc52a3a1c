"""explosion/spaCy PR #7574: a span's Doc got the user data of the whole Doc."""

import pytest
from spacy.language import Language

from tests.util import TEXTS


@pytest.mark.parametrize("copy_user_data", [True, False])
def test_a_part_never_shows_the_layers_of_the_whole(
    elmo_nlp: Language, copy_user_data: bool
) -> None:
    part = elmo_nlp(TEXTS[0])[1:3].as_doc(copy_user_data=copy_user_data)
    assert part._.elmo is None


def test_the_whole_as_a_part_may_show_them(elmo_nlp: Language) -> None:
    doc = elmo_nlp(TEXTS[0])
    layers = doc[:].as_doc(copy_user_data=True)._.elmo
    assert layers is None or (layers == doc._.elmo).all()
