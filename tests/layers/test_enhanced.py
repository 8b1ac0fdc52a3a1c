"""[x; ELMo] at the input of an encoder, [h; ELMo] at its output, or both."""

import numpy as np
import pytest
from spacy.ml.models.tok2vec import MaxoutWindowEncoder, MultiHashEmbed
from thinc.api import Model

from spacy_elmo.layers.enhanced import build_enhanced_tok2vec
from spacy_elmo.layers.scalar_mix import ScalarMixSettings, build_scalar_mix
from spacy_elmo.layers.standalone import build_standalone
from tests.layers.test_encoder import NLP, encoder

DOCS = [NLP("Ada visits London."), NLP(""), NLP("So it is")]


def elmo() -> Model:
    return build_standalone(encoder(), build_scalar_mix(ScalarMixSettings()))


def enhanced(*, embed: bool, before: bool, after: bool) -> Model:
    hashes = MultiHashEmbed(8, ["NORM", "SHAPE"], [50, 50], False)
    model = build_enhanced_tok2vec(
        embed=hashes if embed else None,
        encode=MaxoutWindowEncoder(8, window_size=1, maxout_pieces=2, depth=1),
        elmo_input=elmo() if before else None,
        elmo_output=elmo() if after else None,
    )
    return model


@pytest.mark.parametrize(
    "embed, before, after, width",
    [
        (True, True, False, 8),
        (False, True, False, 8),
        (True, False, True, 32),
        (True, True, True, 32),
    ],
)
def test_widths(embed: bool, before: bool, after: bool, width: int) -> None:
    model = enhanced(embed=embed, before=before, after=after)
    assert model.get_dim("nO") == width
    model.initialize(X=DOCS)
    shapes = [y.shape for y in model.predict(DOCS)]
    assert shapes == [(4, width), (0, width), (3, width)]


def test_the_output_is_h_beside_the_mix() -> None:
    model = enhanced(embed=True, before=False, after=True)
    model.initialize(X=DOCS)
    (y, *_), (h, *_) = model.predict(DOCS), model.layers[0].predict(DOCS)
    assert np.array_equal(y[:, :8], h)
    assert np.array_equal(y[:, 8:], model.layers[1].predict(DOCS)[0])


def test_both_mixes_learn_and_are_different() -> None:
    model = enhanced(embed=True, before=True, after=True)
    model.initialize(X=DOCS)
    outputs, backprop = model.begin_update(DOCS)
    backprop([np.ones_like(y) for y in outputs])
    mixes = [node for node in model.walk() if node.name == "scalar-mix"]
    first, second = (mix.get_grad("scalars") for mix in mixes)
    assert first.any() and second.any() and not np.allclose(first, second)


@pytest.mark.parametrize("embed, before", [(True, False), (False, False)])
def test_no_elmo(embed: bool, before: bool) -> None:
    with pytest.raises(ValueError, match="set elmo_input, elmo_output or both"):
        enhanced(embed=embed, before=before, after=False)


def test_nothing_to_read() -> None:
    with pytest.raises(ValueError, match="needs embed or elmo_input"):
        enhanced(embed=False, before=False, after=True)
