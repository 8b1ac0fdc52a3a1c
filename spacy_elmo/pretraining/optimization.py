"""Optimizers and how their learning rate goes."""

import math

import torch
from torch import nn

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


def loss_scale(settings: Adam | Adagrad) -> float:
    """What the mean loss is multiplied by before its gradient is taken."""
    return settings.loss_scale if isinstance(settings, Adagrad) else 1.0
