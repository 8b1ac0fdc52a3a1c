"""The loaders that a config names, as `@misc = "spacy-elmo.<Name>.v1"`.

Nothing is read before a loader is called, which `nlp.initialize()` does. A loader is a
`partial`: spaCy's validation of [initialize] makes a dict of a dataclass.
"""

from functools import partial
from pathlib import Path

from ..bilm import Loader
from .allennlp import read_allennlp
from .detect import read_weights
from .efml import read_efml
from .native import read_native

BUNDLED = Path(__file__).parent.parent / "data" / "en_elmo_sm"
BUNDLED_NAME = "bundled"


def folder_of(name: str) -> Path:
    """The folder that a setting or an argument names; "bundled" is the package's."""
    return BUNDLED if name == BUNDLED_NAME else Path(name)


def bundled_weights_v1() -> Loader:
    """spacy-elmo.BundledWeights.v1: the English weights that come with the package."""
    return partial(read_native, BUNDLED)


def folder_weights_v1(*, path: str) -> Loader:
    """spacy-elmo.FolderWeights.v1: a folder in any form that `read_weights` knows.

    path (str): The folder.
    """
    return partial(read_weights, Path(path))


def native_weights_v1(*, path: str) -> Loader:
    """spacy-elmo.NativeWeights.v1: a folder of our own form.

    path (str): The folder of `config.json` and `weights.safetensors`.
    """
    return partial(read_native, Path(path))


def efml_weights_v1(*, path: str) -> Loader:
    """spacy-elmo.ELMoForManyLangsWeights.v1: a model folder of ELMoForManyLangs.

    path (str): The folder of `config.json`, `token_embedder.pkl` and `encoder.pkl`.
    """
    return partial(read_efml, Path(path))


def allennlp_weights_v1(
    *,
    options: str,
    weights: str,
    vocabulary: str | None = None,
    embedding: str | None = None,
) -> Loader:
    """spacy-elmo.AllenNLPWeights.v1: a biLM in the format of AllenNLP and bilm-tf.

    options (str): Path of `options.json`. weights (str): Path of `weights.hdf5`.
    vocabulary (Optional[str]): Path of the words of a biLM of words, one a line.
    embedding (Optional[str]): Path of an hdf5 file with its word table, if that is not
        in `weights`.
    """
    return partial(
        read_allennlp,
        Path(options),
        Path(weights),
        Path(vocabulary) if vocabulary is not None else None,
        Path(embedding) if embedding is not None else None,
    )
