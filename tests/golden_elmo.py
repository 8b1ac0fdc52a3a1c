"""The golden models: AllenNLP's and bilm-tf's own files and outputs."""

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spacy_elmo.bilm import BiLM, Weights
from spacy_elmo.weights.allennlp import read_allennlp

GOLDEN = Path(__file__).parent / "golden" / "elmo"
MODELS = sorted(path.name for path in GOLDEN.iterdir() if path.is_dir())
_SENTENCES = json.loads((GOLDEN / "sentences.json").read_text(encoding="utf8"))
SENTENCES: list[list[str]] = _SENTENCES["sentences"]
STATEFUL_BATCHES: list[list[int]] = _SENTENCES["stateful_batches"]

#: Large recurrent weights amplify float32 rounding; see golden/tolerances.md.
TOLERANCES = {"clip": 5e-5, "cnn2048_div32": 5e-5}


@dataclass(frozen=True)
class GoldenModel:
    """One model and what its makers computed with it."""

    name: str

    @property
    def folder(self) -> Path:
        return GOLDEN / self.name

    @property
    def tolerance(self) -> float:
        return TOLERANCES.get(self.name, 5e-6)

    @cached_property
    def weights(self) -> Weights:
        return read_allennlp(self.folder / "options.json", self.folder / "weights.hdf5")

    def bilm(self) -> BiLM:
        return self.weights.to_model()

    @cached_property
    def expected(self) -> dict[str, NDArray[Any]]:
        return dict(np.load(self.folder / "expected.npz"))

    @property
    def has_boundaries(self) -> bool:
        """Whether the outputs keep the rows of <S> and </S>."""
        return bool(self.expected["has_bos_eos"])

    def rows(self, layers: NDArray[Any]) -> NDArray[Any]:
        """Our rows of one sentence, as far as the outputs keep them."""
        return layers if self.has_boundaries else layers[:, 1:-1]
