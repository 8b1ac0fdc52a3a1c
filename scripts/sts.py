"""Measure document vectors by what people say of the similarity of texts.

    python scripts/sts.py measure DATA docs/results/sts.json
    python scripts/sts.py table docs/results/sts.json docs/similarity.md

DATA holds `stsbenchmark/{train,dev}.tsv` (score, sentence, sentence, ...) and `lee/`
with `lee.cor`, `lee_background.cor` (a text a line) and `similarities0-1.txt`. A score
is the cosine of two pooled vectors. Nothing is learned from the judgements: word
counts, word vectors and common components come from the train and background texts,
or the first two from --text. The second command writes the figures into the page.
"""

import argparse
import json
import tempfile
from collections.abc import Sequence
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import spacy
from numpy.typing import NDArray
from sts_encoders import (
    WORD_VECTORS,
    Encode,
    Sentences,
    Vectors,
    elmo_of,
    encode_bag,
    encode_elmo,
    encode_words,
    train_words,
)

import spacy_elmo
from spacy_elmo.embedding.options import POOLINGS
from spacy_elmo.pretraining.corpus import Corpus
from spacy_elmo.pretraining.vocabulary import build_vocabulary
from spacy_elmo.similarity.directions import find_components, to_directions
from spacy_elmo.similarity.quality import Agreement, agreement, cosines

#: Common components to remove; None removes nothing, 0 the mean.
REMOVED = (None, 0, 1, 3, 10, 30)
#: Background texts that the components are found in.
FIT_TEXTS = 3000
MARKS = ("<!-- sts: begin -->\n", "<!-- sts: end -->\n")


class TextSet(NamedTuple):
    """Texts, and what people say of pairs of them.

    left (NDArray), right (NDArray): (n,) numbers of texts. judgements (NDArray): (n,).
    background (List[str]): Other texts of the kind.
    """

    texts: list[str]
    left: NDArray[np.int64]
    right: NDArray[np.int64]
    judgements: NDArray[np.float64]
    background: list[str]


# ---- The sets ----------------------------------------------------------------------


def read_sets(folder: Path) -> dict[str, TextSet]:
    """Read both sets."""
    return {"stsb": read_stsb(folder / "stsbenchmark"), "lee": read_lee(folder / "lee")}


def read_stsb(folder: Path) -> TextSet:
    """Read the pairs of dev.tsv."""
    rows = [line.split("\t") for line in _lines(folder / "dev.tsv")]
    texts = [text for row in rows for text in row[1:3]]
    left = np.arange(0, len(texts), 2)
    judgements = np.array([float(row[0]) for row in rows])
    train = [line.split("\t") for line in _lines(folder / "train.tsv")]
    background = list(dict.fromkeys(text for row in train for text in row[1:3]))
    return TextSet(texts, left, left + 1, judgements, background)


def read_lee(folder: Path) -> TextSet:
    """Read all pairs of two documents."""
    texts = _lines(folder / "lee.cor")
    judgements = np.loadtxt(folder / "similarities0-1.txt")
    left, right = np.triu_indices(len(texts), k=1)
    background = _lines(folder / "lee_background.cor")
    return TextSet(texts, left, right, judgements[left, right], background)


def _lines(path: Path) -> list[str]:
    text = path.read_text(encoding="utf8")
    return [line.strip() for line in text.split("\n") if line.strip()]


# ---- Measuring ---------------------------------------------------------------------


def measure(data: Path, weights: Path | None, text: list[str] | None) -> dict[str, Any]:
    """Measure everything. RETURNS (Dict[str, Any]): JSON-ready."""
    sets = read_sets(data)
    nlp, blank = spacy_elmo.blank("en", weights=weights), spacy.blank("en")
    rows: list[dict[str, Any]] = []
    skipped: dict[str, str] = {}
    table = None
    with tempfile.TemporaryDirectory() as folder:
        background = Path(folder) / "background.txt"
        lines = [line for found in sets.values() for line in found.background]
        background.write_text("\n".join(lines), encoding="utf8")
        corpus = Corpus(text or [str(background)], blank)
        frequencies = Path(folder) / "vocab.txt"
        build_vocabulary(corpus.sentences())[0].write(frequencies)
        if find_spec("gensim") is None:
            skipped[WORD_VECTORS] = "gensim is not installed ('.[pretrain-sample]')"
        else:
            table = train_words(Sentences(corpus), elmo_of(nlp).width)
        for pooling in POOLINGS:
            encoders = [encode_elmo(nlp, pooling, frequencies)]
            if table is not None:
                encoders.append(encode_words(table, blank, pooling, frequencies))
            for encode in encoders:
                rows += measure_encoder(encode, pooling, sets, REMOVED)
            if pooling != "max":
                encode = encode_bag(blank, pooling, frequencies)
                rows += measure_encoder(encode, pooling, sets, (None,))
    return {
        "weights": elmo_of(nlp).provenance,
        "text": [Path(path).name for path in text or []],
        "pairs": {name: len(found.judgements) for name, found in sets.items()},
        "versions": {name: version(name) for name in ("spacy", "torch", "numpy")},
        "skipped": skipped,
        "rows": rows,
    }


def measure_encoder(
    encode: Encode,
    pooling: str,
    sets: dict[str, TextSet],
    removed: Sequence[int | None],
) -> list[dict[str, Any]]:
    """Rows for each of an encoder's vectors and each number of removed components."""
    found: dict[tuple[str, int | None], dict[str, Any]] = {}
    for name, texts in sets.items():
        step = max(1, len(texts.background) // FIT_TEXTS)
        background = texts.background[::step] if len(removed) > 1 else []
        encoded = encode([*texts.texts, *background])
        for label, vectors in encoded.items():
            own, others = vectors[: len(texts.texts)], vectors[len(texts.texts) :]
            most = min(others.shape)
            for n in [n for n in removed if n is None or n < most]:
                result = measure_vectors(own, others, texts, n)
                figures = {key: round(x, 4) for key, x in result._asdict().items()}
                found.setdefault((label, n), {})[name] = figures
    return [
        {"vectors": label, "pooling": pooling, "removed": n, **figures}
        for (label, n), figures in found.items()
    ]


def measure_vectors(
    vectors: Vectors, background: Vectors, texts: TextSet, removed: int | None
) -> Agreement:
    """Agreement of the cosines of pairs with people's judgements."""
    common = None if removed is None else find_components([background], removed)
    directions, rows = to_directions(vectors, common)
    placed = np.zeros_like(vectors)
    placed[rows] = directions
    return agreement(cosines(placed[texts.left], placed[texts.right]), texts.judgements)


# ---- The page ----------------------------------------------------------------------


def to_tables(results: dict[str, Any]) -> str:
    """The figures as two tables, of all poolings and of removed components."""
    plain = [row for row in results["rows"] if row["removed"] is None]
    pairs = results["pairs"]
    lines = [
        f"| vectors | pooling | STS-B dev, {pairs['stsb']:,} pairs: Spearman | Pearson "
        f"| Lee, {pairs['lee']:,} pairs: Spearman | Pearson |",
        "|---|---|---|---|---|---|",
    ]
    order = list(dict.fromkeys(row["vectors"] for row in plain))
    for row in sorted(plain, key=lambda row: order.index(row["vectors"])):
        cells = [
            _percent(row[s][m]) for s in ("stsb", "lee") for m in Agreement._fields
        ]
        lines.append(f"| {row['vectors']} | {row['pooling']} | {' | '.join(cells)} |")
    lines += [f"\n{name}: skipped, {why}." for name, why in results["skipped"].items()]
    lines += ["", *_removal_table(results["rows"])]
    return "\n".join(lines) + "\n"


def _removal_table(rows: list[dict[str, Any]]) -> list[str]:
    """Spearman of both sets by what is removed, for the mean and "sif"."""
    header = ["nothing", "mean", *(f"mean and {n}" for n in REMOVED[2:])]
    lines = [
        f"| vectors | pooling | removed: {' | '.join(header)} |",
        "|---" * (len(header) + 2) + "|",
    ]
    for key in dict.fromkeys((row["vectors"], row["pooling"]) for row in rows):
        found = {r["removed"]: r for r in rows if (r["vectors"], r["pooling"]) == key}
        if len(found) == len(REMOVED) and key[1] in ("mean", "sif"):
            figures = [
                [_percent(found[n][name]["spearman"]) for name in ("stsb", "lee")]
                for n in REMOVED
            ]
            lines.append(f"| {' | '.join([*key, *map(' / '.join, figures)])} |")
    return lines


def _percent(figure: float) -> str:
    return f"{100 * figure:.1f}"


def write_tables(results: dict[str, Any], page: Path) -> None:
    """Put the tables between the marks of a page.

    RAISES (SystemExit): It has no such marks.
    """
    text = page.read_text(encoding="utf8")
    before, begin, rest = text.partition(MARKS[0])
    _, end, after = rest.partition(MARKS[1])
    if not begin or not end:
        raise SystemExit(f"{page}: expected the lines {MARKS[0]!r} and {MARKS[1]!r}.")
    page.write_text(before + begin + to_tables(results) + end + after, encoding="utf8")


def main() -> None:
    """Measure, or write the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser("measure")
    command.add_argument("data", type=Path, help="folder of the sets")
    command.add_argument("results", type=Path, help="JSON file to write")
    command.add_argument("--weights", type=Path, help="the bundled ones by default")
    command.add_argument("--text", nargs="+", help="files for word counts and word2vec")
    command = commands.add_parser("table")
    command.add_argument("results", type=Path, help="JSON file to read")
    command.add_argument("page", type=Path, nargs="?", help="page; printed by default")
    arguments = parser.parse_args()
    if arguments.command == "measure":
        results = measure(arguments.data, arguments.weights, arguments.text)
        arguments.results.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps(results, indent=1, ensure_ascii=False)
        arguments.results.write_text(text + "\n", encoding="utf8")
        print(f"Wrote {arguments.results}")
        return
    results = json.loads(arguments.results.read_text(encoding="utf8"))
    if arguments.page is None:
        print(to_tables(results))
    else:
        write_tables(results, arguments.page)


if __name__ == "__main__":
    main()
