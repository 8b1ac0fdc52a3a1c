"""Our own form: a folder with `config.json` and `weights.safetensors`."""

import json
from pathlib import Path
from typing import Any

import torch

from ..bilm import BiLMConfig, Weights
from .files import file_record, read_json

CONFIG_NAME = "config.json"
WEIGHTS_NAME = "weights.safetensors"
FORMAT_VERSION = 1


def read_native(path: str | Path) -> Weights:
    """Read a folder that `write_native` wrote.

    RAISES (FileNotFoundError, ValueError): Names the file or tensor, what was found and
        what was expected.
    """
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    folder = Path(path)
    header = read_json(folder / CONFIG_NAME)
    config = _read_config(header, folder / CONFIG_NAME)
    file = folder / WEIGHTS_NAME
    if not file.is_file():
        raise FileNotFoundError(f"No weights file {file}.")
    try:
        state = load_file(file)
    except SafetensorError as error:
        raise ValueError(
            f"{file}: not a complete safetensors file ({error}). Was it cut short?"
        ) from error
    return Weights(
        config=config,
        state={name: tensor.float() for name, tensor in state.items()},
        provenance={
            **header.get("provenance", {}),
            "source": folder.resolve().name,
            "files": [file_record(folder / CONFIG_NAME), file_record(file)],
        },
    )


def write_native(
    weights: Weights, path: str | Path, dtype: torch.dtype = torch.float32
) -> None:
    """Write weights as a folder of our own form.

    dtype (torch.dtype): float16 halves the file; it is float32 again when read.
    """
    from safetensors.torch import save_file

    folder = Path(path)
    folder.mkdir(parents=True, exist_ok=True)
    header = {
        "format": "spacy-elmo",
        "format_version": FORMAT_VERSION,
        "bilm": weights.config.to_dict(),
        "provenance": weights.provenance,
    }
    text = json.dumps(header, indent=2, ensure_ascii=False) + "\n"
    (folder / CONFIG_NAME).write_text(text, encoding="utf8")
    state = {name: t.to(dtype).contiguous() for name, t in weights.state.items()}
    save_file(state, folder / WEIGHTS_NAME)


def _read_config(header: dict[str, Any], path: Path) -> BiLMConfig:
    sizes, version = header.get("bilm"), header.get("format_version")
    if header.get("format") != "spacy-elmo" or not isinstance(sizes, dict):
        raise ValueError(f"{path}: not written by spacy-elmo; expected a 'bilm' block.")
    if version != FORMAT_VERSION:
        raise ValueError(
            f"{path}: format version {version}; this spacy-elmo reads {FORMAT_VERSION}."
        )
    try:
        return BiLMConfig(**sizes)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{path}: {error}") from error
