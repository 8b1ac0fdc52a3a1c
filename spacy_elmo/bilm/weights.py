"""Weights on their way into a model, whatever file they came from."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from .config import BiLMConfig
from .lexicon import Lexicon
from .model import BiLM


@dataclass(frozen=True)
class Weights:
    """What a loader returns.

    config (BiLMConfig): The sizes the tensors were made for.
    state (Dict[str, Tensor]): float32 tensors by the names of `BiLM.state_dict()`.
    vocabulary (Optional[List[str]]): The words of the language model, if known. Where
        there is a word table, row i is word i; see `Lexicon`.
    provenance (Dict[str, Any]): Where they come from: format, file names, hashes.
        JSON-ready, and no path of the machine.
    characters (Optional[List[str]]): The same list for a table of Unicode characters.
    RAISES (ValueError): Lists every missing, unknown, misshapen or non-finite tensor,
        or says what is wrong with a list.
    """

    config: BiLMConfig
    state: dict[str, Tensor]
    vocabulary: list[str] | None = None
    provenance: dict[str, Any] = field(default_factory=dict)
    characters: list[str] | None = None

    def __post_init__(self) -> None:
        check_state(self.config, self.state, self.source)
        try:
            Lexicon(self.config, self.vocabulary, self.characters)
        except ValueError as error:
            raise ValueError(f"{self.source}: {error}") from error

    @property
    def source(self) -> str:
        """A name to call the weights by."""
        return str(self.provenance.get("source", "weights"))

    def to_model(self) -> BiLM:
        """Build a biLM with these weights."""
        model = BiLM(self.config)
        model.load_state_dict(self.state)
        model.set_vocabulary(self.vocabulary, self.characters)
        return model


#: Reads weights when it is called, and nothing before.
Loader = Callable[[], Weights]


def check_state(config: BiLMConfig, state: dict[str, Tensor], source: str) -> None:
    """Refuse tensors that do not fit the sizes, before any of them is used.

    RAISES (ValueError): Lists every missing, unknown, misshapen or non-finite tensor.
    """
    with torch.device("meta"):
        expected = {name: t.shape for name, t in BiLM(config).state_dict().items()}
    problems = [f"{name} is missing" for name in expected if name not in state]
    for name, tensor in state.items():
        if name not in expected:
            problems.append(f"{name} is unknown")
        elif tensor.shape != expected[name]:
            shapes = f"{tuple(expected[name])}, found {tuple(tensor.shape)}"
            problems.append(f"{name}: expected {shapes}")
        elif not tensor.isfinite().all():
            problems.append(f"{name} holds values that are not finite")
    if problems:
        raise ValueError(f"{source}: " + "; ".join(problems) + ".")
