"""Layers of training documents, kept so that later epochs cost no biLM."""

import sqlite3
from collections.abc import Callable, Iterable
from hashlib import sha256
from pathlib import Path

import numpy as np
from spacy.tokens import Doc

from .context import Stretch
from .types import Docs, Layers, LayersList

#: Called with the Docs that are missing, their layers come back.
Compute = Callable[[Docs], LayersList]


class LayerCache:
    """Keeps layers by the words, the context and the weights they were made from.

    When it is full it keeps what it has and adds nothing: training reads documents in
    rounds, and throwing out the oldest would always throw out the next.
    Copies and pickles of a pipeline start with an empty memory.
    """

    def __init__(self, max_megabytes: float = 1024, path: str | None = None) -> None:
        """
        max_megabytes (float): Bound on the arrays kept.
        path (Optional[str]): A file that keeps them from run to run; null for memory.
        RAISES (ValueError): The bound is not above 0.
        """
        if max_megabytes <= 0:
            raise ValueError(
                f"LayerCache max_megabytes: expected above 0, found {max_megabytes}."
            )
        self.max_megabytes = max_megabytes
        self.path = path
        self._store: _Memory | _File | None = None

    def __reduce__(self) -> tuple:
        return LayerCache, (self.max_megabytes, self.path)

    def layers_of(
        self,
        docs: Docs,
        contexts: Iterable[list[Stretch]],
        salt: bytes,
        compute: Compute,
    ) -> LayersList:
        """The layers of Docs, computing only those that are not kept.

        contexts (Iterable[List[Stretch]]): How each Doc is read.
        salt (bytes): What else the layers depend on: the weights.
        compute (Compute): Computes the layers of Docs.
        RETURNS (LayersList): To be read, not written to.
        """
        if self._store is None:
            limit = int(self.max_megabytes * 2**20)
            self._store = (
                _Memory(limit) if self.path is None else _File(limit, self.path)
            )
        keys = [_key(d, c, salt) for d, c in zip(docs, contexts, strict=True)]
        kept = {k: found for k in keys if (found := self._store.get(k)) is not None}
        missing = {k: doc for k, doc in zip(keys, docs) if k not in kept}
        for key, layers in zip(missing, compute(list(missing.values())), strict=True):
            self._store.put(key, layers)
            kept[key] = layers
        return [kept[key] for key in keys]


class _Memory:
    def __init__(self, limit: int) -> None:
        self.room = limit
        self.arrays: dict[bytes, Layers] = {}

    def get(self, key: bytes) -> Layers | None:
        return self.arrays.get(key)

    def put(self, key: bytes, layers: Layers) -> None:
        if layers.nbytes <= self.room:
            self.room -= layers.nbytes
            self.arrays[key] = layers


class _File:
    """An SQLite table: safe against a crash, readable by several processes."""

    def __init__(self, limit: int, path: str) -> None:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        try:
            self.db = sqlite3.connect(
                path, isolation_level=None, check_same_thread=False
            )
            self._open(limit)
        except sqlite3.DatabaseError as error:
            raise ValueError(
                f"LayerCache path: {path} is not a layer cache ({error}). Delete it, "
                "or name another file."
            ) from error

    def _open(self, limit: int) -> None:
        self.db.execute("PRAGMA journal_mode=WAL")
        self.db.execute("PRAGMA synchronous=OFF")
        self.db.execute(
            "CREATE TABLE IF NOT EXISTS layers"
            " (key BLOB PRIMARY KEY, n_layers INT, n_tokens INT, width INT, array BLOB)"
        )
        (used,) = self.db.execute("SELECT SUM(LENGTH(array)) FROM layers").fetchone()
        self.room = limit - (used or 0)

    def get(self, key: bytes) -> Layers | None:
        query = "SELECT array, n_layers, n_tokens, width FROM layers WHERE key = ?"
        row = self.db.execute(query, (key,)).fetchone()
        if row is None:
            return None
        array, *shape = row
        return np.frombuffer(array, dtype=np.float32).reshape(shape)

    def put(self, key: bytes, layers: Layers) -> None:
        if layers.nbytes <= self.room:
            self.room -= layers.nbytes
            row = (key, *layers.shape, layers.tobytes())
            self.db.execute("INSERT OR IGNORE INTO layers VALUES (?, ?, ?, ?, ?)", row)


def _key(doc: Doc, context: list[Stretch], salt: bytes) -> bytes:
    read = ([token.text for token in doc], context)
    return sha256(salt + repr(read).encode("utf8")).digest()
