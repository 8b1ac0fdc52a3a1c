"""The entity linker reads sentences cut out of Docs: only a biLM of its own does.

`Span.as_doc()` leaves behind what `elmo` wrote, so a listener finds nothing there.
"""

from pathlib import Path

import pytest
import spacy
from spacy.kb import InMemoryLookupKB
from spacy.language import Language
from spacy.tokens import Doc, Span
from spacy.training import Example
from spacy.vocab import Vocab
from thinc.api import Optimizer

from ..util import empty_example, finish_update
from .models import Head, build

LINKER = Head("entity_linker", {"@architectures": "spacy.EntityLinker.v2"}, "nel_f")
SENTENCES = [
    (["Paris", "is", "a", "city", "."], 0, "CITY"),
    (["I", "met", "Paris", "Hilton", "."], 2, "PERSON"),
]


def make_kb(vocab: Vocab) -> InMemoryLookupKB:
    """Two things called Paris."""
    kb = InMemoryLookupKB(vocab, entity_vector_length=2)
    kb.set_entities(["CITY", "PERSON"], [1, 1], [[1.0, 0.0], [0.0, 1.0]])
    kb.add_alias("Paris", ["CITY", "PERSON"], [0.5, 0.5])
    return kb


def make_doc(vocab: Vocab, words: list[str], place: int, kb_id: str = "") -> Doc:
    starts: list[bool | int | None] = [i == 0 for i in range(len(words))]
    doc = Doc(vocab, words=words, sent_starts=starts)
    doc.ents = [Span(doc, place, place + 1, "NAME", kb_id=kb_id)]
    return doc


def make_examples(vocab: Vocab) -> list[Example]:
    return [
        Example(make_doc(vocab, words, place), make_doc(vocab, words, place, kb_id))
        for words, place, kb_id in SENTENCES
    ]


def trained(tok2vec: str) -> Language:
    nlp = build(LINKER, tok2vec)
    nlp.get_pipe("entity_linker").set_kb(make_kb)  # type: ignore[attr-defined]
    nlp.initialize(lambda: make_examples(nlp.vocab))
    sgd = Optimizer(0.03)
    for _ in range(60):
        examples = [*make_examples(nlp.vocab), empty_example(nlp)]
        nlp.update(examples, sgd=False)  # type: ignore[arg-type]
        finish_update(nlp, sgd)
    return nlp


def links(nlp: Language) -> list[str]:
    docs = [example.predicted for example in make_examples(nlp.vocab)]
    return [doc.ents[0].kb_id_ for doc in nlp.pipe([Doc(nlp.vocab), *docs]) if len(doc)]


def test_it_learns_with_a_bilm_of_its_own(tmp_path: Path) -> None:
    nlp = trained("standalone")
    assert links(nlp) == ["CITY", "PERSON"]
    nlp.to_disk(tmp_path)
    assert links(spacy.load(tmp_path)) == ["CITY", "PERSON"]


def test_with_a_listener_it_says_what_it_misses() -> None:
    nlp = trained("enhanced input")
    with pytest.raises(ValueError, match="'entity_linker' listens .* has not seen"):
        links(nlp)
