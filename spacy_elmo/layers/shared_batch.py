"""One training batch on its way from a biLM to its heads and back."""

from collections.abc import Callable, Iterable
from typing import Any

from spacy.attrs import ORTH

from .types import Docs, LayersList


class SharedBatch:
    """Gathers the gradients of several heads and runs the backward pass once.

    It runs when every head that received the batch has reported, or when `finish` is
    called because some never will: a head may be disabled, frozen or without annotation
    in this batch. Nothing is held on to afterwards.
    """

    def __init__(
        self,
        docs: Docs,
        outputs: LayersList,
        backprop: Callable[[LayersList], Any],
        *,
        upstream_name: str,
        listener_ids: Iterable[int],
    ) -> None:
        """
        outputs (LayersList): What the heads read.
        backprop (Callable[[LayersList], Any]): Takes the sum of their gradients.
        upstream_name (str): The component that sends the batch.
        listener_ids (Iterable[int]): The listeners that will receive it.
        """
        self.upstream_name = upstream_name
        self.outputs = outputs
        self._content: list[bytes] | None = _content(docs)
        self._backprop = backprop
        self._waiting = set(listener_ids)
        self._d_outputs: LayersList | None = None

    @property
    def has_gradients(self) -> bool:
        """Whether any head has reported."""
        return self._d_outputs is not None

    def matches(self, docs: Docs) -> bool:
        """Whether the batch is of these documents, in this order, and still open."""
        return self._content == _content(docs)

    def report(self, listener_id: int, d_outputs: LayersList) -> None:
        """Take one head's gradients."""
        if self._content is None:
            return
        if self._d_outputs is None:
            self._d_outputs = [d.copy() for d in d_outputs]
        else:
            for total, d in zip(self._d_outputs, d_outputs, strict=True):
                total += d
        self._waiting.discard(listener_id)
        if not self._waiting:
            self.finish()

    def finish(self) -> None:
        """Run the backward pass with what was reported, and let go of the batch."""
        d_outputs, backprop = self._d_outputs, self._backprop
        self._content, self._d_outputs, self.outputs = None, None, []
        self._backprop = _nothing
        if d_outputs is not None:
            backprop(d_outputs)

    def __reduce__(self) -> tuple[Callable, tuple]:
        return _nothing, ()  # A copy of a pipeline is not in the middle of a batch.


def _content(docs: Docs) -> list[bytes]:
    return [doc.to_array([ORTH]).tobytes() for doc in docs]


def _nothing(*_: Any) -> None:
    return None
