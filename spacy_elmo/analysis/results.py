"""What an analysis found: a table for people, a record for files."""

import statistics
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple


class Row(NamedTuple):
    """One line of a table.

    name (str): What was measured.
    scores (Dict[str, List[float]]): For each column a score from 0 to 1 for each seed,
        or a single one where nothing is random.
    is_baseline (bool): It reads no biLM.
    """

    name: str
    scores: dict[str, list[float]]
    is_baseline: bool = False


@dataclass(frozen=True)
class Results:
    """A table of scores.

    task (str): What the labels are.
    rows (List[Row]): All with the same columns; the first column is the one to look at.
    details (Dict[str, Any]): JSON-ready: what a reader has to know to repeat it.
    """

    task: str
    rows: list[Row]
    details: dict[str, Any] = field(default_factory=dict)

    @property
    def columns(self) -> list[str]:
        """The names of the scores."""
        return list(self.rows[0].scores)

    def cells(self) -> Iterator[list[str]]:
        """The table in percent: a name, then mean ± standard deviation."""
        for row in self.rows:
            yield [row.name, *(_percent(values) for values in row.scores.values())]

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready; scores from 0 to 1."""
        rows = [
            {
                "name": row.name,
                "is_baseline": row.is_baseline,
                **{name: _record(values) for name, values in row.scores.items()},
            }
            for row in self.rows
        ]
        return {"task": self.task, "rows": rows, **self.details}


def spread(values: list[float]) -> float | None:
    """The standard deviation over seeds, if there are several."""
    return statistics.stdev(values) if len(values) > 1 else None


def _percent(values: list[float]) -> str:
    mean, deviation = statistics.mean(values), spread(values)
    text = f"{100 * mean:.2f}"
    return text if deviation is None else f"{text} ± {100 * deviation:.2f}"


def _record(values: list[float]) -> dict[str, Any]:
    return {"mean": statistics.mean(values), "sd": spread(values), "values": values}
