"""Raw text as sentences, and nothing of it left behind."""

import pytest
import spacy

from spacy_elmo.pretraining import splitting
from spacy_elmo.pretraining.sources import Record
from spacy_elmo.pretraining.splitting import Splitter

from ..util import run_python


def records(*contents: str | list[str]) -> list[Record]:
    return [Record(content, len(content)) for content in contents]


def test_records_keep_their_order():
    nlp = spacy.blank("en")
    mixed = records("He left. She did not!", ["a", "b"], [], "  ", "Oh")
    assert Splitter(nlp).sentences(mixed) == [
        ["He", "left", "."],
        ["She", "did", "not", "!"],
        ["a", "b"],
        ["Oh"],
    ]


def test_no_word_is_left_in_the_vocabulary():
    nlp = spacy.blank("en")
    Splitter(nlp).sentences(records("zyzzyva quokka"))
    assert "zyzzyva" not in nlp.vocab.strings


def test_renewing_the_index_changes_no_sentence(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(splitting, "MEMORY_WORDS", 1)
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer", config={"punct_chars": [";"]})
    nlp.tokenizer.add_special_case("gimme", [{"ORTH": "gim"}, {"ORTH": "me"}])
    strings = set(nlp.vocab.strings)
    splitter = Splitter(nlp)
    for _ in range(3):
        found = splitter.sentences(records("gimme; don't zyzzyva", "ten km"))
        assert found == [["gim", "me", ";"], ["do", "n't", "zyzzyva"], ["ten", "km"]]
    assert set(nlp.vocab.strings) >= strings


def test_renewing_the_index_wraps_no_getter(monkeypatch: pytest.MonkeyPatch):
    """spaCy wraps that of norms whenever a vocabulary with a table of them is read."""
    monkeypatch.setattr(splitting, "MEMORY_WORDS", 1)
    nlp = spacy.blank("en")
    nlp.vocab.lookups.add_table("lexeme_norm", {"gonna": "going to"})
    getters = dict(nlp.vocab.lex_attr_getters)
    Splitter(nlp).sentences(records("one", "two"))
    assert nlp.vocab.lex_attr_getters == getters


GROWTH = """
import re
import sys
from pathlib import Path
import spacy
from spacy_elmo.pretraining import splitting
from spacy_elmo.pretraining.sources import Record

splitting.MEMORY_WORDS = int(sys.argv[1])
splitter = splitting.Splitter(spacy.blank("en"))

def read(start, n):
    for i in range(start, start + n, 500):
        text = " ".join(f"w{j}q" for j in range(i, i + 500))
        splitter.sentences([Record(text, len(text))])
    status = Path("/proc/self/status").read_text()
    return int(re.search(r"VmRSS:\\s+(\\d+)", status)[1]) / 1024

before = read(0, 20_000)
print(read(20_000, 230_000) - before)
"""


def test_new_words_do_not_grow_the_process():
    """Without a new index, a quarter of a million of them take 10 MB."""
    assert float(run_python(GROWTH, 20_000)) < 3
