"""explosion/spaCy#5850, aphp/edsnlp PR #235: a missing extra broke every pipeline.

h5py is hidden: everything works but the loader that reads hdf5.
"""

from tests.util import GOLDEN, WEIGHTS, run_python

CODE = """
import sys
sys.modules["h5py"] = None
import spacy
spacy.blank("de")("Ein Satz.")
nlp = spacy.blank("en")
nlp.add_pipe("elmo")
print(nlp("Paris")._.elmo.shape)
import spacy_elmo
from spacy_elmo.weights.allennlp import read_allennlp
try:
    read_allennlp(sys.argv[1] + "/options.json", sys.argv[1] + "/weights.hdf5")
except ImportError as error:
    print(error)
"""


def test_only_the_hdf5_loader_misses_h5py() -> None:
    shape, error = run_python(CODE, GOLDEN / WEIGHTS).splitlines()
    assert shape == "(3, 1, 256)"
    assert "pip install 'spacy-elmo[hdf5]'" in error


def test_spacy_info_works() -> None:
    code = """
import sys, runpy
sys.modules["h5py"] = None
sys.argv = ["spacy", "info"]
runpy.run_module("spacy", run_name="__main__")
"""
    assert "spaCy version" in run_python(code)
