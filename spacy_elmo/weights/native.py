"""Our own form: a folder with `config.json` and `weights.safetensors`.

A biLM with a word table, or with one of Unicode characters, has `vocabulary.json`
beside them: the word, and the character, of each row.
"""

import json
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from ..bilm import BiLMConfig, Weights
from ..bilm.lexicon import needs_lists
from .files import file_record, read_json, require_file

CONFIG_NAME = "config.json"
WEIGHTS_NAME = "weights.safetensors"
VOCABULARY_NAME = "vocabulary.json"
FORMAT_VERSION = 1


def read_native(path: str | Path) -> Weights:
    """Read a folder that `write_native` wrote.

    RAISES (FileNotFoundError, ValueError): Names the file or tensor, what was found and
        what was expected.
    """
    folder = Path(path)
    header = read_json(folder / CONFIG_NAME)
    config, provenance = _read_header(header, folder / CONFIG_NAME)
    names, lists = [CONFIG_NAME, WEIGHTS_NAME], {}
    if needs_lists(config):
        names.append(VOCABULARY_NAME)
        lists = read_json(folder / VOCABULARY_NAME)
    return Weights(
        config=config,
        state=_read_state(folder / WEIGHTS_NAME),
        vocabulary=_list_of(lists, "vocabulary", folder),
        characters=_list_of(lists, "characters", folder),
        provenance={
            **provenance,
            "source": folder.resolve().name,
            "files": [file_record(folder / name) for name in names],
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
    _write_json(folder / CONFIG_NAME, header)
    if needs_lists(weights.config):
        lists = {"vocabulary": weights.vocabulary, "characters": weights.characters}
        _write_json(folder / VOCABULARY_NAME, lists)
    state = {name: t.to(dtype).contiguous() for name, t in weights.state.items()}
    save_file(state, folder / WEIGHTS_NAME)


def _read_header(
    header: dict[str, Any], path: Path
) -> tuple[BiLMConfig, dict[str, Any]]:
    sizes, version = header.get("bilm"), header.get("format_version")
    provenance = header.get("provenance", {})
    is_ours = header.get("format") == "spacy-elmo" and isinstance(provenance, dict)
    if not is_ours or not isinstance(sizes, dict):
        raise ValueError(f"{path}: not written by spacy-elmo; expected a 'bilm' block.")
    if version != FORMAT_VERSION:
        raise ValueError(
            f"{path}: format version {version}; this spacy-elmo reads {FORMAT_VERSION}."
        )
    try:
        return BiLMConfig(**sizes), provenance
    except (TypeError, ValueError) as error:
        raise ValueError(f"{path}: {error}") from error


def _read_state(path: Path) -> dict[str, Tensor]:
    from safetensors.torch import load_file

    require_file(path)
    try:
        state = load_file(path)
    except Exception as error:  # safetensors raises several kinds
        raise ValueError(
            f"{path}: not a complete safetensors file ({error}). Was it cut short?"
        ) from error
    for name, tensor in state.items():
        if not tensor.is_floating_point():
            raise ValueError(f"{path}: {name}: expected floats, found {tensor.dtype}.")
    return {name: tensor.float() for name, tensor in state.items()}


def _list_of(lists: dict[str, Any], name: str, folder: Path) -> list[str] | None:
    entries = lists.get(name)
    if entries is not None and not isinstance(entries, list):
        raise ValueError(f"{folder / VOCABULARY_NAME}: {name} is not a list.")
    return entries


def _write_json(path: Path, content: dict[str, Any]) -> None:
    text = json.dumps(content, indent=2, ensure_ascii=False) + "\n"
    # A lone surrogate has no UTF-8 form; as a backslash escape it is JSON again.
    path.write_bytes(text.encode("utf8", "backslashreplace"))
