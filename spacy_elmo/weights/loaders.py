"""The loaders that a config names, as `@misc = "spacy-elmo.<Name>.v1"`.

Nothing is read before a loader is called, which `nlp.initialize()` does.
"""

from dataclasses import dataclass
from pathlib import Path

from ..bilm import Loader, Weights
from .allennlp import read_allennlp
from .native import WEIGHTS_NAME, read_native

BUNDLED = Path(__file__).parent.parent / "data" / "en_prototype"


@dataclass(frozen=True)
class NativeLoader:
    """Loads a folder of our own form."""

    path: Path

    def __call__(self) -> Weights:
        return read_native(self.path)


@dataclass(frozen=True)
class AllenNLPLoader:
    """Loads `options.json` and `weights.hdf5`."""

    options: Path
    weights: Path

    def __call__(self) -> Weights:
        return read_allennlp(self.options, self.weights)


def bundled_weights_v1() -> Loader:
    """spacy-elmo.BundledWeights.v1: the English weights that come with the package."""
    return NativeLoader(BUNDLED)


def allennlp_weights_v1(*, options: str, weights: str) -> Loader:
    """spacy-elmo.AllenNLPWeights.v1: a biLM in the format of AllenNLP and bilm-tf.

    options (str): Path of `options.json`. weights (str): Path of `weights.hdf5`.
    """
    return AllenNLPLoader(Path(options), Path(weights))


def read_weights(path: str | Path) -> Weights:
    """Read a folder of weights, in whichever form it holds them.

    RAISES (FileNotFoundError, ValueError): Says what the folder holds and what was
        looked for.
    """
    folder = Path(path)
    if (folder / WEIGHTS_NAME).is_file():
        return read_native(folder)
    hdf5 = sorted([*folder.glob("*.hdf5"), *folder.glob("*.h5")])
    options = sorted(folder.glob("*options*.json"))
    if len(hdf5) == 1 and len(options) == 1:
        return read_allennlp(options[0], hdf5[0])
    if not folder.is_dir():
        raise FileNotFoundError(f"No folder of weights at {folder}.")
    raise ValueError(
        f"{folder}: found {sorted(p.name for p in folder.iterdir())}; expected either "
        f"config.json and {WEIGHTS_NAME} (spacy-elmo), or one options.json and one "
        "weights.hdf5 (AllenNLP, bilm-tf)."
    )
