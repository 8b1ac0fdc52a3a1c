"""The biLM inside a thinc model: its weights, where they came from, their bytes."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from typing import Any, cast

import srsly
from safetensors.torch import load, save
from spacy.util import registry
from thinc.optimizers import Optimizer
from thinc.shims import PyTorchShim, Shim
from thinc.types import FloatsXd
from thinc.util import get_torch_default_device, torch2xp, xp2torch
from torch import Tensor

from ..bilm import BiLM, Loader, Weights
from ..bilm.engine import Engine
from ..bilm.product import Precision
from ..bilm.weights import check_state
from .fine_tuning import ALL_AT_ONCE, FineTuning

BUNDLED_LOADER = "spacy-elmo.BundledWeights.v1"

#: Guards the first use of a model and of its engine. It is of the module because a lock
#: on the shim would keep a pipeline from being pickled.
_FIRST_USE = threading.Lock()


class BiLMShim(PyTorchShim):
    """Holds a biLM and whether its weights are set.

    They are set once: by a loader, by `from_bytes`, or on first use by the weights that
    come with the package, if those fit. So a config alone never reads a file, and a
    saved pipeline never needs one. `cfg` keeps vocabulary, characters and provenance.
    """

    def __init__(self, bilm: BiLM, fine_tuning: FineTuning = ALL_AT_ONCE) -> None:
        super().__init__(bilm)
        self.fine_tuning = fine_tuning
        self.has_weights = False
        self.loader: Loader | None = None
        self._n_updates = 0
        self._fingerprint: bytes | None = None
        self._engine: Engine | None = None

    def __getstate__(self) -> dict[str, Any]:
        """For pickle and deepcopy: an engine is made anew."""
        return {**self.__dict__, "_engine": None}

    @property
    def bilm(self) -> BiLM:
        """The network."""
        bilm: BiLM = self._model
        return bilm

    @property
    def vocabulary(self) -> list[str] | None:
        """The words of the language model, if the weights came with them."""
        return self.cfg.get("vocabulary")

    def set_weights(self, weights: Weights) -> None:
        """Take over weights of the same sizes.

        RAISES (ValueError): Lists the sizes that differ; nothing is changed then.
        """
        differences = self.bilm.config.differences(weights.config)
        if differences:
            raise ValueError(
                f"The weights {weights.source!r} do not fit the sizes in the config "
                f"(config, weights): {'; '.join(differences)}. Write the weights' "
                "sizes into the block of the Elmo.v1; "
                "`python -m spacy elmo fill-config` does."
            )
        cfg = {
            "vocabulary": weights.vocabulary,
            "characters": weights.characters,
            "provenance": weights.provenance,
        }
        self._take(weights.state, cfg)

    def load_weights(self) -> None:
        """Call the loader, if there is one; else make sure of weights."""
        if self.loader is not None:
            self.set_weights(self.loader())
        self.require_weights()
        self._n_updates = 0

    def require_weights(self) -> None:
        """Set the bundled weights if none are set.

        RAISES (ValueError): They do not fit; names the config block that mends it.
        """
        if self.has_weights:
            return
        if self.loader is not None:
            raise ValueError(
                "This biLM's config names a loader that was never called. Call "
                "nlp.initialize() before its first use."
            )
        with _FIRST_USE:
            if not self.has_weights:
                self._set_bundled_weights()

    def _set_bundled_weights(self) -> None:
        weights: Weights = registry.get("misc", BUNDLED_LOADER)()()
        differences = self.bilm.config.differences(weights.config)
        if differences:
            raise ValueError(
                "This biLM has no weights, and the bundled ones are of other sizes "
                f"(config, bundled): {'; '.join(differences)}. Name the weights in "
                "[initialize.components.<name>.loader], or in the `loader` of an "
                "ElmoTok2Vec.v1, and call nlp.initialize(); or use "
                "spacy_elmo.blank(lang, weights=DIR)."
            )
        self.set_weights(weights)

    def engine(self, *, kept_words: int, precision: Precision) -> Engine:
        """What predicts with the weights that are set now; see `Engine`."""
        engine = self._engine
        if engine is None:
            with _FIRST_USE:
                engine = self._engine or Engine(
                    self.bilm, kept_words=kept_words, precision=precision
                )
                self._engine = engine
        return engine

    def to_device(self, device_type: str, device_id: int) -> None:
        """Move the biLM to a device."""
        super().to_device(device_type, device_id)
        self._forget()

    def to_bytes(self) -> bytes:
        """Serialize as safetensors, with vocabulary and provenance."""
        self.require_weights()
        state = {name: t.contiguous() for name, t in self.bilm.state_dict().items()}
        message: bytes = srsly.msgpack_dumps({"config": self.cfg, "state": save(state)})
        return message

    def from_bytes(self, bytes_data: bytes) -> "BiLMShim":
        """Take over what `to_bytes` wrote.

        RAISES (ValueError): The tensors do not fit the sizes in the config.
        """
        message: Any = srsly.msgpack_loads(bytes_data)
        state = load(message["state"])
        check_state(self.bilm.config, state, "The saved biLM")
        self._take(state, message["config"])
        self.bilm.to(get_torch_default_device())
        return self

    def finish_update(self, optimizer: Optimizer) -> None:
        """Let the parameters that have gradients take a step, each at its scale."""
        n_layers = self.bilm.config.n_layers
        parameters = self.bilm.named_parameters()
        learning = [(n, p, p.grad) for n, p in parameters if p.grad is not None]
        for name, parameter, gradient in learning:
            scale = self.fine_tuning.scale_of(name, n_layers, self._n_updates)
            if scale > 0:
                # What nlp.rehearse calls an optimizer knows no lr_scale.
                options = {} if scale == 1 else {"lr_scale": scale}
                weights, _ = optimizer(
                    (self.id, f"bilm.{name}"),
                    cast(FloatsXd, torch2xp(parameter.data)),
                    cast(FloatsXd, torch2xp(gradient)),
                    **options,
                )
                parameter.data = xp2torch(weights, device=parameter.device)
            parameter.grad = None
        if learning:
            self._n_updates += 1
            self._forget()

    @contextmanager
    def use_params(self, params: dict[Any, Any]) -> Iterator[None]:
        """Use other values for a while, such as an optimizer's averages."""
        own = dict(self.bilm.named_parameters())
        keys = {name: (self.id, f"bilm.{name}") for name in own}
        before = {name: own[name].data for name, key in keys.items() if key in params}
        for name in before:
            own[name].data = xp2torch(params[keys[name]], device=own[name].device)
        if before:
            self._forget()
        try:
            yield
        finally:
            for name, data in before.items():
                own[name].data = data
            if before:
                self._forget()

    def fingerprint(self) -> bytes:
        """Stands for the biLM: equal for equal sizes, lists and bits."""
        if self._fingerprint is None:
            rest = (self.bilm.config, self.vocabulary, self.cfg.get("characters"))
            digest = sha256(repr(rest).encode("utf8", "backslashreplace"))
            for tensor in self.bilm.state_dict().values():
                digest.update(tensor.cpu().numpy().tobytes())
            self._fingerprint = digest.digest()
        return self._fingerprint

    def separate(self) -> None:
        """Take an id of its own, so that a copy shares no optimizer state."""
        with Shim.global_id_lock:
            Shim.global_id += 1
            self.id = Shim.global_id

    def _take(self, state: dict[str, Tensor], cfg: dict[str, Any]) -> None:
        self.bilm.set_vocabulary(cfg.get("vocabulary"), cfg.get("characters"))
        self.bilm.load_state_dict(state)
        self.cfg = cfg
        self.has_weights = True
        self._n_updates = 0
        self._forget()

    def _forget(self) -> None:
        """Let go of what was made of other weights."""
        self._fingerprint = None
        self._engine = None
