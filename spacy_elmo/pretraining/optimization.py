"""Optimizers, how their learning rate goes, and what is done to the gradients."""

import math
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from .settings import Adagrad, Adam


def build_optimizer(
    settings: Adam | Adagrad, parameters: list[nn.Parameter]
) -> torch.optim.Optimizer:
    """Make the optimizer that the config names."""
    if isinstance(settings, Adam):
        return torch.optim.Adam(
            parameters,
            lr=settings.learn_rate,
            betas=(settings.beta1, settings.beta2),
            eps=settings.eps,
            fused=True,
        )
    return torch.optim.Adagrad(
        parameters,
        lr=settings.learn_rate,
        initial_accumulator_value=settings.initial_accumulator,
    )


def learn_rate(settings: Adam | Adagrad, *, step: int, progress: float) -> float:
    """The rate of a step.

    step (int): Steps taken before it. progress (float): Share of the training, 0 to 1.
    """
    if isinstance(settings, Adagrad):
        return settings.learn_rate
    rate = settings.learn_rate
    if settings.schedule == "cosine":
        rate *= (1 + math.cos(math.pi * min(progress, 1.0))) / 2
    return rate * min(1.0, (step + 1) / (settings.warmup_steps + 1))


class Update(NamedTuple):
    """What became of a step's gradients.

    learn_rate (float): Of this step. grad_norm (float): Before clipping.
    is_finite (bool): Else no weight was changed.
    is_skipped (bool): float16 overflowed; the next step scales the loss less.
    """

    learn_rate: float
    grad_norm: float
    is_finite: bool
    is_skipped: bool


class Updater:
    """Turns a loss into new weights.

    settings (Union[Adam, Adagrad]): The config's. parameters (List[Parameter]): All.
    scales_loss (bool): Keep the gradients of float16 from vanishing.
    """

    def __init__(
        self,
        settings: Adam | Adagrad,
        parameters: list[nn.Parameter],
        *,
        scales_loss: bool = False,
    ) -> None:
        self.settings = settings
        self.parameters = parameters
        self.optimizer = build_optimizer(settings, parameters)
        self.scaler = None
        if scales_loss:
            self.scaler = torch.amp.GradScaler(parameters[0].device.type)

    def state_dict(self) -> dict[str, Any]:
        """RETURNS (Dict[str, Any]): For a checkpoint."""
        scaler = self.scaler.state_dict() if self.scaler else None
        return {"optimizer": self.optimizer.state_dict(), "scaler": scaler}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Go on from a checkpoint, also of another precision."""
        self.optimizer.load_state_dict(state["optimizer"])
        if self.scaler and state.get("scaler"):
            self.scaler.load_state_dict(state["scaler"])

    def backward(self, loss: Tensor) -> None:
        """Add a mean loss's gradients."""
        if isinstance(self.settings, Adagrad):
            loss = loss * self.settings.loss_scale
        if self.scaler:
            loss = self.scaler.scale(loss)
        loss.backward()

    def apply(self, *, step: int, progress: float) -> Update:
        """Clip the gradients and change the weights, if the gradients are finite.

        step (int): Steps taken before it. progress (float): Share of the training.
        """
        rate = learn_rate(self.settings, step=step, progress=progress)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        if self.scaler:
            self.scaler.unscale_(self.optimizer)
        limit = self.settings.grad_clip
        norm = float(
            nn.utils.clip_grad_norm_(
                self.parameters, math.inf if limit is None else limit
            )
        )
        is_finite = math.isfinite(norm)
        is_skipped = False
        if self.scaler:
            is_skipped = not is_finite and self.scaler.get_scale() > 1
            self.scaler.step(self.optimizer)
            self.scaler.update()
        elif is_finite:
            self.optimizer.step()
        return Update(rate, norm, is_finite, is_skipped)
