"""What a user decides about a run, validated before anything is read."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ..weights.files import file_record

LEVELS = ("doc", "sentence", "token")
POOLINGS = ("mean", "max", "idf", "sif")
DTYPES = ("float32", "float16")
FORMATS = ("parquet", "npy", "hdf5")
INPUT_FORMATS = ("text", "jsonl", "csv", "tsv", "parquet", "spacy")
#: Poolings that weigh words by how rare they are.
BY_FREQUENCY = ("idf", "sif")


@dataclass(frozen=True)
class Options:
    """How documents are read, become vectors, and are written.

    text_field (str): The field, or column, of the text: a string, or a list of tokens.
    id_field (Optional[str]): The field of the id, which is written as a string; the
        number of the row by default.
    tokenized (bool): Texts are tokens with spaces between them.
    input_format (Optional[str]): "text", "jsonl", "csv", "tsv", "parquet" or "spacy";
        by default what the file's name says.
    level (str): One vector a "doc", a "sentence" or a "token".
    pooling (str): "mean", "max", or a mean weighted by the rarity of the words: "idf"
        by log((T + 1) / (n + 1)) for a word seen n times in T, "sif" by a / (a + n / T)
        with a = 0.001 (Arora et al. 2017). Whitespace tokens never count.
    frequencies (Optional[Union[str, Path]]): For "idf" and "sif", the file of words and
        counts that `spacy elmo vocab` writes.
    layers (str): "mix", "top" or numbers, several between commas; 0 is the token layer.
    head (Optional[str]): The component whose mix "mix" stands for, such as "tagger";
        "tagger.elmo_input" where it has two. By default that of the ELMo component.
    dtype (str): "float32" or "float16".
    format (str): "parquet", "npy" or "hdf5".
    keep_text (bool): Write the texts beside the vectors; not into hdf5.
    shard_rows (int): Rows after which a file is closed and the next begun.
    RAISES (ValueError): Names the option, what was found and what is expected.
    """

    text_field: str = "text"
    id_field: str | None = None
    tokenized: bool = False
    input_format: str | None = None
    level: str = "doc"
    pooling: str = "mean"
    frequencies: str | Path | None = None
    layers: str = "mix"
    head: str | None = None
    dtype: str = "float32"
    format: str = "parquet"
    keep_text: bool = False
    shard_rows: int = 50_000

    def __post_init__(self) -> None:
        _check("level", self.level, LEVELS)
        _check("pooling", self.pooling, POOLINGS)
        _check("dtype", self.dtype, DTYPES)
        _check("format", self.format, FORMATS)
        if self.input_format is not None:
            _check("input_format", self.input_format, INPUT_FORMATS)
        if self.shard_rows < 1:
            raise ValueError(f"shard_rows: expected 1 or more, found {self.shard_rows}")
        if self.level == "token" and self.pooling != "mean":
            raise ValueError("pooling: there is none at level 'token'; leave it out.")
        if self.keep_text and self.format == "hdf5":
            raise ValueError("keep_text: hdf5 holds vectors alone; leave it out.")
        if (self.pooling in BY_FREQUENCY) != (self.frequencies is not None):
            raise ValueError(
                f"frequencies: expected a file for the poolings {BY_FREQUENCY}, as "
                f"`python -m spacy elmo vocab` writes it, and none for others; found "
                f"{self.frequencies} for {self.pooling!r}."
            )

    def to_dict(self) -> dict[str, Any]:
        """RETURNS (Dict[str, Any]): JSON-ready; a file by its name and hash."""
        values = asdict(self)
        if self.frequencies is not None:
            values["frequencies"] = file_record(Path(self.frequencies))
        return values


def _check(name: str, found: str, expected: tuple[str, ...]) -> None:
    if found not in expected:
        raise ValueError(f"{name}: expected one of {expected}, found {found!r}.")
