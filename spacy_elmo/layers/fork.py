"""A forked child hangs in the thread pool that torch left behind in the parent."""

import os

import torch

_watched = False


def watch_forks() -> None:
    """Let every forked child of this process use one torch thread; once a process."""
    global _watched
    if not _watched and hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=_use_one_thread)
        _watched = True


def _use_one_thread() -> None:
    torch.set_num_threads(1)
