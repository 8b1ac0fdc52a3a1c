"""explosion/spaCy#12037, #7593, #8554: memory grew while Docs streamed by.

Every Doc owns its arrays: a view would keep a whole batch alive.
"""

import gc
import weakref

import pytest
from spacy.language import Language

from tests.util import TEXTS, bilm_of, train


def test_a_doc_owns_its_arrays(elmo_nlp: Language) -> None:
    long = " ".join(TEXTS * 30)
    for doc in elmo_nlp.pipe(["Paris", long, TEXTS[0]]):
        for array in (doc._.elmo, doc.tensor):
            assert array.base is None
            assert array.flags["C_CONTIGUOUS"]


def test_discarded_docs_leave_nothing_behind(nlp: Language) -> None:
    references = []
    for doc in nlp.pipe(TEXTS * 20, batch_size=4):
        references.append(weakref.ref(doc._.elmo))
    del doc
    gc.collect()
    assert [ref for ref in references if ref() is not None] == []


@pytest.mark.parametrize("exclude", [[], ["ner"]], ids=["all heads", "one missing"])
def test_a_finished_update_leaves_nothing_behind(
    open_nlp: Language, exclude: list[str]
) -> None:
    graphs = []
    handle = bilm_of(open_nlp).register_forward_hook(
        lambda module, inputs, output: graphs.append(weakref.ref(output[0]))
    )
    train(open_nlp, exclude=exclude)
    handle.remove()
    gc.collect()
    assert len(graphs) == 1
    assert graphs[0]() is None
