"""Texts to vectors, made as those of an index were."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from spacy.language import Language

from ..embedding.embedder import Embedder
from ..embedding.options import BY_FREQUENCY, Options
from ..embedding.records import Tokens
from ..weights.blank import blank
from ..weights.files import file_record
from .index import Index
from .vectors import VECTOR, Floats


class QueryEmbedder:
    """Embeds queries as the documents of an index were embedded.

    The index knows how from the manifest beside its vectors. What the manifest cannot
    hold, a pipeline and word counts, is checked against what it says of them.

    index (Index): What is searched.
    nlp (Optional[Language]): The pipeline that the vectors were made with; by default
        a blank one with the bundled weights.
    layers (Optional[str]), pooling (Optional[str]): See `embedding.Options`; by default
        what the manifest says.
    frequencies (Optional[Union[str, Path]]): The word counts, for "idf" and "sif".
    RAISES (ValueError): Something is not known, or is not what the vectors were made
        with; says what to name.
    """

    def __init__(
        self,
        index: Index,
        nlp: Language | None = None,
        *,
        layers: str | None = None,
        pooling: str | None = None,
        frequencies: str | Path | None = None,
    ) -> None:
        info, model = index.info, index.info.manifest.get("model", {})
        noted = info.manifest.get("options", {})
        if info.column != VECTOR:
            noted = {**noted, "layers": info.column.removeprefix(f"{VECTOR}_")}
        if noted.get("level") == "token":
            pooling = pooling or "mean"
        options = Options(
            layers=_known("layers", layers or noted.get("layers")),
            pooling=_known("pooling", pooling or noted.get("pooling")),
            head=noted.get("head"),
            frequencies=_checked_file(frequencies, noted),
        )
        self._is_tokenized = noted.get("tokenized", False)
        self._embedder = Embedder(nlp or blank(model.get("lang", "en")), options)
        _check_model(self._embedder.identity(), model)

    def __call__(self, texts: Sequence[str]) -> Floats:
        """RETURNS (NDArray): (n, width), zero for a text without a word."""
        if self._is_tokenized:
            tokens = [Tokens(tuple(text.split())) for text in texts]
            return self._embedder.vectors(tokens)
        return self._embedder.vectors(texts)


def _known(name: str, value: str | None) -> str:
    if value is None:
        raise ValueError(
            f"The vectors of this index came without a manifest that tells their "
            f"{name}. Name --layers and --pooling, and the --pipeline or --weights if "
            "they are not the bundled ones."
        )
    return value


def _checked_file(
    frequencies: str | Path | None, noted: dict[str, Any]
) -> str | Path | None:
    record = noted.get("frequencies")
    if frequencies is None and noted.get("pooling") in BY_FREQUENCY:
        raise ValueError(
            f"The vectors of this index are weighted by the word counts in "
            f"{(record or {}).get('name')}: name that file with --frequencies."
        )
    if frequencies is not None and record is not None:
        found = file_record(Path(frequencies))
        if found["sha256"] != record["sha256"]:
            raise ValueError(
                f"{frequencies} holds other word counts than {record['name']}, which "
                "the vectors of this index were made with."
            )
    return frequencies


def _check_model(found: dict[str, Any], noted: dict[str, Any]) -> None:
    differences = [name for name in noted if found.get(name) != noted[name]]
    if differences:
        raise ValueError(
            f"The vectors of this index were made by another model (they differ in: "
            f"{', '.join(differences)}). Name its --pipeline, or its --weights and "
            "--lang."
        )
