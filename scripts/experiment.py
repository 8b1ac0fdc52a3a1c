"""Train, test and compare pipelines with and without ELMo, run by run.

    python scripts/experiment.py run CORPUS RESULTS WORK --rows cnn,enhanced
    python scripts/experiment.py speed CORPUS RESULTS WORK
    python scripts/experiment.py precision CORPUS RESULTS WORK
    python scripts/experiment.py table RESULTS
    python scripts/experiment.py page RESULTS PAGE
    python scripts/experiment.py config ROW OUTPUT

A run is a row of `experiments/rows.py` and a seed. It trains with the constants of its
config, keeps the model that is best on CORPUS/dev.spacy, and adds a line to RESULTS
with its scores on CORPUS/test.spacy. Runs that stand in RESULTS with the same config,
corpus and weights are skipped, so that work can go on another day. Speed is measured
apart.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path

from experiments import paper, pictures
from experiments.precision import measure_precision
from experiments.rows import PRETRAINING, ROWS
from experiments.runs import CONFIGS, Folders, run
from experiments.speed import measure_speed
from experiments.tables import comparison
from spacy.util import load_config


def main() -> None:
    """Do what is asked."""
    arguments = parse_arguments()
    if arguments.command == "table":
        print("\n".join(comparison(arguments.results)))
    elif arguments.command == "page":
        write_page(arguments.results, arguments.page)
    elif arguments.command == "config":
        write_config(arguments.row, arguments.output)
    else:
        folders = Folders(arguments.corpus, arguments.results, arguments.work)
        if arguments.command == "speed":
            measure_speed(folders, arguments.rows.split(","))
        elif arguments.command == "precision":
            for line in measure_precision(folders):
                print(line, flush=True)
        else:
            run_missing(folders, arguments)


def run_missing(folders: Folders, arguments: argparse.Namespace) -> None:
    """Run each row with each seed, seed after seed."""
    given = ("max_steps", "eval_frequency")
    values = {f"training.{name}": getattr(arguments, name) for name in given}
    extra = {name: value for name, value in values.items() if value is not None}
    folders.results.parent.mkdir(parents=True, exist_ok=True)
    for seed in map(int, arguments.seeds.split(",")):
        for key in arguments.rows.split(","):
            run(folders, key, seed, extra)


def write_page(results: Path, page: Path) -> None:
    """Fill a page's tables, and draw its pictures into the folder of the results."""
    folder = results.parent
    paper.write_page(page, page_tables(results))
    pictures.plot_costs(results, folder / "costs.png")
    pictures.plot_efficiency(results, folder / "efficiency.png")


def page_tables(results: Path) -> dict[str, list[str]]:
    """RETURNS (Dict[str, List[str]]): The lines of each table, by its mark."""
    folder = results.parent
    tables: dict[str, Iterator[str]] = {
        "brings": comparison(folder / "ewt.jsonl"),
        "weighting": paper.weighting(results),
        "placement": paper.placement(results),
        "efficiency": paper.efficiency(results),
        "updates": paper.updates(results),
        "comparators": paper.comparators(results),
        "senses": paper.probed(folder / "probe.sense.json", paper.SENSES),
        "tags": paper.probed(folder / "probe.tag.json", paper.TAGS),
        "entities": paper.probed(folder / "probe.ner.json", {}),
    }
    return {name: list(lines) for name, lines in tables.items()}


def write_config(key: str, output: Path) -> None:
    """Write the config of a row, for `spacy pretrain` and for reading."""
    row = ROWS[key]
    config = load_config(CONFIGS / f"{row.config}.cfg", overrides=row.overrides)
    output.parent.mkdir(parents=True, exist_ok=True)
    config.merge(row.blocks).merge(PRETRAINING).to_disk(output)


def parse_arguments() -> argparse.Namespace:
    """RETURNS (Namespace): The command and its options."""
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    runs = commands.add_parser("run", help="train and test what is missing")
    speed = commands.add_parser("speed", help="measure tokens a second, in turns")
    precision = commands.add_parser("precision", help="test in bfloat16 and int8 too")
    for command in (runs, speed, precision):
        command.add_argument("corpus", type=Path, help="train, dev and test.spacy")
        command.add_argument("results", type=Path, help="JSON lines, one a run")
        command.add_argument("work", type=Path, help="folder for models and layers")
    for command in (runs, speed):
        command.add_argument("--rows", default=",".join(ROWS), help="which, by commas")
    runs.add_argument("--seeds", default="0,1,2", help="which, by commas")
    runs.add_argument("--max-steps", type=int, help="instead of the config's")
    runs.add_argument("--eval-frequency", type=int, help="instead of the config's")
    table = commands.add_parser("table", help="print a Markdown table")
    table.add_argument("results", type=Path, help="JSON lines, one a run")
    page = commands.add_parser("page", help="fill docs/results.md")
    page.add_argument("results", type=Path, help="JSON lines, one a run")
    page.add_argument("page", type=Path, help="Markdown with a mark for each table")
    config = commands.add_parser("config", help="write the config of a row")
    config.add_argument("row", choices=ROWS)
    config.add_argument("output", type=Path, help="file to write")
    return parser.parse_args()


if __name__ == "__main__":
    main()
