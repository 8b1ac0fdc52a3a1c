"""tensorflow/hub#240: a sentence's mean vector counted the padding.

Also allenai/allennlp#2848.
"""

import numpy as np
from spacy.language import Language


def test_a_doc_vector_is_the_mean_of_its_own_tokens(elmo_nlp: Language) -> None:
    short, long = "Paris is large", "Paris is large " * 10
    (doc, _) = elmo_nlp.pipe([short, long])
    mean = elmo_nlp(short)._.elmo.mean(axis=(0, 1))
    np.testing.assert_allclose(doc.vector, mean, atol=1e-6)
