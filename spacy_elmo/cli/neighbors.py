"""`spacy elmo neighbors WEIGHTS CORPUS SENTENCE`: what a word is near to."""

from collections import Counter
from collections.abc import Iterator
from itertools import islice
from typing import Annotated, Any

import spacy
import srsly
from spacy.language import Language
from tqdm import tqdm  # type: ignore[import-untyped]
from wasabi import msg

from ..analysis.layer_reader import LayerReader, layer_name, open_weights
from ..analysis.neighbors import (
    Near,
    Occurrence,
    Similar,
    counted,
    find_nearest,
    find_similar,
    parse_query,
    read_occurrences,
    read_word,
)
from ..analysis.plots import plot_senses
from ..analysis.sense_map import map_senses
from ..analysis.senses import SenseSentence, read_senses
from ..pretraining.corpus import Corpus
from ..pretraining.sources import find_files
from ._app import Arg, Lang, Opt, Tokenized, elmo_cli, failing
from .probe import Figure, Output, Weights

#: Words shown on each side of one.
SHOWN = 8


@elmo_cli.command("neighbors")
def neighbors_cli(
    weights: Weights,
    corpus: Annotated[str, Arg(help="File or glob of text")],
    sentence: Annotated[
        str, Arg(help="A sentence with one word marked: 'Sit on the *bank* here.'")
    ],
    layer: Annotated[
        int | None,
        Opt("--layer", help="Layer that sees the context; by default the top"),
    ] = None,
    k: Annotated[int, Opt("--n-neighbors", "-n", help="How many to find", min=1)] = 10,
    same_word: Annotated[
        bool, Opt("--same-word", "-s", help="Look among occurrences of the word alone")
    ] = False,
    min_count: Annotated[
        int, Opt("--min-count", "-c", help="Leave out rarer words of the token layer")
    ] = 2,
    limit: Annotated[
        int | None, Opt("--limit", help="Sentences of the corpus to read", min=1)
    ] = None,
    senses: Annotated[
        bool, Opt("--senses", help="CORPUS is JSONL with word senses, as SemCor")
    ] = False,
    lang: Lang = "en",
    tokenized: Tokenized = False,
    output: Output = None,
    figure: Figure = None,
) -> None:
    """
    Find the occurrences that are nearest to a word in its sentence, and the words that
    the token layer, which sees no sentence, takes for similar. The picture is a map of
    the word's occurrences; with --senses their colour is the sense.
    """
    with failing():
        reader, nlp = LayerReader(open_weights(weights)), spacy.blank(lang)
        number = reader.check_layer(layer)
        query = read_word(reader, *parse_query(sentence, nlp))
        files = find_files([corpus])

        def read() -> Iterator[SenseSentence]:
            found = (
                read_senses(files)
                if senses
                else read_text(files, nlp, tokenized=tokenized)
            )
            return islice(tqdm(found, unit="sentence", disable=None), limit)

        counts: Counter[str] = Counter()
        word = query.word if same_word else None
        occurrences = read_occurrences(reader, counted(read(), counts), word)
        nearest = find_nearest(query, occurrences, layer=number, k=k)
        frequent = Counter({w: n for w, n in counts.items() if n >= min_count})
        similar = find_similar(reader, query, frequent, k=k)
        if figure is not None:
            all_of_word = list(read_occurrences(reader, read(), query.word))
            plot_senses(map_senses(query, all_of_word), figure)
    if output is not None:
        srsly.write_json(output, to_dict(query, number, nearest, similar))
    print_nearest(nearest, layer_name(number))
    print_similar(similar)


def read_text(
    files: list[str], nlp: Language, *, tokenized: bool
) -> Iterator[SenseSentence]:
    """The sentences of text in any form that `pretrain` reads."""
    for words in Corpus(files, nlp, tokenized=tokenized).sentences():
        yield SenseSentence(words, [])


def to_dict(
    query: Occurrence, layer: int, nearest: list[Near], similar: list[Similar]
) -> dict[str, Any]:
    """What was found, JSON-ready."""
    return {
        "query": {"words": query.words, "place": query.place},
        "layer": layer,
        "occurrences": [
            {
                "score": near.score,
                "words": near.occurrence.words,
                "place": near.occurrence.place,
                "senses": near.occurrence.senses,
            }
            for near in nearest
        ],
        "words": [near._asdict() for near in similar],
    }


def print_nearest(nearest: list[Near], layer: str) -> None:
    """Print each occurrence between the words around it."""
    rows = [(f"{near.score:.3f}", *in_context(near.occurrence)) for near in nearest]
    header = ["cosine", "", f"occurrences, {layer}", "", "senses"]
    width = len(header) if any(near.occurrence.senses for near in nearest) else 4
    msg.table(
        [row[:width] for row in rows],
        header=header[:width],
        aligns=tuple("rrlll"[:width]),
        divider=True,
        max_col=60,
    )


def in_context(found: Occurrence) -> tuple[str, str, str, str]:
    """The words before it, itself, the words behind it, its senses."""
    start, end = max(found.place - SHOWN, 0), found.place + 1
    before, behind = found.words[start : found.place], found.words[end : end + SHOWN]
    return " ".join(before), found.word, " ".join(behind), ", ".join(found.senses)


def print_similar(similar: list[Similar]) -> None:
    """Print each word and how often it occurs."""
    rows = [(f"{near.score:.3f}", near.word, f"{near.frequency:,}") for near in similar]
    header = ["cosine", f"words, {layer_name(0)}", "occurrences"]
    msg.table(rows, header=header, aligns=["r", "l", "r"], divider=True)
