"""How far a training is."""

import json
from dataclasses import asdict, dataclass, field
from typing import Any

import torch

from .recurrence import PairState
from .stream import Position


@dataclass
class Progress:
    """How far a training is; goes into its checkpoints.

    share (float): Share of the training that is done, 0 to 1.
    epochs (float): How often the text is read, about.
    best (Optional[float]): The lowest average perplexity so far.
    is_finished (bool): The last evaluation is done and the last weights are written.
    """

    step: int = 0
    n_tokens: int = 0
    share: float = 0.0
    epochs: float = 0.0
    best: float | None = None
    is_finished: bool = False
    position: Position = field(default_factory=Position)
    state: list[PairState] | None = None

    @classmethod
    def from_checkpoint(
        cls, content: dict[str, Any], device: torch.device
    ) -> "Progress":
        """RETURNS (Progress): That which `to_checkpoint` was called on."""
        state = content["state"]
        if state is not None:
            state = [(h.to(device), c.to(device)) for h, c in state]
        position = Position(**json.loads(content["position"]))
        return cls(**content["progress"], position=position, state=state)

    def to_checkpoint(self) -> dict[str, Any]:
        """RETURNS (Dict[str, Any]): Tensors, numbers and text."""
        progress = asdict(self)
        return {
            "position": json.dumps(progress.pop("position")),
            "state": progress.pop("state"),
            "progress": progress,
        }
