"""The paper's weighted sum of layers, in pure thinc.

Peters et al. 2018, equation 1: γ · Σ softmax(s)_k · h_k, where the task learns the
weights s and the scale γ.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast

from numpy.typing import NDArray
from thinc.api import Model, Ops

from .mix import Mix
from .types import Layers, LayersList, Vectors, VectorsList

LAYER_NORMS = ("none", "token")
EPSILON = 1e-12

Floats = NDArray[Any]  # (nL,)


@dataclass(frozen=True)
class ScalarMixSettings:
    """What the config decides about a mix, and no saved file overrides.

    The fields are documented at `spacy-elmo.ScalarMix.v1`.
    RAISES (ValueError): Names the field, what was found and what is expected.
    """

    weights: Sequence[float] | None = None
    train_weights: bool = True
    gamma: float = 1.0
    train_gamma: bool = True
    layer_norm: str = "none"
    dropout: float = 0.0
    layer_dropout: float = 0.0
    l2: float = 0.0

    def __post_init__(self) -> None:
        if self.weights is not None:
            self._check_weights(self.weights)
        if self.layer_norm not in LAYER_NORMS:
            _refuse("layer_norm", f"one of {LAYER_NORMS}", self.layer_norm)
        for name in ("dropout", "layer_dropout"):
            if not 0 <= getattr(self, name) < 1:
                _refuse(name, "a share from 0 to below 1", getattr(self, name))
        if not self.l2 >= 0:
            _refuse("l2", "0 or more", self.l2)
        if not math.isfinite(self.gamma):
            _refuse("gamma", "a finite number", self.gamma)

    def _check_weights(self, weights: Sequence[float]) -> None:
        total = sum(weights)
        if not weights or not min(weights) >= 0 or not abs(total - 1) <= 1e-4:
            expected = "effective weights, 0 or more, that sum to 1"
            _refuse("weights", expected, f"{list(weights)}, which sum to {total:g}")
        if self.train_weights and min(weights) == 0:
            expected = "no zero where train_weights = true, for its log is not finite"
            _refuse("weights", expected, list(weights))

    def scalars(self, n_layers: int) -> list[float]:
        """Where the weights start, before the softmax."""
        if self.weights is None:
            return [0.0] * n_layers
        return [math.log(w) if w > 0 else -math.inf for w in self.weights]


def build_scalar_mix(settings: ScalarMixSettings) -> Mix:
    """Build a mix; its weights exist once it is initialized."""
    n_layers = None if settings.weights is None else len(settings.weights)
    return Model(
        "scalar-mix",
        forward,
        init=init,
        dims={"nL": n_layers, "nO": None},
        params={"scalars": None, "gamma": None},
        attrs={"settings": settings, "bind": bind},
    )


def is_scalar_mix(model: Model) -> bool:
    """Whether a node is a scalar mix."""
    return isinstance(model.attrs.get("settings"), ScalarMixSettings)


def mix_weights(model: Mix) -> tuple[list[float], float]:
    """The effective weights, which sum to 1, and gamma."""
    weights = _softmax(model.ops, _scalars(model))
    return [float(w) for w in weights], float(model.get_param("gamma")[0])


def bind(model: Mix, layers: Sequence[int], width: int) -> None:
    """See `bind_mix`."""
    if model.has_dim("nL") and model.get_dim("nL") != len(layers):
        raise ValueError(
            f"The scalar mix has {model.get_dim('nL')} weights but is given the "
            f"{len(layers)} layers {list(layers)}. Change its `weights`, or `layers` "
            "in the block [components.<elmo>.model]."
        )
    model.set_dim("nL", len(layers))
    model.set_dim("nO", width)


def init(model: Mix, X: LayersList | None = None, Y: VectorsList | None = None) -> None:
    if X:
        bind(model, range(X[0].shape[0]), X[0].shape[2])
    settings: ScalarMixSettings = model.attrs["settings"]
    scalars = settings.scalars(model.get_dim("nL"))
    model.set_param("scalars", model.ops.asarray1f(scalars))
    model.set_param("gamma", model.ops.asarray1f([settings.gamma]))


def forward(
    model: Mix, X: LayersList, is_train: bool
) -> tuple[VectorsList, Callable[[VectorsList], LayersList]]:
    settings: ScalarMixSettings = model.attrs["settings"]
    ops, gamma = model.ops, float(model.get_param("gamma")[0])
    drop_layers = settings.layer_dropout if is_train else 0.0
    scalars = _scalars(model)
    weights = _softmax(ops, _drop_layers(ops, scalars, drop_layers))  # (nL,)
    H, backprop_norm = _normalize(ops, X, settings.layer_norm)  # (nL, n, nO) each
    sums = [_weighted_sum(weights, h) for h in H]  # (n, nO) each
    drop = settings.dropout if is_train else 0.0
    masks = [ops.get_dropout_mask(s.shape, drop) for s in sums]

    def backprop(dY: VectorsList) -> LayersList:
        dS = [dy * mask for dy, mask in zip(dY, masks, strict=True)]
        if settings.train_gamma:
            d_gamma = sum(float((ds * s).sum()) for ds, s in zip(dS, sums))
            model.inc_grad("gamma", ops.asarray1f([d_gamma]))
        if settings.train_weights:
            d_weights = ops.xp.zeros_like(weights)
            for h, ds in zip(H, dS):
                d_weights += gamma * (h * ds).sum(axis=(1, 2))
            d_scalars = weights * (d_weights - (weights * d_weights).sum())
            d_scalars += 2 * settings.l2 * (scalars - scalars.mean())
            model.inc_grad("scalars", d_scalars)
        scale = (gamma * weights).reshape((-1, 1, 1))
        return backprop_norm([scale * ds for ds in dS])

    return [gamma * s * mask for s, mask in zip(sums, masks)], backprop


def _scalars(model: Mix) -> Floats:
    return cast(Floats, model.get_param("scalars"))


def _weighted_sum(weights: Floats, h: Layers) -> Vectors:
    # Layer by layer, and not as a product of matrices: the same bits in any shape.
    total = weights[0] * h[0]
    for k in range(1, len(weights)):
        total += weights[k] * h[k]
    return total


def _softmax(ops: Ops, scalars: Floats) -> Floats:
    exponentials = ops.xp.exp(scalars - scalars.max())
    return exponentials / exponentials.sum()


def _drop_layers(ops: Ops, scalars: Floats, rate: float) -> Floats:
    """Leave layers out of the softmax, but never all of them."""
    dropped = ops.get_dropout_mask(scalars.shape, rate) == 0
    if rate == 0 or dropped.all():
        return scalars
    return ops.xp.where(dropped, ops.xp.float32(-1e9), scalars)


def _normalize(
    ops: Ops, X: LayersList, layer_norm: str
) -> tuple[LayersList, Callable[[LayersList], LayersList]]:
    """Each token's vector of each layer to mean 0 and variance 1, or nothing."""
    if layer_norm == "none":
        return X, _unchanged
    deviations = [x - x.mean(axis=2, keepdims=True) for x in X]
    scales = [
        ops.xp.sqrt((d * d).mean(axis=2, keepdims=True) + EPSILON) for d in deviations
    ]
    H = [d / scale for d, scale in zip(deviations, scales)]

    def backprop(dH: LayersList) -> LayersList:
        dX = []
        for dh, h, scale in zip(dH, H, scales, strict=True):
            along = (dh * h).mean(axis=2, keepdims=True)
            dX.append((dh - dh.mean(axis=2, keepdims=True) - h * along) / scale)
        return dX

    return H, backprop


def _unchanged(dX: LayersList) -> LayersList:
    return dX


def _refuse(name: str, expected: str, found: object) -> None:
    raise ValueError(f"ScalarMix {name}: expected {expected}; found {found}.")
