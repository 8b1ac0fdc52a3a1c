"""What every reader of weights needs of a file."""

import hashlib
import json
from pathlib import Path
from typing import Any


def require_file(path: Path) -> Path:
    """RAISES (FileNotFoundError): Names the file and what its folder holds."""
    if not path.is_file():
        folder = path.parent
        found = sorted(p.name for p in folder.iterdir()) if folder.is_dir() else None
        holds = f"The folder holds {found}." if found is not None else "No such folder."
        raise FileNotFoundError(f"No file {path}. {holds}")
    return path


def read_json(path: Path) -> dict[str, Any]:
    """Read a JSON object.

    RAISES (FileNotFoundError, ValueError): Names the file and, in a file that is
        missing, what its folder holds.
    """
    text = read_text(path)
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path}: not JSON: {error}") from error
    if not isinstance(content, dict):
        raise ValueError(
            f"{path}: expected a JSON object, found {type(content).__name__}."
        )
    return content


def read_text(path: Path) -> str:
    """Read UTF-8. RAISES (FileNotFoundError, ValueError): Names the file."""
    try:
        return require_file(path).read_bytes().decode("utf8")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: not UTF-8 text: {error}") from error


def read_lines(path: Path) -> list[str]:
    """The lines of a text, cut at line feeds alone; words may hold other separators.

    RAISES (FileNotFoundError, ValueError): Names the file.
    """
    lines = read_text(path).replace("\r\n", "\n").split("\n")
    return lines[:-1] if lines[-1] == "" else lines


def file_record(path: Path) -> dict[str, str]:
    """A file's name and SHA-256: enough to recognise it, no path of the machine."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        for block in iter(lambda: file.read(1 << 20), b""):
            digest.update(block)
    return {"name": path.name, "sha256": digest.hexdigest()}
