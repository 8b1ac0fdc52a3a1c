"""Text as unrolled windows whose LSTM state is carried on, as bilm-tf trained."""

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from .batches import Stretch, both_ways

#: Words to read, each with the word to predict after it.
Pairs = deque[tuple[str, str]]


@dataclass
class Streams:
    """Endless lines of sentences, side by side, read a window at a time.

    Each stream takes the next sentence when it has run out. All that is fed is
    predicted once a direction; sentences are never cut off, only spread over windows.

    forward, backward (List[Pairs]): What each stream has left; of equal lengths.
    """

    forward: list[Pairs]
    backward: list[Pairs]

    @classmethod
    def from_size(cls, n_streams: int) -> "Streams":
        """RETURNS (Streams): Empty ones."""
        empty = [deque[tuple[str, str]]() for _ in range(2 * n_streams)]
        return cls(empty[:n_streams], empty[n_streams:])

    @classmethod
    def from_json(cls, content: dict[str, Any]) -> "Streams":
        """RETURNS (Streams): Those that `to_json` was called on."""
        sides = [
            [deque((read, predicted) for read, predicted in pairs) for pairs in side]
            for side in (content["forward"], content["backward"])
        ]
        return cls(*sides)

    def to_json(self) -> dict[str, Any]:
        """RETURNS (Dict[str, Any]): JSON-ready."""
        return {
            "forward": [list(pairs) for pairs in self.forward],
            "backward": [list(pairs) for pairs in self.backward],
        }

    def windows(
        self, sentences: Sequence[Sequence[str]], *, unroll: int, is_last: bool
    ) -> Iterator[tuple[list[Stretch], list[Stretch]]]:
        """Feed sentences and read windows of `unroll` words a stream.

        is_last (bool): Nothing follows: read to the end, though windows get shorter.
            Else what does not fill a window is left for the next call.
        """
        following = iter(sentences)
        while self._fill(following, unroll) or (is_last and any(self.forward)):
            yield _window(self.forward, unroll), _window(self.backward, unroll)

    def _fill(self, following: Iterator[Sequence[str]], unroll: int) -> bool:
        for ahead, back in zip(self.forward, self.backward):
            while len(ahead) < unroll:
                sentence = next(following, None)
                if sentence is None:
                    return False
                (read, predicted), (read_back, predicted_back) = both_ways(sentence)
                ahead.extend(zip(read, predicted))
                back.extend(zip(read_back, predicted_back))
        return True


def _window(streams: list[Pairs], unroll: int) -> list[Stretch]:
    stretches: list[Stretch] = []
    for pairs in streams:
        n = min(unroll, len(pairs))
        taken = [pairs.popleft() for _ in range(n)]
        stretches.append(([read for read, _ in taken], [word for _, word in taken]))
    return stretches
