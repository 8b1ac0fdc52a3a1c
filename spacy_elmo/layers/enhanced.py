"""ELMo at the input and the output of a head's own encoder (Peters et al. 2018, 3.3).

The head's encoder reads [x; ELMo], its own embeddings beside a mix of the layers, and
what it makes of them, h, goes on as [h; ELMo], beside another mix.
"""

from thinc.api import Maxout, Model, chain, concatenate, with_array

from .types import Docs, VectorsList

Tok2Vec = Model[Docs, VectorsList]


def build_enhanced_tok2vec(
    *,
    embed: Tok2Vec | None,
    encode: Model[VectorsList, VectorsList],
    elmo_input: Tok2Vec | None,
    elmo_output: Tok2Vec | None,
) -> Tok2Vec:
    """Build ((embed | elmo_input) >> join >> encode) | elmo_output.

    The join is a maxout layer that brings its inputs to the width that the encoder
    reads; its input width is found when the model is initialized.

    RAISES (ValueError): There is no ELMo at all, or nothing for the encoder to read.
    """
    inputs = [model for model in (embed, elmo_input) if model is not None]
    if elmo_input is None and elmo_output is None:
        raise ValueError("EnhancedTok2Vec: set elmo_input, elmo_output or both.")
    if not inputs:
        raise ValueError("EnhancedTok2Vec: the encoder needs embed or elmo_input.")
    width = encode.get_dim("nO")
    encoder: Tok2Vec = chain(_join(inputs, width), encode)
    encoder.set_ref("elmo_input", elmo_input)
    if elmo_output is None:
        encoder.set_dim("nO", width)
        return encoder
    model: Tok2Vec = concatenate(encoder, elmo_output)
    model.set_ref("elmo_output", elmo_output)
    model.attrs["bind_width"] = bind_width
    bind_width(model)
    return model


def bind_width(model: Tok2Vec) -> None:
    """Set the width of [h; ELMo], once a listener knows that of its mix."""
    encoder, elmo_output = model.layers
    if elmo_output.has_dim("nO"):
        width = encoder.layers[-1].get_dim("nO") + elmo_output.get_dim("nO")
        model.set_dim("nO", width)


def _join(inputs: list[Tok2Vec], width: int) -> Tok2Vec:
    joined = inputs[0] if len(inputs) == 1 else concatenate(*inputs)
    maxout = Maxout(nO=width, nP=3, dropout=0.0, normalize=True)
    join: Model[VectorsList, VectorsList] = with_array(maxout)
    return chain(joined, join)
