"""ELMoForManyLangs: a folder of JSON, dictionaries and pickled tensors.

Its models read Unicode characters, a word table, or both side by side. Gates are stored
in our own order with the forget gate's bias complete, the highway gate with the
opposite sign. The marks <bow> and <eow> were exchanged when its models were trained, so
the lists are read that way. Its pickles are opened with `weights_only=True`, which
runs no code.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from ..bilm import BiLMConfig, Weights
from .files import file_record, read_json, read_lines, require_file

ENCODER, EMBEDDER = "encoder.pkl", "token_embedder.pkl"
FILES = ("config.json", EMBEDDER, ENCODER, "char.dic", "word.dic")

#: The settings of all 44 published models, whose folders do not hold the file that
#: their config.json names.
PUBLISHED = "cnn_50_100_512_4096_sample.json"
PUBLISHED_SETTINGS: dict[str, Any] = {
    "encoder": {
        "name": "elmo",
        "projection_dim": 512,
        "cell_clip": 3,
        "proj_clip": 3,
        "dim": 4096,
        "n_layers": 2,
    },
    "token_embedder": {
        "name": "cnn",
        "activation": "relu",
        "filters": [[1, 32], [2, 32], [3, 64], [4, 128], [5, 256], [6, 512], [7, 1024]],
        "n_highway": 2,
        "word_dim": 100,
        "char_dim": 50,
        "max_characters_per_token": 50,
    },
}

#: Read for one another, as the published models were trained.
EXCHANGED = {"<bow>": "<eow>", "<eow>": "<bow>"}


def read_efml(path: str | Path) -> Weights:
    """Read a model folder of ELMoForManyLangs.

    RAISES (FileNotFoundError, ValueError): Names the file or tensor, what was found and
        what was expected.
    """
    folder = Path(path)
    settings_path, settings = _read_settings(folder)
    tensors = _read_tensors(folder / EMBEDDER) | _read_tensors(folder / ENCODER)
    rows = [_n_rows(tensors, f"{kind}_emb_layer") for kind in ("word", "char")]
    try:
        config = _config(settings, *rows)
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise ValueError(
            f"{settings_path}: not the settings of a biLM: "
            f"{type(error).__name__} {error}"
        ) from error
    words = characters = None
    if config.n_words:
        words = _read_dictionary(folder / "word.dic", config.n_words)
    if config.characters == "unicode":
        characters = _read_dictionary(folder / "char.dic", config.n_characters)
        characters = [EXCHANGED.get(entry, entry) for entry in characters]
    files = [folder / name for name in FILES if (folder / name).is_file()]
    return Weights(
        config=config,
        state=_state(tensors, config, folder),
        vocabulary=words,
        characters=characters,
        provenance={
            "source": folder.resolve().name,
            "format": "ELMoForManyLangs",
            "files": [file_record(file) for file in files],
        },
    )


def _read_settings(folder: Path) -> tuple[Path, dict[str, Any]]:
    """The file that config.json names by a path of its author's machine."""
    path = folder / "config.json"
    named = read_json(path).get("config_path")
    if not isinstance(named, str):
        raise ValueError(f"{path}: expected a config_path, found {named!r}.")
    name = named.replace("\\", "/").rsplit("/", 1)[-1]
    for place in (folder / name, folder / "configs" / name):
        if name and place.is_file():
            return place, read_json(place)
    if name == PUBLISHED:
        return path, PUBLISHED_SETTINGS
    raise FileNotFoundError(
        f"{path} names the settings {name!r}, which {folder} does not hold. It is a "
        "JSON file with the blocks encoder and token_embedder; put it there."
    )


def _config(settings: dict[str, Any], n_words: int, n_characters: int) -> BiLMConfig:
    encoder, embedder = settings["encoder"], settings["token_embedder"]
    kinds = (encoder["name"], embedder["name"])
    if kinds != ("elmo", "cnn"):
        raise ValueError(f"expected the kinds ('elmo', 'cnn'), found {kinds}")
    reads_words, reads_characters = embedder["word_dim"] > 0, embedder["char_dim"] > 0
    characters: dict[str, Any] = {"characters": "none"}
    if reads_characters:
        characters = {
            "characters": "unicode",
            "n_characters": n_characters,
            "char_dim": embedder["char_dim"],
            "filters": embedder["filters"],
            "activation": embedder["activation"],
            "n_highway": embedder["n_highway"],
        }
    return BiLMConfig(
        max_characters=embedder["max_characters_per_token"],
        n_layers=encoder["n_layers"],
        cell_dim=encoder["dim"],
        projection_dim=encoder["projection_dim"],
        cell_clip=encoder.get("cell_clip"),
        projection_clip=encoder.get("proj_clip"),
        skip_connections=True,
        forget_bias=0.0,
        n_words=n_words if reads_words else 0,
        word_dim=embedder["word_dim"],
        always_project=True,
        **characters,
    )


def _read_tensors(path: Path) -> dict[str, Tensor]:
    require_file(path)
    try:
        content = torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:  # the unpickler raises whatever it trips over
        raise ValueError(
            f"{path}: not a file of tensors alone ({type(error).__name__}: "
            f"{str(error)[:200]}). Was the download cut short?"
        ) from error
    if not isinstance(content, dict):
        raise ValueError(f"{path}: expected named tensors, found {type(content)}.")
    # A tensor may be a view that is larger than what it shows.
    room = path.stat().st_size
    for name, tensor in content.items():
        if not (isinstance(name, str) and _is_plain(tensor)):
            raise ValueError(f"{path}: {name!r} is not a tensor of floats.")
        room -= tensor.numel() * tensor.element_size()
        if room < 0:
            raise ValueError(f"{path}: {name} is larger than the file.")
    return {name: tensor.detach().float() for name, tensor in content.items()}


def _is_plain(tensor: Any) -> bool:
    is_tensor = isinstance(tensor, Tensor) and tensor.layout == torch.strided
    return is_tensor and tensor.is_floating_point() and tensor.device.type == "cpu"


def _n_rows(tensors: dict[str, Tensor], layer: str) -> int:
    table = tensors.get(f"{layer}.embedding.weight")
    return len(table) if table is not None and table.ndim == 2 else 0


def _read_dictionary(path: Path, size: int) -> list[str]:
    """A line is an entry, a tab and its row. A whitespace entry stands for U+3000."""
    entries = [""] * size
    for number, line in enumerate(read_lines(path), 1):
        *entry, row = line.strip().split("\t")
        is_row = row.isdecimal() and len(row) < 10 and int(row) < size
        if len(entry) > 1 or not is_row:
            raise ValueError(
                f"{path}, line {number}: expected an entry, a tab and a row below "
                f"{size}, found {line[:40]!r}."
            )
        entries[int(row)] = entry[0] if entry else "\u3000"
    return entries


def _state(
    tensors: dict[str, Tensor], config: BiLMConfig, folder: Path
) -> dict[str, Tensor]:
    mapping = dict(_mapping(config))
    missing = [name for name in mapping.values() if name not in tensors]
    unknown = [name for name in tensors if name not in mapping.values()]
    gates = [n for n in mapping.values() if n.startswith("highways")]
    odd = [n for n in gates if n in tensors and len(tensors[n]) != 2 * config.n_filters]
    if missing or unknown or odd:
        raise ValueError(
            f"{folder}: the tensors do not fit the settings. Missing: {missing}; "
            f"unknown: {unknown}; highways of other sizes: {odd}."
        )
    state = {}
    for ours, theirs in mapping.items():
        tensor = tensors[theirs]
        if ".carry." in ours:
            tensor = -tensor[config.n_filters :]
        elif ".transform." in ours:
            tensor = tensor[: config.n_filters]
        state[ours] = tensor.contiguous()
    return state


def _mapping(config: BiLMConfig) -> Iterator[tuple[str, str]]:
    """Our parameter and the tensor it comes from."""
    encoder = "token_encoder"
    if config.n_words:
        yield f"{encoder}.word_embedding.weight", "word_emb_layer.embedding.weight"
    if config.characters == "unicode":
        yield f"{encoder}.embedding.weight", "char_emb_layer.embedding.weight"
        for part in ("weight", "bias"):
            for i in range(len(config.filters)):
                name = f"convolutions.{i}.{part}"
                yield f"{encoder}.{name}", name
            for i in range(config.n_highway):
                for gate in ("transform", "carry"):
                    theirs = f"highways._layers.{i}.{part}"
                    yield f"{encoder}.highways.{i}.{gate}.{part}", theirs
    for part in ("weight", "bias"):
        yield f"{encoder}.projection.{part}", f"projection.{part}"
    for direction in ("forward", "backward"):
        for k in range(config.n_layers):
            ours, theirs = f"{direction}_lstm.layers.{k}", f"{direction}_layer_{k}"
            yield f"{ours}.input_weight", f"{theirs}.input_linearity.weight"
            yield f"{ours}.recurrent_weight", f"{theirs}.state_linearity.weight"
            yield f"{ours}.bias", f"{theirs}.state_linearity.bias"
            if config.cell_dim != config.projection_dim:
                yield f"{ours}.projection", f"{theirs}.state_projection.weight"
