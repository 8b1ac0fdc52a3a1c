"""Every size of the network, in one validated place."""

from dataclasses import asdict, dataclass
from typing import Any

from ..characters import N_CHARACTERS

ACTIVATIONS = ("relu", "tanh")
CHARACTERS = ("bytes", "unicode", "none")

#: Bounds far above any biLM. They keep a damaged file from asking for all the memory.
MAX_SIZE, MAX_LAYERS, MAX_CHARACTERS = 1_000_000, 1000, 10_000


@dataclass(frozen=True)
class BiLMConfig:
    """The sizes of a biLM (Peters et al. 2018, section 3.2 and supplement A).

    char_dim (int): Width of a character's vector.
    filters (Tuple[Tuple[int, int], ...]): The CNN's (filter width, number) pairs.
    activation (str): After the CNN's max over time: "relu" or "tanh".
    n_highway (int): Highway layers over the CNN's output, 0 or more.
    max_characters (int): Characters of a word, its two marks included; longer words
        are cut. Where no bytes are read, the cut word is also looked up.
    n_layers (int): biLSTM layers, 1 or more; the token layer is not counted.
    cell_dim (int): Width of an LSTM's cell.
    projection_dim (int): Width of an LSTM's output, per direction. An LSTM as wide as
        its cell has no projection, and a CNN as wide as this has none either.
    cell_clip (Optional[float]): Bound on the cell's absolute values, None for none.
    projection_clip (Optional[float]): The same on the projected output.
    skip_connections (bool): Add each layer's input to its output, from layer 2 on.
    forget_bias (float): Added to the forget gate's bias, which is stored without it.
    characters (str): What the CNN reads: "bytes" (UTF-8), "unicode" (characters from a
        list), or "none": no CNN then, and words come from the word table alone.
    n_characters (int): Rows of the character table; always 262 for bytes.
    n_words (int): Rows of the word table, 0 for none. Its vectors stand beside the
        CNN's output, before the projection.
    word_dim (int): Width of a word's row.
    always_project (bool): Project the token vectors even when they are as wide as
        `projection_dim` already.
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
    cell_dim: int = 704
    projection_dim: int = 128
    cell_clip: float | None = None
    projection_clip: float | None = None
    skip_connections: bool = True
    forget_bias: float = 1.0
    characters: str = "bytes"
    n_characters: int = N_CHARACTERS
    n_words: int = 0
    word_dim: int = 0
    always_project: bool = False

    def __post_init__(self) -> None:
        for name in ("char_dim", "cell_dim", "projection_dim"):
            _check_integer(name, getattr(self, name), 1, MAX_SIZE)
        _check_integer("n_layers", self.n_layers, 1, MAX_LAYERS)
        _check_integer("n_highway", self.n_highway, 0, MAX_LAYERS)
        _check_integer("max_characters", self.max_characters, 3, MAX_CHARACTERS)
        object.__setattr__(self, "filters", self._checked_filters())
        if self.activation not in ACTIVATIONS:
            _refuse("activation", self.activation, f"one of {ACTIVATIONS}")
        for name in ("cell_clip", "projection_clip"):
            clip = getattr(self, name)
            if clip is not None and not (_is_number(clip) and clip > 0):
                _refuse(name, clip, "a number above 0, or null for no clipping")
        for name in ("skip_connections", "always_project"):
            if not isinstance(getattr(self, name), bool):
                _refuse(name, getattr(self, name), "true or false")
        if not _is_number(self.forget_bias):
            _refuse("forget_bias", self.forget_bias, "a number")
        self._check_token_input()

    @property
    def n_filters(self) -> int:
        """Width of the CNN's output; 0 if no characters are read."""
        if self.characters == "none":
            return 0
        return sum(number for _, number in self.filters)

    @property
    def projects_tokens(self) -> bool:
        """Whether a projection makes the token vectors `projection_dim` wide."""
        return self.always_project or self._token_width != self.projection_dim

    @property
    def _token_width(self) -> int:
        return self.n_filters + self.word_dim

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
            _check_integer("filters: a width", pair[0], 1, MAX_CHARACTERS)
            _check_integer("filters: a number", pair[1], 1, MAX_SIZE)
            if pair[0] > self.max_characters:
                limit = f"at most max_characters ({self.max_characters})"
                _refuse("filters: a width", pair[0], limit)
        total = sum(number for _, number in pairs)
        _check_integer("filters: all numbers together", total, 1, MAX_SIZE)
        return tuple((width, number) for width, number in pairs)

    def _check_token_input(self) -> None:
        if self.characters not in CHARACTERS:
            _refuse("characters", self.characters, f"one of {CHARACTERS}")
        _check_integer("n_characters", self.n_characters, 1, 10 * MAX_SIZE)
        if self.characters == "bytes" and self.n_characters != N_CHARACTERS:
            _refuse("n_characters", self.n_characters, f"{N_CHARACTERS} for bytes")
        words_alone = self.characters == "none"
        _check_integer("n_words", self.n_words, int(words_alone), 100 * MAX_SIZE)
        _check_integer("word_dim", self.word_dim, int(self.n_words > 0), MAX_SIZE)
        if self.n_words == 0 and self.word_dim != 0:
            _refuse("word_dim", self.word_dim, "0 where n_words is 0")


def _is_number(value: Any) -> bool:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return is_number and abs(value) <= 1e30  # neither infinite nor NaN


def _check_integer(name: str, value: Any, at_least: int, at_most: int) -> None:
    is_integer = isinstance(value, int) and not isinstance(value, bool)
    if not is_integer or not at_least <= value <= at_most:
        _refuse(name, value, f"an integer from {at_least} to {at_most}")


def _refuse(name: str, found: Any, expected: str) -> None:
    raise ValueError(f"biLM size {name}: expected {expected}, found {found!r}.")
