"""Chosen layers as they are: one of them, their concatenation or their average."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from thinc.api import Model

from .mix import Mix
from .types import LayersList, Vectors, VectorsList

COMBINE = ("concatenate", "average")


@dataclass(frozen=True)
class Selection:
    """What the config decides; see `spacy-elmo.SelectLayers.v1`."""

    layers: Sequence[int] | None
    combine: str

    def __post_init__(self) -> None:
        if self.combine not in COMBINE:
            raise ValueError(
                f"SelectLayers combine: expected one of {COMBINE}, found "
                f"{self.combine!r}."
            )
        if self.layers is not None and not self.layers:
            raise ValueError("SelectLayers layers: expected at least one, or null.")


def build_select_layers(selection: Selection) -> Mix:
    """Build a mix without weights."""
    return Model(
        "select-layers",
        forward,
        init=init,
        dims={"nO": None},
        attrs={"selection": selection, "bind": bind, "rows": None},
    )


def bind(model: Mix, layers: Sequence[int], width: int) -> None:
    """See `bind_mix`."""
    selection: Selection = model.attrs["selection"]
    wanted = list(layers) if selection.layers is None else list(selection.layers)
    rows = [_row(number, layers) for number in wanted]
    model.attrs["rows"] = rows
    wide = selection.combine == "concatenate"
    model.set_dim("nO", width * len(rows) if wide else width)


def init(model: Mix, X: LayersList | None = None, Y: VectorsList | None = None) -> None:
    if X and model.attrs["rows"] is None:
        bind(model, range(X[0].shape[0]), X[0].shape[2])


def forward(
    model: Mix, X: LayersList, is_train: bool
) -> tuple[VectorsList, Callable[[VectorsList], LayersList]]:
    rows: list[int] = model.attrs["rows"]
    xp = model.ops.xp
    if model.attrs["selection"].combine == "average":
        Y = [x[rows].mean(axis=0) for x in X]  # (n, D) each
    else:
        Y = [xp.concatenate([x[row] for row in rows], axis=1) for x in X]  # (n, R D)

    def backprop(dY: VectorsList) -> LayersList:
        dX = [xp.zeros_like(x) for x in X]
        for dx, dy in zip(dX, dY, strict=True):
            for row, part in zip(rows, _parts(model, dy, len(rows))):
                dx[row] += part
        return dX

    return Y, backprop


def _parts(model: Mix, dy: Vectors, n_rows: int) -> list[Vectors]:
    """What of a gradient belongs to each selected layer."""
    if model.attrs["selection"].combine == "average":
        return [dy / n_rows] * n_rows
    parts: list[Vectors] = model.ops.xp.split(dy, n_rows, axis=1)
    return parts


def _row(number: int, layers: Sequence[int]) -> int:
    """Where a layer's number stands among those given; -1 is the last of them."""
    if number < 0 and -number <= len(layers):
        return len(layers) + number
    if number in layers:
        return list(layers).index(number)
    raise ValueError(
        f"SelectLayers asks for layer {number}, but is given the layers "
        f"{list(layers)}. Change its `layers`, or `layers` in the block "
        "[components.<elmo>.model]."
    )
