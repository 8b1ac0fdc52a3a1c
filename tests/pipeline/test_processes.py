"""`n_process`: forked or spawned children of a parent that has already predicted."""

import multiprocessing

import pytest

from tests.util import run_python

# torch leaves a pool of threads behind, which a forked child must not wait for.
CODE = """
import multiprocessing, sys
import numpy as np, torch
from spacy_elmo import restore_hooks
from tests.util import TRAIN, annotations_of, make_nlp, train

multiprocessing.set_start_method(sys.argv[1])
nlp = make_nlp()
train(nlp, 60)
torch.set_num_threads(2)
texts = ["He sat on the bank. " * 60, "", "a  b", *(text for text, _, _ in TRAIN)]
expected = [nlp(text) for text in texts]
docs = list(nlp.pipe(texts, n_process=2, batch_size=1))
for doc, other in zip(docs, expected, strict=True):
    assert doc.text == other.text
    assert annotations_of(doc) == annotations_of(other)
    np.testing.assert_allclose(doc._.elmo, other._.elmo, atol=1e-5)
    np.testing.assert_allclose(doc.tensor, other.tensor, atol=1e-5)
    assert not doc.user_hooks
restore_hooks(docs)
for doc, other in zip(docs, expected, strict=True):
    found, wanted = doc.similarity(docs[0]), other.similarity(expected[0])
    assert abs(found - wanted) < 1e-5, (found, wanted)
print(len(docs), len(set(annotations_of(docs[-1]))))
"""


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_two_processes_agree_with_one_after_it_has_predicted(method: str) -> None:
    """explosion/spaCy#1839 among others: the child hangs, or loses what it computed."""
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"no {method} on this platform")
    n_docs, n_annotations = run_python(CODE, method).split()
    assert n_docs == "6"
    assert int(n_annotations) > 2
