"""Docs to layers: where torch tensors become arrays, and nowhere else."""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Any, NamedTuple, cast

import numpy as np
import torch
from numpy.typing import NDArray
from thinc.api import Model
from thinc.util import torch2xp, xp2torch
from torch import Tensor

from ..bilm import BiLM, BiLMConfig
from .context import Context
from .shim import BiLMShim
from .types import Docs, Layers, LayersList


@dataclass(frozen=True)
class EncoderSettings:
    """What the config decides about an encoder, and no saved file overrides.

    context (Context): Which tokens the biLM reads together.
    layers (Tuple[int, ...]): The layers to compute; 0 is the token layer.
    frozen (bool): Never change the biLM, and keep no activations in training.
    batch_words (int): Words the biLM reads at once; bounds the memory.
    """

    context: Context
    layers: tuple[int, ...]
    frozen: bool = True
    batch_words: int = 4096


class Reading(NamedTuple):
    """Words the biLM reads together, and where their vectors go.

    doc (int): Index of the Doc.
    tokens (NDArray): (n,) the Doc's tokens that are read, whitespace left out.
    words (List[str]): Their texts.
    kept (NDArray): (n,) bool, which of them get their vectors from this reading.
    """

    doc: int
    tokens: NDArray[np.int64]
    words: list[str]
    kept: NDArray[np.bool_]


def build_encoder(
    config: BiLMConfig,
    *,
    context: Context,
    layers: list[int] | None = None,
    frozen: bool = True,
    batch_words: int = 4096,
) -> Model[Docs, LayersList]:
    """Build the encoder: one array (n_layers, n_tokens, width) a Doc.

    A Doc's vectors depend on that Doc alone. Whitespace tokens are not read; their rows
    are zero. The node's "dropout_rate" acts on the biLM in training, if it is not
    frozen.

    layers (Optional[List[int]]): The layers to compute, all by default.
    RAISES (ValueError): A layer that the biLM does not have.
    """
    _watch_forks()
    bilm = BiLM(config)
    bilm.requires_grad_(not frozen)
    settings = EncoderSettings(
        context=context,
        layers=_checked_layers(layers, config.n_layers),
        frozen=frozen,
        batch_words=batch_words,
    )
    return Model(
        "elmo-encoder",
        forward,
        init=init,
        dims={"nO": config.width},
        attrs={"settings": settings, "dropout_rate": 0.0},
        shims=[BiLMShim(bilm)],
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
    """Make sure that there are weights before anything is trained on them."""
    get_shim(model).require_weights()


def forward(
    model: Model[Docs, LayersList], docs: Docs, is_train: bool
) -> tuple[LayersList, Callable]:
    settings = get_settings(model)
    shim = get_shim(model)
    shim.require_weights()
    trainable = is_train and not settings.frozen
    dropout = model.attrs["dropout_rate"] if trainable else 0.0
    n_layers, width = len(settings.layers), model.get_dim("nO")
    zeros = model.ops.xp.zeros
    outputs = [zeros((n_layers, len(doc), width), dtype="f") for doc in docs]
    graphs: list[tuple[list[Reading], Tensor]] = []
    for readings in _batches(_readings(docs, settings.context), settings.batch_words):
        with torch.set_grad_enabled(trainable):
            Y = _encode(shim.bilm, readings, settings.layers, dropout)
        _scatter(cast(Layers, torch2xp(Y.detach())), readings, outputs)
        if trainable:
            graphs.append((readings, Y))

    def backprop(d_outputs: LayersList) -> Docs:
        for readings, Y in graphs:
            dY = _gather(d_outputs, readings, zeros(Y.shape, dtype="f"))
            torch.autograd.backward(Y, xp2torch(cast(Any, dY), device=Y.device))
        return []

    return outputs, backprop


def _readings(docs: Docs, context: Context) -> Iterator[Reading]:
    for index, (doc, stretches) in enumerate(zip(docs, context(docs), strict=True)):
        for start, end, first, last in stretches:
            tokens = [token for token in doc[start:end] if not token.is_space]
            if tokens:
                places = np.asarray([token.i for token in tokens])
                kept = (places >= first) & (places < last)
                yield Reading(index, places, [token.text for token in tokens], kept)


def _batches(readings: Iterator[Reading], budget: int) -> Iterator[list[Reading]]:
    """Readings of similar lengths together, `budget` words at a time."""
    by_length = sorted(readings, key=_n_words, reverse=True)
    ends = np.cumsum([_n_words(reading) for reading in by_length])
    places = enumerate(by_length)
    for _, group in groupby(
        places, key=lambda place: int(ends[place[0]] - 1) // budget
    ):
        yield [reading for _, reading in group]


def _n_words(reading: Reading) -> int:
    return len(reading.words)


def _encode(
    bilm: BiLM, readings: list[Reading], layers: tuple[int, ...], dropout: float
) -> Tensor:
    """The wanted layers of all words read, boundaries left out. (L, N, D)"""
    batch = bilm.collate([reading.words for reading in readings])
    Y, _ = bilm(batch, n_layers=max(layers), dropout=dropout)  # (1 + n_layers, N', D)
    inner = torch.from_numpy(np.flatnonzero(batch.inner)).to(Y.device)
    return Y[list(layers)][:, inner]


def _scatter(Y: Layers, readings: list[Reading], outputs: LayersList) -> None:
    end = 0
    for reading in readings:
        start, end = end, end + len(reading.words)
        kept = reading.kept
        outputs[reading.doc][:, reading.tokens[kept]] = Y[:, start:end][:, kept]


def _gather(d_outputs: LayersList, readings: list[Reading], dY: Layers) -> Layers:
    """The gradients of the words read, in an array of zeros. (L, N, D)"""
    end = 0
    for reading in readings:
        start, end = end, end + len(reading.words)
        kept = reading.kept
        d_doc = d_outputs[reading.doc]
        dY[:, start:end][:, kept] = d_doc[:, reading.tokens[kept]]
    return dY


def _checked_layers(layers: list[int] | None, n_layers: int) -> tuple[int, ...]:
    wanted = list(range(n_layers + 1)) if layers is None else layers
    valid = all(isinstance(k, int) and 0 <= k <= n_layers for k in wanted)
    if not wanted or not valid or len(set(wanted)) < len(wanted):
        raise ValueError(
            f"layers: expected distinct numbers from 0 (the token layer) to "
            f"{n_layers}, or null for all; found {layers}."
        )
    return tuple(sorted(wanted))


def _watch_forks() -> None:
    global _forks_watched
    if not _forks_watched and hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=_use_one_thread)
        _forks_watched = True


_forks_watched = False


def _use_one_thread() -> None:
    """A forked child hangs in the thread pool that torch left behind in the parent."""
    torch.set_num_threads(1)
