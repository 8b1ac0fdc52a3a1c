"""`spacy elmo index`, `search` and `dedup`: what is near what, of many documents."""

import json
from pathlib import Path
from textwrap import shorten
from typing import Annotated

from tqdm import tqdm  # type: ignore[import-untyped]
from wasabi import msg

from ..similarity import (
    Duplicate,
    Hit,
    Index,
    QueryEmbedder,
    build_index,
    find_duplicates,
)
from ..similarity.documents import Document
from ..similarity.vectors import VECTOR, VectorFolder
from ._app import Arg, Opt, elmo_cli, failing
from .embed import Frequencies, Pipeline, Weights, load_pipeline

TEXT_WIDTH = 100

Vectors = Annotated[Path, Arg(help="Folder of vectors, from `spacy elmo embed`")]
Kind = Annotated[str, Opt("--kind", "-k", help="exact, or hnsw for very many")]
Removed = Annotated[
    int | None,
    Opt(
        "--remove-components",
        help="Remove the mean and so many principal components of all vectors first",
    ),
]
Column = Annotated[
    str, Opt("--column", help="Column of vectors, if there are several: vector_mix")
]
EfSearch = Annotated[
    int, Opt("--ef-search", help="Candidates that hnsw looks at for a search")
]
AsJson = Annotated[bool, Opt("--json", help="Print a JSON object a line")]


@elmo_cli.command("index")
def index_cli(
    vectors: Vectors,
    output: Annotated[Path, Arg(help="Folder for the index")],
    kind: Kind = "exact",
    m: Annotated[int, Opt("--m", help="Links of a document in hnsw's graph")] = 32,
    ef_construction: Annotated[
        int, Opt("--ef-construction", help="Candidates that hnsw looks at for them")
    ] = 100,
    remove_components: Removed = None,
    column: Column = VECTOR,
) -> None:
    """
    Index the vectors of documents, to search for the nearest by cosine. Documents
    without a vector, or with zero for one, are left out.
    """
    with failing():
        folder = VectorFolder(vectors, column)
        if not folder.manifest.get("complete", True):
            msg.warn(f"{vectors} is of a run that was stopped; indexing what is there.")
        with tqdm(total=folder.n_rows, unit="vec", disable=None) as bar:
            info = build_index(
                vectors,
                output,
                kind=kind,
                m=m,
                ef_construction=ef_construction,
                remove_components=remove_components,
                column=column,
                on_batch=bar.update,
            )
    msg.good(
        f"Indexed {info.n_vectors:,} vectors in {output}; left out {info.n_left_out:,}"
    )


@elmo_cli.command("search")
def search_cli(
    index: Annotated[Path, Arg(help="Folder of the index")],
    queries: Annotated[list[str], Arg(help="Texts to find the nearest documents of")],
    k: Annotated[int, Opt("--n-hits", "-n", help="Documents to find a text")] = 10,
    ef_search: EfSearch = 128,
    pipeline: Pipeline = None,
    weights: Weights = None,
    lang: Annotated[
        str | None, Opt("--lang", "-l", help="Language, if --weights is named")
    ] = None,
    layers: Annotated[
        str | None, Opt("--layers", help="mix, top or a number; by default as indexed")
    ] = None,
    pooling: Annotated[
        str | None, Opt("--pooling", help="mean, max, idf or sif; as indexed")
    ] = None,
    frequencies: Frequencies = None,
    as_json: AsJson = False,
) -> None:
    """
    Find the documents nearest to texts, which are embedded as the documents were: name
    the --pipeline or --weights if they were not the bundled ones.
    """
    with failing():
        opened = Index(index)
        noted = opened.info.manifest.get("model", {})
        nlp = load_pipeline(pipeline, weights, lang or noted.get("lang", "en"))
        embed = QueryEmbedder(
            opened, nlp, layers=layers, pooling=pooling, frequencies=frequencies
        )
        found = opened.search(embed(queries), k, ef_search=ef_search)
    for query, hits in zip(queries, found):
        if as_json:
            record = {"query": query, "hits": [hit._asdict() for hit in hits]}
            print(json.dumps(record, ensure_ascii=False))
        else:
            print_hits(query, hits)


@elmo_cli.command("dedup")
def dedup_cli(
    vectors: Vectors,
    threshold: Annotated[
        float, Opt("--threshold", "-t", help="Cosine of a near-duplicate, at least")
    ] = 0.95,
    kind: Kind = "exact",
    ef_search: EfSearch = 128,
    remove_components: Removed = None,
    column: Column = VECTOR,
    as_json: AsJson = False,
) -> None:
    """
    List the documents that are near-duplicates of an earlier one, each with the nearest
    document that is none itself. Without them, no two documents are that near.
    """
    n_found, kept = 0, set()
    with failing():
        for duplicate in find_duplicates(
            vectors,
            threshold=threshold,
            kind=kind,
            remove_components=remove_components,
            ef_search=ef_search,
            column=column,
        ):
            n_found += 1
            kept.add(duplicate.kept.id)
            print(to_json(duplicate) if as_json else to_line(duplicate))
    if not as_json:
        msg.good(f"{n_found:,} near-duplicates of {len(kept):,} documents")


def print_hits(query: str, hits: list[Hit]) -> None:
    """Print a query and a table of what was found."""
    print(f"\n{query}")
    if not hits:
        print("  nothing: there is no word in it")
        return
    width = max(len(str(hit.id)) for hit in hits)
    for hit in hits:
        print(f"  {hit.score:6.3f}  {hit.id!s:<{width}}  {to_short(hit.text)}".rstrip())


def to_line(duplicate: Duplicate) -> str:
    """A near-duplicate for people: score, ids, texts."""
    first, second = (
        f"{document.id}  {to_short(document.text)}".rstrip()
        for document in (duplicate.document, duplicate.kept)
    )
    return f"{duplicate.score:.3f}  {first}\n       {second}"


def to_json(duplicate: Duplicate) -> str:
    """A near-duplicate for programs."""
    record: dict[str, object] = {"score": duplicate.score}
    for name in ("document", "kept"):
        document: Document = getattr(duplicate, name)
        record[name] = document._asdict()
    return json.dumps(record, ensure_ascii=False)


def to_short(text: str | None) -> str:
    """A text on one line."""
    return shorten(text or "", TEXT_WIDTH, placeholder=" …")
