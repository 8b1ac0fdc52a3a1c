"""Tokenized text in a small file: for machines that text has to be carried to.

`.tokens.npz` holds a table of the distinct words, most frequent first, and the words as
16-bit rows of it; the few rows beyond stand in an array of their own. English takes
about one and a half bytes a token.
"""

import json
from array import array
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np

SUFFIX = ".tokens.npz"
#: Stands for "the next of the rare ones".
RARE = 0xFFFF


def write_tokens(sentences: Iterable[Sequence[str]], path: str | Path) -> int:
    """Write sentences of words.

    RETURNS (int): How many words there are. RAISES (ValueError): The name does not end
        in `.tokens.npz`, or there are no sentences.
    """
    if not str(path).endswith(SUFFIX):
        raise ValueError(f"{path}: expected a name that ends in {SUFFIX}.")
    rows: dict[str, int] = {}
    flat, lengths = array("I"), array("I")
    for sentence in sentences:
        flat.extend(rows.setdefault(word, len(rows)) for word in sentence)
        lengths.append(len(sentence))
    if not lengths:
        raise ValueError(f"{path}: no sentences to write.")
    found = np.frombuffer(flat, np.uint32)
    counts = np.bincount(found, minlength=len(rows))
    by_frequency = np.argsort(-counts, kind="stable")
    rank = np.empty(len(rows), np.uint32)
    rank[by_frequency] = np.arange(len(rows), dtype=np.uint32)
    ids, words = rank[found], list(rows)
    table = json.dumps([words[i] for i in by_frequency])
    np.savez_compressed(
        path,
        words=np.frombuffer(table.encode("ascii"), np.uint8),
        ids=np.minimum(ids, RARE).astype(np.uint16),
        rare=ids[ids >= RARE],
        lengths=np.frombuffer(lengths, np.uint32),
        n_tokens=np.array(len(ids)),
    )
    return len(ids)


def read_tokens(path: str) -> Iterator[list[str]]:
    """Read the sentences of a file.

    RAISES (ValueError): It is not such a file, or not whole.
    """
    try:
        with np.load(path, allow_pickle=False) as arrays:
            words = json.loads(arrays["words"].tobytes())
            ids, lengths = arrays["ids"].astype(np.uint32), arrays["lengths"]
            ids[ids == RARE] = arrays["rare"]
    except Exception as error:  # zipfile, zlib, numpy and json raise their own
        raise ValueError(f"{path}: not a whole {SUFFIX} file: {error}.") from error
    end = 0
    for length in lengths.tolist():
        start, end = end, end + length
        yield [words[i] for i in ids[start:end].tolist()]


def count_tokens(path: str) -> int:
    """RETURNS (int): The words of a file. RAISES (ValueError): As `read_tokens`."""
    try:
        with np.load(path, allow_pickle=False) as arrays:
            return int(arrays["n_tokens"])
    except Exception as error:
        raise ValueError(f"{path}: not a whole {SUFFIX} file: {error}.") from error
