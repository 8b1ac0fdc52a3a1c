"""The config of the pipeline that a component stands in."""

import weakref
from typing import Any

from spacy.language import Language

Blocks = dict[str, Any]


class ConfigOf:
    """Reads a pipeline's blocks [initialize.components], without keeping it alive.

    A copy, which may outlive the pipeline, takes the blocks with it.
    """

    def __init__(self, nlp: Language | None = None, blocks: Blocks | None = None):
        self._nlp = weakref.ref(nlp) if nlp is not None else None
        self._blocks = blocks or {}

    def loader_of(self, name: str) -> Blocks | None:
        """The block [initialize.components.<name>.loader], if there is one."""
        loader: Blocks | None = self._current().get(name, {}).get("loader")
        return loader

    def _current(self) -> Blocks:
        nlp = self._nlp() if self._nlp is not None else None
        if nlp is None:
            return self._blocks
        blocks: Blocks = nlp.config.get("initialize", {}).get("components", {})
        return blocks

    def __reduce__(self) -> tuple[type, tuple]:
        return ConfigOf, (None, self._current())
