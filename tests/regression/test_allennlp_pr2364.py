"""allenai/allennlp PR #2364: `tokens_to_add` gives whole tokens unused byte values."""

import pytest

from spacy_elmo.characters import word_to_ids


def test_an_added_token_is_one_character() -> None:
    ids = word_to_ids("<ent>", 6, tokens_to_add={"<ent>": 1})
    assert ids == [259, 2, 260, 261, 261, 261]


def test_other_words_are_as_ever() -> None:
    assert word_to_ids("ent", tokens_to_add={"<ent>": 1}) == word_to_ids("ent")


@pytest.mark.parametrize(
    "added, problem",
    [
        ({"<ent>": 256}, "is 256; expected a byte value from 0 to 255"),
        ({"<ent>": -1}, "is -1; expected"),
        ({"<ent>": 1, "<sep>": 1}, "gives the value 1 to several tokens"),
    ],
)
def test_values_that_collide_are_refused(added: dict[str, int], problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        word_to_ids("<ent>", tokens_to_add=added)
