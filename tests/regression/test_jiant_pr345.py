"""nyu-mll/jiant PR #345, #393: state leaked from a premise into its hypothesis."""

import numpy as np
from spacy.language import Language

from tests.util import layers_of

PREMISE = "A man plays the guitar on a stage."
HYPOTHESIS = "Somebody makes music."


def test_the_order_of_a_pair_does_not_matter(elmo_nlp: Language) -> None:
    premise, hypothesis = layers_of(elmo_nlp, [PREMISE, HYPOTHESIS], batch_size=1)
    swapped = layers_of(elmo_nlp, [HYPOTHESIS, PREMISE], batch_size=1)
    np.testing.assert_array_equal(premise, swapped[1])
    np.testing.assert_array_equal(hypothesis, swapped[0])
