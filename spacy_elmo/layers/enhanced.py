"""A head's own encoder with ELMo at its input: [x; ELMo] (Peters et al. 2018, 3.3)."""

from thinc.api import Maxout, Model, chain, concatenate, with_array

from .types import Docs, VectorsList


def build_enhanced_tok2vec(
    *,
    embed: Model[Docs, VectorsList],
    elmo: Model[Docs, VectorsList],
    encode: Model[VectorsList, VectorsList],
) -> Model[Docs, VectorsList]:
    """Build (embed | elmo) >> join >> encode.

    The join is a maxout layer that brings both side by side to the width the encoder
    reads; its input width is found when the model is initialized.
    """
    width = encode.get_dim("nO")
    join: Model[VectorsList, VectorsList] = with_array(
        Maxout(nO=width, nP=3, dropout=0.0, normalize=True)
    )
    model: Model[Docs, VectorsList] = chain(concatenate(embed, elmo), join, encode)
    model.set_dim("nO", width)
    model.set_ref("embed", embed)
    model.set_ref("encode", encode)
    return model
