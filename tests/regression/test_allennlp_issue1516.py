"""allenai/allennlp#1516, #3310: are several output representations really several?

They are equal until training tells them apart; each head has a mix of its own.
"""

import numpy as np

from tests.util import make_examples, make_nlp, mix_of, scalars_of, train


def test_two_heads_read_the_same_until_training_tells_them_apart() -> None:
    nlp = make_nlp()
    np.testing.assert_array_equal(scalars_of(nlp, "tagger"), scalars_of(nlp, "ner"))
    train(nlp, 3)
    difference = scalars_of(nlp, "tagger") - scalars_of(nlp, "ner")
    assert np.abs(difference).max() > 1e-3


def test_a_head_sends_gradients_to_its_own_mix_alone() -> None:
    nlp = make_nlp()
    train(nlp, 2)
    nlp.update(make_examples(nlp), exclude=["ner"], sgd=False)
    assert np.abs(mix_of(nlp, "tagger").get_grad("scalars")).max() > 1e-6
    assert not mix_of(nlp, "ner").get_grad("scalars").any()
