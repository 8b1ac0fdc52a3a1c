"""What importing, loading and predicting must not do: reach out, or touch others."""

from pathlib import Path

from tests.util import make_nlp, run_python

NO_NETWORK = """
import socket, sys

class Refused(socket.socket):
    def __init__(self, *args, **kwargs):
        raise AssertionError("network access")

def refuse(*args, **kwargs):
    raise AssertionError("network access")

socket.socket = Refused
socket.create_connection = socket.getaddrinfo = refuse
import spacy
import spacy_elmo
nlp = spacy.blank("en")
nlp.add_pipe("elmo")
print(nlp("He sat on the bank.")._.elmo.shape)
print(spacy.load(sys.argv[1])("Paris")._.elmo.shape)
"""


def test_no_network_is_used(tmp_path: Path) -> None:
    """flairNLP/flair#2291, allenai/allennlp#4234, #3329."""
    make_nlp().to_disk(tmp_path)
    printed = run_python(NO_NETWORK, tmp_path)
    assert printed == "(3, 6, 256)\n(3, 1, 24)"


REGISTRIES = """
import spacy
from spacy.util import registry
before = set(registry.get_registry_names())
import spacy_elmo
spacy.blank("en").add_pipe("elmo")
print(set(registry.get_registry_names()) - before, hasattr(registry, "model_loaders"))
"""


def test_no_registry_is_created() -> None:
    """spacy-curated-transformers creates `model_loaders`, and fails if it is there."""
    assert run_python(REGISTRIES) == "set() False"
