"""What every reader of weights needs of a file."""

import hashlib
import json
from pathlib import Path
from typing import Any


def read_json(path: Path) -> dict[str, Any]:
    """Read a JSON object.

    RAISES (FileNotFoundError, ValueError): Names the file and, in a file that is
        missing, what its folder holds.
    """
    if not path.is_file():
        folder = path.parent
        found = sorted(p.name for p in folder.iterdir()) if folder.is_dir() else None
        holds = f"The folder holds {found}." if found is not None else "No such folder."
        raise FileNotFoundError(f"No file {path}. {holds}")
    try:
        content = json.loads(path.read_text(encoding="utf8"))
    except ValueError as error:
        raise ValueError(f"{path}: not JSON: {error}") from error
    if not isinstance(content, dict):
        raise ValueError(f"{path}: expected a JSON object, found {type(content)}.")
    return content


def file_record(path: Path) -> dict[str, str]:
    """A file's name and SHA-256: enough to recognise it, no path of the machine."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        for block in iter(lambda: file.read(1 << 20), b""):
            digest.update(block)
    return {"name": path.name, "sha256": digest.hexdigest()}
