"""A pretrained folder as float16, in small files to carry, and back again.

    python scripts/weights_in_parts.py split OUTPUT/model-best parts
    python scripts/weights_in_parts.py join parts weights

`split` writes `weights.zip.1-of-2` and so on, with the softmax and its words. `join`
gives a folder that pipelines load, `pretrain` goes on from and `evaluate` scores with.
"""

import argparse
import io
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory

import torch

from spacy_elmo.pretraining.folder import read_language_model, write_language_model
from spacy_elmo.weights.detect import read_weights

NAME = "weights.zip"
PART_BYTES = 16 << 20


def split(source: Path, target: Path, part_bytes: int = PART_BYTES) -> list[Path]:
    """Write a folder of `pretrain` as float16 in parts of at most `part_bytes`.

    RETURNS (List[Path]): The parts.
    """
    target.mkdir(parents=True, exist_ok=True)
    for old in target.glob(f"{NAME}.*"):
        old.unlink()
    content = _archive(source)
    starts = range(0, len(content), part_bytes)
    paths = [target / f"{NAME}.{i}-of-{len(starts)}" for i in range(1, len(starts) + 1)]
    for path, start in zip(paths, starts):
        path.write_bytes(content[start : start + part_bytes])
    return paths


def join(source: Path, target: Path) -> None:
    """Put the parts of a folder together.

    RAISES (SystemExit): A part is missing or damaged; says which.
    """
    found = sorted(path.name for path in source.glob(f"{NAME}.*-of-*"))
    if not found:
        raise SystemExit(f"No parts {NAME}.1-of-... in {source}.")
    n_parts = int(found[0].rpartition("-")[2])
    names = [f"{NAME}.{i}-of-{n_parts}" for i in range(1, n_parts + 1)]
    if set(found) != set(names):
        raise SystemExit(
            f"{source}: expected the parts {', '.join(names)} and no others; found "
            f"{', '.join(found)}."
        )
    content = b"".join((source / name).read_bytes() for name in names)
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            if damaged := archive.testzip():
                raise zipfile.BadZipFile(damaged)
            archive.extractall(target)
    except (zipfile.BadZipFile, ValueError, EOFError) as error:
        raise SystemExit(f"{source}: a part is damaged: {error}.") from error


def _archive(source: Path) -> bytes:
    provenance = read_weights(source).provenance
    buffer = io.BytesIO()
    with TemporaryDirectory() as name, zipfile.ZipFile(buffer, "w") as archive:
        folder = Path(name)
        model = read_language_model(source)
        write_language_model(model, folder, provenance, torch.float16)
        for path in sorted(folder.iterdir()):
            archive.write(path, path.name)
    return buffer.getvalue()


def main() -> None:
    """Split or join."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["split", "join"])
    parser.add_argument("source", type=Path, help="folder to read")
    parser.add_argument("target", type=Path, help="folder to write")
    arguments = parser.parse_args()
    if arguments.what == "split":
        for path in split(arguments.source, arguments.target):
            print(f"{path}: {path.stat().st_size:,} bytes")
    else:
        join(arguments.source, arguments.target)
        print(f"Wrote {arguments.target}")


if __name__ == "__main__":
    main()
