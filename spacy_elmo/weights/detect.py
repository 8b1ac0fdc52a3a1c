"""Which form a folder of weights is in, or what it looks like instead."""

from pathlib import Path

from ..bilm import Weights
from .allennlp import read_allennlp
from .efml import EMBEDDER, ENCODER, read_efml
from .native import WEIGHTS_NAME, read_native
from .tf_checkpoint import read_tf_checkpoint

EXPECTED = (
    f"config.json and {WEIGHTS_NAME} (spacy-elmo); one options.json and one "
    "weights.hdf5, or a TensorFlow checkpoint, with vocab.txt for a biLM of words "
    f"(AllenNLP, bilm-tf); or config.json, {EMBEDDER}, {ENCODER} and char.dic or "
    "word.dic (ELMoForManyLangs)"
)

#: What a folder with such a file looks like.
SIGNS = {
    "config.cfg": "a spaCy pipeline: open it with spacy.load",
    "saved_model.pb": "a TensorFlow Hub module, which holds no hdf5",
    "*.ckpt*": "a TensorFlow checkpoint that lacks its options.json",
    "*.th": "an AllenNLP model: the biLM is in the two files that its config names",
    "pytorch_model.bin": "a transformers model: use spacy-transformers",
    "model.safetensors": "a transformers model: use spacy-transformers",
    "*.zip": "a packed archive: unpack it first",
    "*.tar.gz": "a packed archive: unpack it first",
    "*.vec": "word vectors: see spacy_elmo.weights.vectors",
    "glove*.txt": "word vectors: see spacy_elmo.weights.vectors",
}

#: How files begin.
MAGIC = {
    b"\x89HDF": "an hdf5 file: name the folder that holds it and its options.json",
    b"PK": "a packed archive or a pickled model: unpack it, name its folder",
    b"\x1f\x8b": "a packed archive: unpack it, name its folder",
    b"version https://git-lfs": "a Git LFS pointer: fetch the real file (git lfs pull)",
    b"<": "a web page, so the download failed",
    b"{": "JSON: name the folder that holds it",
}


def read_weights(path: str | Path) -> Weights:
    """Read a folder of weights, in whichever form it holds them.

    RAISES (FileNotFoundError, ValueError): Says what the folder holds, what it looks
        like and what was looked for.
    """
    folder = Path(path)
    if folder.is_file():
        looks = _looks_of_file(folder)
        raise ValueError(f"{folder} is {looks}. Expected a folder with {EXPECTED}.")
    if not folder.is_dir():
        raise FileNotFoundError(f"No folder of weights at {folder}.")
    if (folder / WEIGHTS_NAME).is_file():
        return read_native(folder)
    if (folder / EMBEDDER).is_file() or (folder / ENCODER).is_file():
        return read_efml(folder)
    hdf5 = sorted([*folder.glob("*.hdf5"), *folder.glob("*.h5")])
    if len(hdf5) > 1:  # bilm-tf leaves its dumped token embeddings beside the weights
        hdf5 = [file for file in hdf5 if "embedding" not in file.name]
    options = sorted(folder.glob("*options*.json"))
    if len(hdf5) == 1 and len(options) == 1:
        vocabularies = sorted(folder.glob("*vocab*.txt"))
        only = vocabularies[0] if len(vocabularies) == 1 else None
        return read_allennlp(options[0], hdf5[0], only)
    if (folder / "options.json").is_file() and any(folder.glob("*.index")):
        return read_tf_checkpoint(folder)
    signs = [looks for pattern, looks in SIGNS.items() if any(folder.glob(pattern))]
    looks = f" It looks like {signs[0]}." if signs else ""
    found = sorted(file.name for file in folder.iterdir())
    raise ValueError(f"{folder}: found {found}.{looks} Expected {EXPECTED}.")


def _looks_of_file(path: Path) -> str:
    with path.open("rb") as file:
        start = file.read(32)
    for magic, looks in MAGIC.items():
        if start.startswith(magic):
            return looks
    return "a file"
