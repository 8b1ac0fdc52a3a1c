"""Writes AllenNLP's and bilm-tf's files, the reverse of what `allennlp` reads."""

import json
from pathlib import Path
from typing import Any

from torch import Tensor

from ..bilm import BiLMConfig, Weights
from .allennlp_layout import to_datasets
from .hdf5 import import_h5py, write_tensors


def write_allennlp(
    weights: Weights, folder: str | Path, softmax: tuple[Tensor, Tensor] | None = None
) -> None:
    """Write `options.json` and `weights.hdf5`, and `vocab.txt` for a biLM of words.

    softmax (Optional[Tuple[Tensor, Tensor]]): W (V, P) and b (V,), written as
        `softmax/W` and `softmax/b`; AllenNLP ignores them.
    RAISES (ValueError): The format cannot say what this biLM does. (ImportError): h5py
        is missing.
    """
    folder, config = Path(folder), weights.config
    import_h5py("Writing weights.hdf5")
    _check_config(folder, config)
    datasets = to_datasets(weights.state, config)
    if softmax is not None:
        datasets |= {"softmax/W": softmax[0], "softmax/b": softmax[1]}
    folder.mkdir(parents=True, exist_ok=True)
    options = json.dumps(options_of(config), indent=2) + "\n"
    (folder / "options.json").write_text(options, encoding="utf8")
    write_tensors(folder / "weights.hdf5", datasets)
    if config.n_words:
        lines = "".join(f"{word}\n" for word in weights.vocabulary or [])
        (folder / "vocab.txt").write_text(lines, encoding="utf8", newline="\n")


def options_of(config: BiLMConfig) -> dict[str, Any]:
    """The sizes as `options.json`, for inference (262 characters)."""
    lstm = {
        "cell_clip": config.cell_clip,
        "dim": config.cell_dim,
        "n_layers": config.n_layers,
        "proj_clip": config.projection_clip,
        "projection_dim": config.projection_dim,
        "use_skip_connections": config.skip_connections,
    }
    if config.characters == "none":
        return {"bidirectional": True, "lstm": lstm, "n_tokens_vocab": config.n_words}
    cnn = {
        "activation": config.activation,
        "embedding": {"dim": config.char_dim},
        "filters": [list(pair) for pair in config.filters],
        "max_characters_per_token": config.max_characters,
        "n_characters": config.n_characters,
        "n_highway": config.n_highway,
    }
    return {"bidirectional": True, "char_cnn": cnn, "lstm": lstm}


def _check_config(folder: Path, config: BiLMConfig) -> None:
    if config.forget_bias != 1.0:
        raise ValueError(
            f"{folder}: the format adds 1.0 to the forget gate's bias when it runs; "
            f"this biLM adds {config.forget_bias}."
        )
    reads_bytes = config.characters == "bytes" and config.n_words == 0
    reads_words = config.characters == "none" and not config.projects_tokens
    if not (reads_bytes or reads_words) or config.always_project:
        raise ValueError(
            f"{folder}: the format knows biLMs that read bytes, or words from a table "
            f"as wide as projection_dim ({config.projection_dim}). This one reads "
            f"characters = {config.characters!r}, n_words = {config.n_words}, word_dim "
            f"= {config.word_dim}; write it in the native form."
        )
