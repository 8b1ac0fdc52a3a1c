"""Training on several processes: each takes its part of every batch."""

import os
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, distributed, nn


@dataclass(frozen=True)
class Processes:
    """This process among those that train together; alone by default.

    All see the same batches in the same order, and each takes every n-th stretch. The
    gradients are sums over predictions, so that it does not matter who has how many.

    rank (int): Its number. size (int): How many there are. local_rank (int): Its number
        on this machine.
    """

    rank: int = 0
    size: int = 1
    local_rank: int = 0

    @property
    def is_first(self) -> bool:
        """Whether this process evaluates, writes and reports."""
        return self.rank == 0

    def device(self, name: str) -> torch.device:
        """The device of this process.

        RAISES (ValueError): There is no such device.
        """
        device = torch.device(name)
        if device.type != "cuda":
            return device
        n_devices = torch.cuda.device_count()
        index = self.local_rank if self.size > 1 else device.index or 0
        if index >= n_devices:
            raise ValueError(
                f"device = {name!r}, process {self.rank} of {self.size}: expected GPU "
                f"{index}, found {n_devices} of them."
            )
        return torch.device("cuda", index)

    def sum(self, tensor: Tensor) -> Tensor:
        """The sum over all processes, in place."""
        if self.size > 1:
            distributed.all_reduce(tensor)
        return tensor

    def sum_gradients(self, parameters: Sequence[nn.Parameter]) -> None:
        """Give every process the sum of all gradients."""
        if self.size == 1:
            return
        for p in parameters:
            if p.grad is None:
                p.grad = torch.zeros_like(p)
        gradients = [p.grad for p in parameters if p.grad is not None]
        flat = self.sum(torch.cat([gradient.flatten() for gradient in gradients]))
        sizes = [gradient.numel() for gradient in gradients]
        for gradient, part in zip(gradients, flat.split(sizes)):
            gradient.copy_(part.view_as(gradient))

    def wait(self) -> None:
        """Go on when all have come here."""
        if self.size > 1:
            distributed.barrier()

    def leave(self) -> None:
        """Part from the others."""
        if self.size > 1:
            distributed.destroy_process_group()


def join_processes(device: str) -> Processes:
    """Join those that torchrun started, as its environment variables say; else alone.

    device (str): "cpu" takes the gloo backend, a GPU takes nccl.
    """
    size = int(os.environ.get("WORLD_SIZE", "1"))
    if size == 1:
        return Processes()
    if not distributed.is_initialized():
        backend = "nccl" if device.startswith("cuda") else "gloo"
        distributed.init_process_group(backend)
    local_rank = int(os.environ.get("LOCAL_RANK", "0"))
    return Processes(distributed.get_rank(), distributed.get_world_size(), local_rank)
