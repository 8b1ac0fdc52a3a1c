"""How a biLM learns together with its heads."""

from dataclasses import dataclass


@dataclass(frozen=True)
class FineTuning:
    """How a biLM that is not frozen learns (Howard & Ruder 2018, section 3.3).

    learn_rate_scale (float): Its step, as a share of the heads'.
    unfreeze_every (int): Updates after which the next layer starts to learn: first the
        top biLSTM layer, last the token encoder. 0 lets all learn at once.
    RAISES (ValueError): One of them is below 0.
    """

    learn_rate_scale: float = 1.0
    unfreeze_every: int = 0

    def __post_init__(self) -> None:
        for name in ("learn_rate_scale", "unfreeze_every"):
            if getattr(self, name) < 0:
                raise ValueError(f"{name}: expected 0 or more, found {self!r}.")

    def scale_of(self, parameter: str, n_layers: int, n_updates: int) -> float:
        """The share of the step that a parameter takes.

        n_updates (int): Updates before this one.
        """
        # Stations above this one: "forward_lstm.layers.1.bias" of 2 layers has none.
        _, found, rest = parameter.partition(".layers.")
        above = n_layers - 1 - int(rest.split(".")[0]) if found else n_layers
        waits = n_updates < above * self.unfreeze_every
        return 0.0 if waits else self.learn_rate_scale


ALL_AT_ONCE = FineTuning()
