"""The biLM inside a thinc model: its weights, where they came from, their bytes."""

import threading
from typing import Any

import srsly
from safetensors.torch import load, save
from spacy.util import registry
from thinc.shims import PyTorchShim
from thinc.util import get_torch_default_device

from ..bilm import BiLM, Weights
from ..bilm.weights import check_state

BUNDLED_LOADER = "spacy-elmo.BundledWeights.v1"

#: Guards the first use of a model without weights. It is of the module because a lock
#: on the shim would keep a pipeline from being pickled.
_FIRST_USE = threading.Lock()


class BiLMShim(PyTorchShim):
    """Holds a biLM and whether its weights are set.

    They are set once: by a loader, by `from_bytes`, or on first use by the weights that
    come with the package, if those fit. So a config alone never reads a file, and a
    saved pipeline never needs one. `cfg` keeps the vocabulary and the provenance.
    """

    def __init__(self, bilm: BiLM) -> None:
        super().__init__(bilm)
        self.has_weights = False

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
                "sizes into the block [components.<name>.model]."
            )
        self.bilm.load_state_dict(weights.state)
        self.cfg = {
            "vocabulary": weights.vocabulary,
            "provenance": weights.provenance,
        }
        self.has_weights = True

    def require_weights(self) -> None:
        """Set the bundled weights if none are set.

        RAISES (ValueError): They do not fit; names the config block that mends it.
        """
        if self.has_weights:
            return
        with _FIRST_USE:
            if not self.has_weights:
                self._set_bundled_weights()

    def _set_bundled_weights(self) -> None:
        weights: Weights = registry.get("misc", BUNDLED_LOADER)()()
        differences = self.bilm.config.differences(weights.config)
        if differences:
            raise ValueError(
                "This biLM has no weights, and the bundled ones are of other sizes "
                f"(config, bundled): {'; '.join(differences)}. Name the weights in the "
                "block [initialize.components.<name>.loader] and call "
                "nlp.initialize(), or use spacy_elmo.blank(lang, weights=DIR)."
            )
        self.set_weights(weights)

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
        self.bilm.load_state_dict(state)
        self.bilm.to(get_torch_default_device())
        self.cfg = message["config"]
        self.has_weights = True
        return self
