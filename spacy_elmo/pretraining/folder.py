"""A trained language model as a folder.

The biLM's own files are the small ones that prediction reads. Beside them lie what only
continued training and scoring need: `vocab.txt` and `softmax.safetensors`.
"""

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors import safe_open
from safetensors.torch import save_file
from torch import Tensor, nn

from ..bilm import Weights
from ..weights.detect import read_weights
from ..weights.native import write_native
from .language_model import LanguageModel
from .softmax import AdaptiveSoftmax, LinearSoftmax, Softmax
from .vocabulary import read_vocabulary

VOCABULARY_NAME = "vocab.txt"
SOFTMAX_NAME = "softmax.safetensors"
HEADER = "spacy_elmo"


def write_language_model(
    model: LanguageModel,
    path: str | Path,
    provenance: dict[str, Any] | None = None,
    dtype: torch.dtype = torch.float32,
) -> None:
    """Write the folder that `read_language_model` and the weights' loaders read.

    dtype (torch.dtype): float16 halves the files; they are float32 again when read.
    """
    folder = Path(path)
    write_native(weights_of(model, provenance), folder, dtype)
    model.vocabulary.write(folder / VOCABULARY_NAME)
    softmax = model.softmax
    assert isinstance(softmax, nn.Module)
    header: dict[str, Any] = {"kind": "linear"}
    if isinstance(softmax, AdaptiveSoftmax):
        clusters = softmax.clusters
        header = {
            "kind": "adaptive",
            "cutoffs": list(clusters.cutoffs[:-1]),
            "div_value": clusters.div_value,
        }
    state = {n: t.to(dtype).contiguous() for n, t in softmax.state_dict().items()}
    save_file(state, folder / SOFTMAX_NAME, {HEADER: json.dumps(header)})


def replace_language_model(
    model: LanguageModel, path: Path, provenance: dict[str, Any]
) -> None:
    """Write a folder whole: beside its place, then moved there."""
    partial = path.with_name(f"{path.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    write_language_model(model, partial, provenance)
    shutil.rmtree(path, ignore_errors=True)
    partial.rename(path)


def weights_of(
    model: LanguageModel, provenance: dict[str, Any] | None = None
) -> Weights:
    """The biLM of a language model, with its vocabulary, on the CPU."""
    state = {name: t.detach().cpu() for name, t in model.bilm.state_dict().items()}
    return Weights(
        config=model.bilm.config,
        state=state,
        vocabulary=model.vocabulary.words,
        provenance=provenance or {},
    )


def read_language_model(path: str | Path) -> LanguageModel:
    """Read a folder of weights that also holds a vocabulary and a softmax.

    path (Union[str, Path]): Weights in any form that `read_weights` knows; `vocab.txt`;
        and the softmax as `softmax.safetensors`, as `softmax.npz` (W, b), or as
        `softmax/W` and `softmax/b` in the hdf5 file.
    RAISES (FileNotFoundError, ValueError): Names what is missing or does not fit.
    """
    folder = Path(path)
    weights = read_weights(folder)
    softmax = read_softmax(folder, weights.config.projection_dim)
    vocabulary = read_vocabulary(folder / VOCABULARY_NAME)
    return LanguageModel(weights.to_model(), softmax, vocabulary)


def read_softmax(folder: Path, width: int) -> Softmax:
    """Read the softmax of a folder.

    RAISES (FileNotFoundError): There is none; says where to get one. (ValueError): It
        does not fit the biLM.
    """
    header, state = _softmax_state(folder)
    if header["kind"] == "adaptive":
        size = _adaptive_size(state, header["cutoffs"])
        softmax: nn.Module = AdaptiveSoftmax(
            size, width, header["cutoffs"], header["div_value"]
        )
    else:
        softmax = LinearSoftmax(len(state["bias"]), width)
    expected = {name: t.shape for name, t in softmax.state_dict().items()}
    found = {name: t.shape for name, t in state.items()}
    if found != expected:
        raise ValueError(
            f"The softmax in {folder} does not fit its biLM: expected {expected}, "
            f"found {found}."
        )
    softmax.load_state_dict(state)
    return softmax  # type: ignore[return-value]


def _softmax_state(folder: Path) -> tuple[dict[str, Any], dict[str, Tensor]]:
    linear = {"kind": "linear"}
    if (folder / SOFTMAX_NAME).is_file():
        with safe_open(folder / SOFTMAX_NAME, "pt") as file:
            header = json.loads((file.metadata() or {}).get(HEADER, "{}"))
            names = list(file.keys())
            return header or linear, {n: file.get_tensor(n).float() for n in names}
    if (folder / "softmax.npz").is_file():
        with np.load(folder / "softmax.npz", allow_pickle=False) as arrays:
            return linear, _linear_state(arrays["W"], arrays["b"])
    for path in sorted(folder.glob("*.hdf5")):
        import h5py

        with h5py.File(path, "r") as file:
            if "softmax" in file:
                W, b = file["softmax/W"][...], file["softmax/b"][...]
                return linear, _linear_state(W, b)
    raise FileNotFoundError(
        f"No softmax in {folder}, so these weights give vectors but predict no words. "
        f"It is the {SOFTMAX_NAME} (with {VOCABULARY_NAME}) that `python -m spacy elmo "
        "pretrain` writes beside the weights; published ELMo weights come without one, "
        "and `pretrain` can train one for them (initial_weights)."
    )


def _linear_state(W: Any, b: Any) -> dict[str, Tensor]:
    tensors = [torch.from_numpy(np.asarray(x, dtype=np.float32)) for x in (W, b)]
    return {"weight": tensors[0], "bias": tensors[1]}


def _adaptive_size(state: dict[str, Tensor], cutoffs: list[int]) -> int:
    n_clusters = len(cutoffs)
    return cutoffs[-1] + len(state[f"clusters.tail.{n_clusters - 1}.1.weight"])
