"""Docs to layers: where torch tensors become arrays, and nowhere else."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
import torch
from thinc.api import Model
from thinc.util import get_torch_default_device, xp2torch
from torch import Tensor

from ..bilm import BiLM, BiLMConfig
from ..bilm.engine import KEPT_WORDS
from ..bilm.product import Precision, check_precision
from .cache import LayerCache
from .context import Context
from .fine_tuning import ALL_AT_ONCE, FineTuning
from .fork import watch_forks
from .reading import Reading, batches, gather, scatter
from .shim import BiLMShim
from .types import Docs, LayersList


@dataclass(frozen=True)
class EncoderSettings:
    """What the config decides about an encoder, and no saved file overrides.

    context (Context): Which tokens the biLM reads together.
    layers (Tuple[int, ...]): The layers to compute; 0 is the token layer.
    frozen (bool): Never change the biLM, and keep no activations in training.
    batch_words (int): Words the biLM reads at once; a longer stretch is read alone.
    word_cache (int): Words whose token vectors are kept between batches, in prediction.
    precision (str): What prediction multiplies in.
    cache (Optional[LayerCache]): Keeps the layers of training documents.
    """

    context: Context
    layers: tuple[int, ...]
    frozen: bool = True
    batch_words: int = 4096
    word_cache: int = KEPT_WORDS
    precision: Precision = "float32"
    cache: LayerCache | None = None

    def __post_init__(self) -> None:
        for name, least in (("batch_words", 1), ("word_cache", 0)):
            found = getattr(self, name)
            if found < least:
                raise ValueError(f"{name}: expected {least} or more, found {found}.")
        check_precision(self.precision, get_torch_default_device())


def build_encoder(
    config: BiLMConfig,
    *,
    context: Context,
    layers: list[int] | None = None,
    frozen: bool = True,
    batch_words: int = 4096,
    word_cache: int = KEPT_WORDS,
    precision: Precision = "float32",
    cache: LayerCache | None = None,
    fine_tuning: FineTuning = ALL_AT_ONCE,
    callbacks: Mapping[str, Callable] = MappingProxyType({}),
) -> Model[Docs, LayersList]:
    """Build the encoder: one array (n_layers, n_tokens, width) a Doc.

    A Doc's vectors depend on that Doc alone. Whitespace tokens are not read; their rows
    are zero. The node's "dropout_rate" acts on the biLM in training, if it is not
    frozen.

    layers (Optional[List[int]]): The layers to compute, all by default.
    cache (Optional[LayerCache]): Keeps the layers of training documents, so that later
        epochs cost no biLM. Only for a frozen one.
    fine_tuning (FineTuning): How a biLM that is not frozen learns.
    callbacks (Mapping[str, Callable]): What spaCy looks for in the attributes.
    RAISES (ValueError): A layer that the biLM does not have; a cache without `frozen`.
    """
    watch_forks()
    bilm = BiLM(config)
    bilm.requires_grad_(not frozen)
    settings = EncoderSettings(
        context=context,
        layers=_checked_layers(layers, config.n_layers),
        frozen=frozen,
        batch_words=batch_words,
        word_cache=word_cache,
        precision=precision,
        cache=_checked_cache(cache, frozen),
    )
    return Model(
        "elmo-encoder",
        forward,
        init=init,
        dims={"nO": config.width},
        attrs={"settings": settings, "dropout_rate": 0.0, **callbacks},
        shims=[BiLMShim(bilm, fine_tuning)],
    )


def get_shim(model: Model) -> BiLMShim:
    """The shim of an encoder, which holds the biLM and its weights."""
    shim = model.shims[0]
    assert isinstance(shim, BiLMShim)
    return shim


def get_settings(model: Model) -> EncoderSettings:
    """What the config decided about an encoder."""
    settings: EncoderSettings = model.attrs["settings"]
    return settings


def init(
    model: Model[Docs, LayersList],
    X: Docs | None = None,
    Y: LayersList | None = None,
) -> None:
    """Load the weights, before anything is trained on them."""
    get_shim(model).load_weights()


def forward(
    model: Model[Docs, LayersList], docs: Docs, is_train: bool
) -> tuple[LayersList, Callable[[LayersList], Docs]]:
    settings = get_settings(model)
    get_shim(model).require_weights()
    if is_train and not settings.frozen:
        return _begin_update(model, docs)
    if is_train and settings.cache is not None:
        return _predict_once(model, docs, settings.cache), _no_gradient
    return _predict(model, docs), _no_gradient


def _predict(model: Model[Docs, LayersList], docs: Docs) -> LayersList:
    settings = get_settings(model)
    engine = get_shim(model).engine(
        kept_words=settings.word_cache, precision=settings.precision
    )
    outputs = _empty_outputs(model, docs)
    for readings in _batches(model, docs):
        words = [reading.words for reading in readings]
        scatter(engine.layers(words, settings.layers), readings, outputs)
    return outputs


def _predict_once(
    model: Model[Docs, LayersList], docs: Docs, cache: LayerCache
) -> LayersList:
    """The layers of Docs, from the cache where it has them."""
    settings = get_settings(model)
    salt = get_shim(model).fingerprint() + repr(settings.layers).encode()

    def compute(missing: Docs) -> LayersList:
        return [np.asarray(model.ops.to_numpy(y)) for y in _predict(model, missing)]

    contexts = settings.context(docs)
    kept = cache.layers_of(docs, contexts, salt, compute)
    return [model.ops.xp.asarray(layers) for layers in kept]


def _begin_update(
    model: Model[Docs, LayersList], docs: Docs
) -> tuple[LayersList, Callable[[LayersList], Docs]]:
    outputs = _empty_outputs(model, docs)
    graphs: list[tuple[list[Reading], Tensor]] = []
    for readings in _batches(model, docs):
        Y = _encode(model, readings, dropout=model.attrs["dropout_rate"])
        scatter(Y.detach(), readings, outputs)
        graphs.append((readings, Y))

    def backprop(d_outputs: LayersList) -> Docs:
        for readings, Y in graphs:
            dY = model.ops.xp.zeros(tuple(Y.shape), dtype="f")  # (L, N, D)
            gather(d_outputs, readings, dY)
            torch.autograd.backward(Y, xp2torch(dY, device=Y.device))
        return []

    return outputs, backprop


def _batches(model: Model[Docs, LayersList], docs: Docs) -> Iterator[list[Reading]]:
    settings = get_settings(model)
    return batches(docs, settings.context, settings.batch_words)


def _no_gradient(d_outputs: LayersList) -> Docs:
    return []


def _empty_outputs(model: Model[Docs, LayersList], docs: Docs) -> LayersList:
    """Arrays of their own, so that a Doc never keeps its batch mates alive."""
    n_layers, width = len(get_settings(model).layers), model.get_dim("nO")
    zeros = model.ops.xp.zeros
    return [zeros((n_layers, len(doc), width), dtype="f") for doc in docs]


def _encode(
    model: Model[Docs, LayersList], readings: list[Reading], *, dropout: float
) -> Tensor:
    """The wanted layers of all words read, boundaries left out. (L, N, D)"""
    bilm, layers = get_shim(model).bilm, get_settings(model).layers
    batch = bilm.collate([reading.words for reading in readings])
    Y, _ = bilm(batch, n_layers=max(layers), dropout=dropout)  # (1 + n_layers, N', D)
    inner = torch.from_numpy(np.flatnonzero(batch.inner)).to(Y.device)
    wanted: Tensor = Y[list(layers)][:, inner]
    return wanted


def _checked_layers(layers: list[int] | None, n_layers: int) -> tuple[int, ...]:
    wanted = list(range(n_layers + 1)) if layers is None else layers
    valid = all(isinstance(k, int) and 0 <= k <= n_layers for k in wanted)
    if not wanted or not valid or len(set(wanted)) < len(wanted):
        raise ValueError(
            f"layers: expected distinct numbers from 0 (the token layer) to "
            f"{n_layers}, or null for all; found {layers}."
        )
    return tuple(sorted(wanted))


def _checked_cache(cache: LayerCache | None, frozen: bool) -> LayerCache | None:
    if cache is not None and not frozen:
        raise ValueError(
            "cache: the layers of a biLM that learns cannot be kept. Set "
            "frozen = true, or cache = null."
        )
    return cache
