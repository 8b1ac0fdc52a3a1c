"""explosion/spaCy#3288, PR #3106: merging tokens failed where `doc.tensor` was set."""

from collections.abc import Callable

import numpy as np
import pytest
from spacy.language import Language
from spacy.tokens import Doc


def merged(doc: Doc) -> Doc:
    with doc.retokenize() as retokenizer:
        retokenizer.merge(doc[0:2])
    return doc


def split(doc: Doc) -> Doc:
    with doc.retokenize() as retokenizer:
        heads = [(doc[1], 1), doc[0]]
        retokenizer.split(doc[1], ["li", "ves"], heads=heads)
    return doc


Retokenize = Callable[[Doc], Doc]
BOTH = pytest.mark.parametrize("retokenize", [merged, split])


@BOTH
def test_vectors_that_no_longer_fit_are_not_shown(
    trained_nlp: Language, retokenize: Retokenize
) -> None:
    doc = retokenize(trained_nlp("Anna lives in Paris"))
    assert len(doc) != 4
    assert doc._.elmo is None


@BOTH
def test_a_head_names_retokenization(
    trained_nlp: Language, retokenize: Retokenize
) -> None:
    doc = retokenize(trained_nlp("Anna lives in Paris"))
    with pytest.raises(ValueError, match="of 4 tokens.*retokenized"):
        trained_nlp.get_pipe("tagger")(doc)


@BOTH
def test_running_elmo_again_mends_it(
    trained_nlp: Language, retokenize: Retokenize
) -> None:
    doc = retokenize(trained_nlp("Anna lives in Paris"))
    doc = trained_nlp(doc)
    assert doc._.elmo.shape[1] == len(doc)
    np.testing.assert_allclose(doc.tensor, doc._.elmo.mean(axis=0), atol=1e-6)
