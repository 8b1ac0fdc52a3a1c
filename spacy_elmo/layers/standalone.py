"""A biLM of a head's own: encoder >> mix, without a shared component.

What `nlp.replace_listeners` puts in place of a listener, and what a config can ask for
at once.
"""

from typing import Any

from thinc.api import Model, chain

from ..bilm import Loader
from .encoder import get_settings, get_shim
from .listener import ElmoListener
from .mix import Mix, bind_mix
from .types import Docs, LayersList, VectorsList

LISTENER, STANDALONE = "spacy-elmo.ElmoListener.v1", "spacy-elmo.ElmoTok2Vec.v1"


def build_standalone(
    encoder: Model[Docs, LayersList], mix: Mix, loader: Loader | None = None
) -> Model[Docs, VectorsList]:
    """Build encoder >> mix.

    loader (Optional[Loader]): Called when the head is initialized, never when it is
        loaded. None keeps the weights that are set, or takes the bundled ones.
    """
    bind_mix(mix, get_settings(encoder).layers, encoder.get_dim("nO"))
    get_shim(encoder).loader = loader
    model: Model[Docs, VectorsList] = chain(encoder, mix)
    model.set_dim("nO", mix.get_dim("nO"))
    model.set_ref("elmo", encoder)
    model.set_ref("mix", mix)
    return model


def replace_listener(
    copied: Model[Docs, LayersList], listener: ElmoListener, upstream: Any
) -> Model[Docs, LayersList]:
    """spaCy's callback: the copy of the shared encoder that a head gets of its own.

    It takes no part in the optimizer's state of the original.
    RAISES (ValueError): The original was to load weights, and has not yet.
    """
    upstream.check_loader()
    get_shim(copied).separate()
    return copied


def replace_listener_cfg(
    elmo: dict[str, Any], tok2vec: dict[str, Any]
) -> dict[str, Any]:
    """spaCy's callback: the config block that stands where the listener's stood.

    elmo (Dict[str, Any]): The block of the component's model.
    tok2vec (Dict[str, Any]): The head's block `model.tok2vec`, whatever path spaCy is
        about to replace: the first listener found in it gives the mix.
    RAISES (ValueError): Two listeners with different mixes, which spaCy's callback
        cannot tell apart.
    """
    mixes = [block["mix"] for block in _listeners(tok2vec)]
    if not mixes:
        raise ValueError(f"No {LISTENER} in the block model.tok2vec of this head.")
    if any(mix != mixes[0] for mix in mixes):
        raise ValueError(
            "This head has two ElmoListeners with different `mix` blocks. spaCy does "
            "not say which of them it is replacing: give them the same settings, or "
            f"write {STANDALONE} into the config instead."
        )
    return {
        "@architectures": STANDALONE,
        "elmo": elmo,
        "mix": mixes[0],
        "loader": None,
    }


def _listeners(block: Any) -> list[dict[str, Any]]:
    """The listener blocks inside a block, itself included."""
    if not isinstance(block, dict):
        return []
    if block.get("@architectures") == LISTENER:
        return [block]
    return [found for value in block.values() for found in _listeners(value)]
