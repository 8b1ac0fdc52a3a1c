"""allenai/allennlp#1810: "<PAD>" put in by users is a word like any other.

Also HIT-SCIR/ELMoForManyLangs#58 and Rostlab/SeqVec#12. Padding is our own business.
"""

import numpy as np
import pytest
from spacy.language import Language

from tests.util import make_doc


@pytest.mark.parametrize("pad", ["<PAD>", "<pad>", "<mask>"])
def test_a_padding_word_changes_its_neighbour(elmo_nlp: Language, pad: str) -> None:
    alone = elmo_nlp(make_doc(elmo_nlp.vocab, ["I"]))._.elmo
    padded = elmo_nlp(make_doc(elmo_nlp.vocab, ["I", pad]))._.elmo
    np.testing.assert_allclose(padded[0, :1], alone[0], atol=1e-6)
    assert np.abs(padded[1:, 0] - alone[1:, 0]).max() > 1e-3


def test_a_longer_batch_mate_does_not(elmo_nlp: Language) -> None:
    vocab = elmo_nlp.vocab
    alone = elmo_nlp(make_doc(vocab, ["I"]))._.elmo
    mates = [make_doc(vocab, ["I"]), make_doc(vocab, ["word"] * 50)]
    (together, _) = (doc._.elmo for doc in elmo_nlp.pipe(mates))
    np.testing.assert_allclose(together, alone, atol=1e-5)
