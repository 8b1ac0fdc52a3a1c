"""explosion/spacy-transformers PR #410: a listener fed by a stranger's component."""

import pytest
from spacy.language import Language

from tests.util import (
    TEXTS,
    assemble,
    elmo_block,
    head_block,
    make_examples,
    set_weights,
)

TOK2VEC = {"factory": "tok2vec"}
NATIVE = {"@architectures": "spacy.Tok2VecListener.v1", "width": 96, "upstream": "*"}


def test_our_listener_behind_a_tok2vec_says_what_it_expected() -> None:
    components = {"tok2vec": TOK2VEC, "tagger": head_block("tagger", "tok2vec")}
    nlp = assemble(components)
    with pytest.raises(ValueError, match="'tok2vec'.*ElmoListener"):
        nlp.initialize(lambda: make_examples(nlp))


def test_our_listener_to_any_does_not_take_a_tok2vec() -> None:
    nlp = assemble({"tok2vec": TOK2VEC, "tagger": head_block("tagger", "*")})
    with pytest.raises(ValueError, match=r"ELMo component '\*'"):
        nlp.initialize(lambda: make_examples(nlp))


def both(elmo_first: bool) -> Language:
    names = ["elmo", "tok2vec"] if elmo_first else ["tok2vec", "elmo"]
    blocks = {"elmo": elmo_block(), "tok2vec": TOK2VEC}
    tagger = head_block("tagger")
    native = {"factory": "tagger", "model": {**tagger["model"], "tok2vec": NATIVE}}
    components = {name: blocks[name] for name in names}
    nlp = assemble({**components, "tagger": tagger, "native": native})
    set_weights(nlp)
    return nlp


@pytest.mark.parametrize("elmo_first", [True, False])
def test_both_kinds_of_listeners_find_their_own(elmo_first: bool) -> None:
    nlp = both(elmo_first)
    nlp.initialize(lambda: make_examples(nlp))
    assert nlp.get_pipe("elmo").listening_components == ["tagger"]
    assert nlp.get_pipe("tok2vec").listening_components == ["native"]
    nlp.update(make_examples(nlp), sgd=False)
    assert nlp(TEXTS[0])[0].tag_
