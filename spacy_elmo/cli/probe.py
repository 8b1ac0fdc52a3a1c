"""`spacy elmo probe WEIGHTS DATA`: what each layer knows."""

from enum import Enum
from itertools import islice
from pathlib import Path
from typing import Annotated

import srsly
from wasabi import msg

from ..analysis.disambiguation import disambiguate
from ..analysis.labelled import read_labelled
from ..analysis.layer_reader import LayerReader, open_weights
from ..analysis.plots import plot_results
from ..analysis.probe import probe
from ..analysis.results import Results
from ..analysis.senses import read_first_senses, read_senses
from ..pretraining.sources import find_files
from ._app import Arg, Opt, elmo_cli, failing

#: What the commands of analysis have in common.
Weights = Annotated[
    str, Arg(help="Folder of weights, in any form, or bundled for those of the package")
]
Output = Annotated[Path | None, Opt("--output", "-o", help="JSON file to write")]
Figure = Annotated[
    Path | None, Opt("--figure", "-f", help="Picture to write, such as FILE.png")
]


class Task(str, Enum):
    """What the labels are."""

    tag = "tag"
    chunk = "chunk"
    ner = "ner"
    sense = "sense"


class Tags(str, Enum):
    """Which tags to read where there are two kinds."""

    xpos = "xpos"
    upos = "upos"


@elmo_cli.command("probe")
def probe_cli(
    weights: Weights,
    data: Annotated[list[str], Arg(help="Training files or globs")],
    task: Annotated[Task, Opt("--task", "-t", help="What the labels are")],
    test: Annotated[list[str], Opt("--test", "-T", help="Test file; can be repeated")],
    tags: Annotated[
        Tags, Opt("--tags", help="Which tags of .conllu and .spacy files")
    ] = Tags.xpos,
    sense_index: Annotated[
        str | None,
        Opt("--sense-index", help="WordNet's index.sense, for --task sense"),
    ] = None,
    seeds: Annotated[
        int, Opt("--seeds", help="Trainings of each classifier", min=1)
    ] = 3,
    limit: Annotated[
        int | None, Opt("--limit", help="Training sentences to read", min=1)
    ] = None,
    output: Output = None,
    figure: Figure = None,
) -> None:
    """
    Train a linear classifier on each layer, on their average, on their concatenation,
    and on words alone for comparison: of tags, or of chunks or entities as BIO tags.
    With --task sense, tell word senses apart by the nearest average of SemCor's.
    """
    with failing():
        reader = LayerReader(open_weights(weights))
        train_files, test_files = find_files(data), find_files(test)
        if task is Task.sense:
            results = probe_senses(reader, train_files, test_files, sense_index, limit)
        else:
            results = probe(
                reader,
                read_labelled(train_files, task.value, tags=tags.value)[:limit],
                read_labelled(test_files, task.value, tags=tags.value),
                task=task.value,
                seeds=range(seeds),
            )
        if figure is not None:
            plot_results(results, figure)
    if output is not None:
        files = {"train_files": names(train_files), "test_files": names(test_files)}
        srsly.write_json(output, {**results.to_dict(), **files})
    print_results(results)


def probe_senses(
    reader: LayerReader,
    train: list[str],
    tests: list[str],
    sense_index: str | None,
    limit: int | None = None,
) -> Results:
    """Disambiguate the words of files.

    RAISES (ValueError): No --sense-index; or names a file and line.
    """
    if sense_index is None:
        raise ValueError(
            "--task sense needs --sense-index FILE, WordNet's index.sense: words that "
            "the training text lacks take their first sense."
        )
    return disambiguate(
        reader,
        islice(read_senses(train), limit),
        {name: read_senses([path]) for name, path in zip(names(tests), tests)},
        read_first_senses(sense_index),
    )


def names(files: list[str]) -> list[str]:
    """What files are called in reports: by name alone, if that tells them apart."""
    short = [Path(path.removesuffix(".gz")).stem for path in files]
    return short if len(set(short)) == len(short) else files


def print_results(results: Results) -> None:
    """Print the table."""
    header = [results.task, *results.columns]
    aligns = ["l", *"r" * len(results.columns)]
    msg.table(list(results.cells()), header=header, divider=True, aligns=aligns)
