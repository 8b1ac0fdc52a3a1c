"""Several programs measured in turns, each in a process of its own.

A slow spell of the machine then meets all of them. A program is a function of a file of
`benchmarks/`, called with keyword arguments (JSON); it gets ready and returns what to
run; only that is timed.
"""

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

FOLDER = Path(__file__).parent


class Program(NamedTuple):
    """What to measure.

    label (str): Its name in the table. target (str): "module:function".
    options (Dict[str, Any]): The function's arguments.
    python (str): The interpreter, by default this one.
    """

    label: str
    target: str
    options: dict[str, Any]
    python: str = sys.executable


class Figures(NamedTuple):
    """Medians over the passes: seconds, CPU seconds, and the peak memory in MB."""

    seconds: float
    cpu_seconds: float
    peak_mb: float


class Worker:
    """A program in its process, ready to run."""

    def __init__(self, program: Program, threads: int) -> None:
        self.program = program
        names = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "BENCH_THREADS")
        environment = {**os.environ, **dict.fromkeys(names, str(threads))}
        self._process = subprocess.Popen(
            [program.python, str(FOLDER / "side_by_side.py"), program.target],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
            text=True,
        )
        self._ask(program.options)

    def run(self) -> dict[str, float]:
        """One pass."""
        return self._ask("run")

    def stop(self) -> None:
        """End the process."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()

    def _ask(self, message: object) -> dict[str, float]:
        process = self._process
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(json.dumps(message) + "\n")
        process.stdin.flush()
        line = process.stdout.readline()
        if not line:
            raise RuntimeError(f"{self.program.label}: stopped; see its message above.")
        answer: dict[str, float] = json.loads(line)
        return answer


def measure(
    programs: Sequence[Program], *, passes: int, threads: int
) -> dict[str, Figures]:
    """Run every program once to warm up, then in turns.

    RETURNS (Dict[str, Figures]): By label.
    """
    workers = [Worker(program, threads) for program in programs]
    taken: dict[str, list[dict[str, float]]] = {p.label: [] for p in programs}
    for worker in workers:
        worker.run()
    for i in range(passes):
        turn = i % len(workers)
        for worker in workers[turn:] + workers[:turn]:
            taken[worker.program.label].append(worker.run())
    for worker in workers:
        worker.stop()
    return {label: _medians(runs) for label, runs in taken.items()}


def _medians(runs: list[dict[str, float]]) -> Figures:
    return Figures(*(statistics.median(r[n] for r in runs) for n in Figures._fields))


def serve(target: str) -> None:
    """The child's side: a line in, a line out."""
    replies = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a program prints must not mix with the replies
    sys.path.insert(0, str(FOLDER))
    module, function = target.split(":")
    run: Callable[[], object] | None = None
    for line in sys.stdin:
        message = json.loads(line)
        reply: dict[str, float] = {}
        if run is None:
            run = getattr(import_module(module), function)(**message)
        else:
            start, cpu = time.perf_counter(), time.process_time()
            run()
            reply["seconds"] = time.perf_counter() - start
            reply["cpu_seconds"] = time.process_time() - cpu
            reply["peak_mb"] = peak_memory()
        replies.write(json.dumps(reply) + "\n")
        replies.flush()


def peak_memory() -> float:
    """RETURNS (float): MB that this process had in memory at most."""
    status = Path("/proc/self/status").read_text(encoding="utf8")
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


if __name__ == "__main__":
    serve(sys.argv[1])
