"""Two processes train as one does."""

import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file
from thinc.api import Config

from spacy_elmo.pretraining.processes import Processes
from spacy_elmo.pretraining.session import pretrain

from .util import make_config, make_sentences, write_text

SCRIPT = """
import sys
import torch
from thinc.api import Config
from spacy_elmo.pretraining.session import pretrain

torch.set_num_threads(1)
pretrain(Config().from_disk(sys.argv[1]), sys.argv[2], resume=len(sys.argv) > 3)
"""


def exact_config(folder: Path, **changes: Any) -> Config:
    """Nothing random after the initial weights."""
    train = write_text(folder / "train.txt", make_sentences(60))
    dev = write_text(folder / "dev.txt", make_sentences(10, seed=1))
    softmax = {"kind": "full"}
    return make_config(train, dev, dropout=0.0, softmax=softmax, **changes)


def run_two(config: Config, output: Path, *arguments: str) -> list[str]:
    """As torchrun would; RETURNS (List[str]): What each wrote to stderr."""
    path = output.with_suffix(".cfg")
    config.to_disk(path)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    processes = []
    for rank in range(2):
        address = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}
        place = {"WORLD_SIZE": "2", "RANK": str(rank), "LOCAL_RANK": str(rank)}
        command = [sys.executable, "-c", SCRIPT, str(path), str(output), *arguments]
        processes.append(
            subprocess.Popen(
                command,
                env={**os.environ, **address, **place},
                stderr=subprocess.PIPE,
                text=True,
            )
        )
    return [process.communicate(timeout=120)[1] for process in processes]


def weights_in(output: Path) -> dict[str, torch.Tensor]:
    folder = output / "model-last"
    softmax = load_file(folder / "softmax.safetensors")
    return load_file(folder / "weights.safetensors") | softmax


def test_two_processes_end_with_the_weights_of_one(tmp_path: Path):
    """Also when they go on with what one began: checkpoints move between sizes."""
    config = exact_config(tmp_path, max_epochs=1)
    begun = exact_config(tmp_path, max_epochs=1, max_steps=4)
    begun["pretraining_elmo"]["optimizer"]["schedule"] = "constant"
    config["pretraining_elmo"]["optimizer"]["schedule"] = "constant"
    pretrain(config, tmp_path / "one")
    pretrain(begun, tmp_path / "two")
    run_two(config, tmp_path / "two", "resume")
    one, two = weights_in(tmp_path / "one"), weights_in(tmp_path / "two")
    for name, tensor in one.items():
        assert torch.allclose(two[name], tensor, atol=1e-5), name
    metrics = [
        (tmp_path / name / "metrics.jsonl").read_text().splitlines()
        for name in ("one", "two")
    ]
    assert len(metrics[1]) >= len(metrics[0]) > 8


def test_windows_stay_on_one_process(tmp_path: Path):
    batches = {"kind": "windows", "n_streams": 2, "unroll": 5}
    errors = run_two(exact_config(tmp_path, batches=batches), tmp_path / "out")
    assert all('expected kind = "sentences"' in error.lower() for error in errors)


def test_a_gpu_that_is_not_there_is_an_error():
    """bilm-tf issues 81, 98, 140: more devices asked for than there are."""
    n_devices = torch.cuda.device_count()
    with pytest.raises(ValueError, match=f"found {n_devices} of them"):
        Processes().device(f"cuda:{n_devices}")
