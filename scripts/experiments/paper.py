"""The tables of Peters et al. 2018 (NAACL), theirs beside ours, in Markdown.

The paper's tasks are not ours: SQuAD, SNLI and semantic roles (SRL) there, tags and
entities here. What can be compared is which row is ahead of which.
"""

import json
import statistics
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from .rows import BASELINE, ROWS
from .runs import Record, by_row, read
from .speed import read_speeds
from .tables import SCORES, line, percents, scores, seeds, spread

#: Table 2: what a row is called, and the paper's SQuAD, SNLI, SRL on dev.
WEIGHTING = {
    "cnn": ("no ELMo", "80.8, 88.1, 81.6"),
    "top": ("last layer only", "84.7, 89.1, 84.1"),
    "uniform": ("all layers, fixed average", ""),
    "l2-1": ("all layers, λ = 1", "85.0, 89.3, 84.6"),
    "l2-0.001": ("all layers, λ = 0.001", "85.2, 89.5, 84.8"),
    "enhanced": ("all layers, λ = 0", ""),
}
#: Table 3, the same.
PLACEMENT = {
    "enhanced": ("input only", "85.1, 88.9, 84.7"),
    "both": ("input and output", "85.6, 89.5, 84.3"),
    "output": ("output only", "84.8, 88.7, 80.9"),
}
#: Figure 1 and section 5.4, in words, for semantic roles.
SHARES = ((1, "-1"), (10, "-10"), (100, ""))
#: Table 5 (F1 on all words of five test sets), Table 6 (accuracy, Penn Treebank).
SENSES = {
    "WordNet's first sense": "65.9",
    "biLSTM layer 1": "67.4",
    "biLSTM layer 2": "69.0",
}
TAGS = {"biLSTM layer 1": "97.3", "biLSTM layer 2": "96.8"}
COMPARED = (
    "words",
    "cnn",
    "vectors",
    "shared",
    "pretrained",
    "elmo",
    "enhanced",
    "vectors-elmo",
    "minilm",
    "minilm-long",
)


def weighting(results: Path) -> Iterator[str]:
    """Table 2: which layers are mixed, and how strongly towards their average."""
    return _beside(results, WEIGHTING)


def placement(results: Path) -> Iterator[str]:
    """Table 3: where the head reads ELMo."""
    return _beside(results, PLACEMENT)


def _beside(results: Path, rows: dict[str, tuple[str, str]]) -> Iterator[str]:
    runs = by_row(read(results))
    yield "| | seeds | tags | entities F1 | the paper: SQuAD, SNLI, SRL |"
    yield "|---|---|---|---|---|"
    for key, (label, theirs) in rows.items():
        if runs[key]:
            ours = [spread(percents(runs[key], score)) for score in SCORES]
            yield line(label, seeds(runs[key]), *ours, theirs)


def efficiency(results: Path) -> Iterator[str]:
    """Figure 1, left: what a share of the training sentences is worth."""
    runs = by_row(read(results))
    yield "| sentences | | seeds | tags | error | entities F1 | error |"
    yield "|---|---|---|---|---|---|---|"
    for percent, suffix in SHARES:
        base = runs[f"cnn{suffix}"]
        for key in (f"cnn{suffix}", f"enhanced{suffix}"):
            if not runs[key]:
                continue
            label = ROWS[key].label.split(",")[0]
            found = seeds(runs[key]), *scores(runs[key], base)
            yield line(f"{percent} %", label, *found)


def updates(results: Path) -> Iterator[str]:
    """Figure 1, in words: updates until ELMo is where the baseline is at its best."""
    runs = by_row(read(results))
    pairs = [
        (base, elmo)
        for base in runs["cnn"]
        for elmo in runs["enhanced"]
        if base["seed"] == elmo["seed"]
    ]
    yield "| | seeds | best without ELMo, dev | at update | with ELMo, reached at |"
    yield "|---|---|---|---|---|"
    for column, name in ((1, "tags"), (2, "entities F1")):
        bests = [best_of(base, column) for base, _ in pairs]
        reached = [
            first_at(elmo, column, best[1]) for (_, elmo), best in zip(pairs, bests)
        ]
        yield line(
            name,
            seeds([base for base, _ in pairs]),
            spread([score for _, score in bests]),
            ", ".join(f"{step:,}" for step, _ in bests),
            ", ".join("never" if step is None else f"{step:,}" for step in reached),
        )


def best_of(record: Record, column: int) -> tuple[int, float]:
    """RETURNS (Tuple[int, float]): The update with the best dev score, and it."""
    step, score = 0, -1.0
    for point in record["curve"]:
        if point[column] > score:
            step, score = int(point[0]), point[column]
    return step, score


def first_at(record: Record, column: int, score: float) -> int | None:
    """RETURNS (Optional[int]): The first update with at least this dev score."""
    return next((int(p[0]) for p in record["curve"] if p[column] >= score), None)


def comparators(results: Path) -> Iterator[str]:
    """What else there is: scores, speed, and what training costs."""
    runs, speeds = by_row(read(results)), read_speeds(results)
    yield (
        "| | seeds | tags | error | entities F1 | error | tokens/s "
        "| training, CPU seconds |"
    )
    yield "|---|---|---|---|---|---|---|---|"
    for key in COMPARED:
        if not runs[key]:
            continue
        cells = [ROWS[key].label, seeds(runs[key]), *scores(runs[key], runs[BASELINE])]
        cells.append(f"{speeds[key]:,}" if key in speeds else "")
        cells.append(f"{statistics.mean(r['cpu_seconds'] for r in runs[key]):,.0f}")
        yield line(*cells)


def probed(path: Path, theirs: dict[str, str]) -> Iterator[str]:
    """Tables 5 and 6, from what `spacy elmo probe --output` wrote.

    theirs (Dict[str, str]): The paper's score of some of the rows.
    """
    rows: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf8"))["rows"]
    columns = [name for name in rows[0] if name not in ("name", "is_baseline")]
    header = ["", *columns] + (["the paper"] if theirs else [])
    yield line(*header)
    yield "|" + "---|" * len(header)
    for row in rows:
        cells = [row["name"]] + [_score(row[name]) for name in columns]
        yield line(*cells, *([theirs.get(row["name"], "")] if theirs else []))


def _score(record: dict[str, Any]) -> str:
    return spread([100 * value for value in record["values"]])


def write_page(page: Path, tables: Mapping[str, Sequence[str]]) -> None:
    """Put each table between its two marks, `<!-- name -->` and `<!-- /name -->`.

    RAISES (ValueError): The page lacks a mark.
    """
    text = page.read_text(encoding="utf8")
    for name, lines in tables.items():
        start, end = f"<!-- {name} -->", f"<!-- /{name} -->"
        if start not in text or end not in text:
            raise ValueError(f"{page}: no {start} … {end} for a table.")
        before, rest = text.split(start, 1)
        _, after = rest.split(end, 1)
        text = "\n".join([f"{before}{start}", *lines, f"{end}{after}"])
    page.write_text(text, encoding="utf8")
