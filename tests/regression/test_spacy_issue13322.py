"""explosion/spaCy#13322: which factory, and what must be imported for it?"""

from tests.util import run_python

CODE = """
import sys, spacy
before = "spacy_elmo" in sys.modules
nlp = spacy.blank("en")
nlp.add_pipe("elmo")
print(before, nlp("He sat on the bank.")._.elmo.shape)
"""


def test_elmo_is_added_without_an_import() -> None:
    assert run_python(CODE) == "False (3, 6, 256)"
