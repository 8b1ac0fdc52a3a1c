"""What every mix of layers has in common."""

from collections.abc import Sequence

from thinc.api import Model

from .types import LayersList, VectorsList

#: A model that makes one vector a token out of several layers.
Mix = Model[LayersList, VectorsList]


def bind_mix(mix: Mix, layers: Sequence[int], width: int) -> None:
    """Tell a mix which layers it will be given, before it is initialized.

    A mix that wants to know keeps a function `bind(mix, layers, width)` in its attrs.

    layers (Sequence[int]): The numbers of the layers; 0 is the token layer.
    width (int): The width of each.
    RAISES (ValueError): The mix asks for others; names the setting.
    """
    if "bind" in mix.attrs:
        mix.attrs["bind"](mix, layers, width)
    elif mix.has_dim("nO") is None:
        mix.set_dim("nO", width)
