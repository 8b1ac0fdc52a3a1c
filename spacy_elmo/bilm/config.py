"""Every size of the network, in one validated place."""

from dataclasses import asdict, dataclass
from typing import Any

from ..characters import N_CHARACTERS

ACTIVATIONS = ("relu", "tanh")


@dataclass(frozen=True)
class BiLMConfig:
    """The sizes of a biLM (Peters et al. 2018, section 3.2 and supplement A).

    char_dim (int): Width of a character's vector.
    filters (Tuple[Tuple[int, int], ...]): The CNN's (filter width, number) pairs.
    activation (str): After the CNN's max over time: "relu" or "tanh".
    n_highway (int): Highway layers over the CNN's output, 0 or more.
    max_characters (int): Characters of a word, its two marks included.
    n_layers (int): biLSTM layers, 1 or more; the token layer is not counted.
    cell_dim (int): Width of an LSTM's cell.
    projection_dim (int): Width of an LSTM's output, per direction. An LSTM as wide as
        its cell has no projection, and a CNN as wide as this has none either.
    cell_clip (Optional[float]): Bound on the cell's absolute values, None for none.
    projection_clip (Optional[float]): The same on the projected output.
    skip_connections (bool): Add each layer's input to its output, from layer 2 on.
    forget_bias (float): Added to the forget gate's bias, which is stored without it.
    RAISES (ValueError): Names the size, what was found and what is expected.
    """

    char_dim: int = 16
    filters: tuple[tuple[int, int], ...] = (
        (1, 32),
        (2, 32),
        (3, 64),
        (4, 128),
        (5, 128),
        (6, 128),
    )
    activation: str = "relu"
    n_highway: int = 1
    max_characters: int = 50
    n_layers: int = 2
    cell_dim: int = 512
    projection_dim: int = 128
    cell_clip: float | None = None
    projection_clip: float | None = None
    skip_connections: bool = True
    forget_bias: float = 1.0

    n_characters = N_CHARACTERS

    def __post_init__(self) -> None:
        for name in ("char_dim", "n_layers", "cell_dim", "projection_dim"):
            _check_integer(name, getattr(self, name), at_least=1)
        _check_integer("n_highway", self.n_highway, at_least=0)
        _check_integer("max_characters", self.max_characters, at_least=3)
        object.__setattr__(self, "filters", self._checked_filters())
        if self.activation not in ACTIVATIONS:
            _refuse("activation", self.activation, f"one of {ACTIVATIONS}")
        for name in ("cell_clip", "projection_clip"):
            clip = getattr(self, name)
            if clip is not None and not (_is_number(clip) and clip > 0):
                _refuse(name, clip, "a number above 0, or null for no clipping")
        if not isinstance(self.skip_connections, bool):
            _refuse("skip_connections", self.skip_connections, "true or false")
        if not _is_number(self.forget_bias):
            _refuse("forget_bias", self.forget_bias, "a number")

    @property
    def n_filters(self) -> int:
        """Width of the CNN's output."""
        return sum(number for _, number in self.filters)

    @property
    def width(self) -> int:
        """Width of a layer: both directions side by side."""
        return 2 * self.projection_dim

    def to_dict(self) -> dict[str, Any]:
        """The sizes as JSON-ready values, which `BiLMConfig(**sizes)` reads back."""
        return {**asdict(self), "filters": [list(pair) for pair in self.filters]}

    def differences(self, other: "BiLMConfig") -> list[str]:
        """How `other` differs: "name: ours, theirs", one line a size."""
        ours, theirs = self.to_dict(), other.to_dict()
        return [
            f"{name}: {ours[name]}, {theirs[name]}"
            for name in ours
            if ours[name] != theirs[name]
        ]

    def _checked_filters(self) -> tuple[tuple[int, int], ...]:
        expected = "pairs of filter width and number, such as [[1, 32], [2, 64]]"
        pairs = self.filters
        if isinstance(pairs, str) or not isinstance(pairs, (list, tuple)) or not pairs:
            _refuse("filters", pairs, expected)
        for pair in pairs:
            if not isinstance(pair, (list, tuple)) or len(pair) != 2:
                _refuse("filters", pair, expected)
            _check_integer("filters: a width", pair[0], at_least=1)
            _check_integer("filters: a number", pair[1], at_least=1)
            if pair[0] > self.max_characters:
                limit = f"at most max_characters ({self.max_characters})"
                _refuse("filters: a width", pair[0], limit)
        return tuple((width, number) for width, number in pairs)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _check_integer(name: str, value: Any, *, at_least: int) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or value < at_least:
        _refuse(name, value, f"an integer of at least {at_least}")


def _refuse(name: str, found: Any, expected: str) -> None:
    raise ValueError(f"biLM size {name}: expected {expected}, found {found!r}.")
