"""AllenNLP's and bilm-tf's files: `options.json` and `weights.hdf5`.

A biLM of characters needs no more. One of words (bilm-tf's token input) has its table
in the dataset `embedding`, and a vocabulary of one word a line.
"""

from dataclasses import replace
from pathlib import Path
from typing import Any

from ..bilm import BiLMConfig, Weights
from ..bilm.config import MAX_CHARACTERS
from ..bilm.lexicon import Lexicon
from .allennlp_layout import dataset_shapes, from_datasets
from .files import file_record, read_json, read_lines
from .hdf5 import read_tensors

TABLE = "embedding"


def read_allennlp(
    options: str | Path,
    weights: str | Path,
    vocabulary: str | Path | None = None,
    embedding: str | Path | None = None,
) -> Weights:
    """Read a biLM in the format of AllenNLP and bilm-tf.

    options (Union[str, Path]): `options.json`; keys that concern training are ignored.
    weights (Union[str, Path]): `weights.hdf5`; the first `n_layers` cells are read, a
        softmax is not.
    vocabulary (Optional[Union[str, Path]]): The words of a model that reads words, one
        a line, <S>, </S> and <UNK> among them.
    embedding (Optional[Union[str, Path]]): A file with a word table, the `embedding` of
        bilm-tf's `dump_token_embeddings`, to read instead of characters.
    RAISES (FileNotFoundError, ValueError): Names the file or dataset, what was found
        and what was expected. (ImportError): h5py is missing.
    """
    options_path, weights_path = Path(options), Path(weights)
    table_path = weights_path if embedding is None else Path(embedding)
    config = read_options(options_path)
    words = None
    if embedding is not None or config.n_words:
        words = read_words(options_path, vocabulary)
        if embedding is not None:
            config = _token_config(config, len(words))
        check_words(vocabulary, words, config)
    shapes = dataset_shapes(config)
    tables = {TABLE: shapes.pop(TABLE)} if config.n_words else {}
    tensors = read_tensors(weights_path, shapes) | read_tensors(table_path, tables)
    paths = {options_path, weights_path, table_path}
    return Weights(
        config=config,
        state=from_datasets(tensors, config),
        vocabulary=words,
        provenance={
            "source": weights_path.name,
            "format": "AllenNLP",
            "files": [file_record(path) for path in sorted(paths)],
        },
    )


def read_options(path: Path) -> BiLMConfig:
    """Translate `options.json` into sizes.

    RAISES (FileNotFoundError, ValueError): Names the file and what is wrong with it.
    """
    options = read_json(path)
    try:
        config = _lstm_config(options["lstm"])
        if "char_cnn" in options:
            return replace(config, **_cnn_sizes(options["char_cnn"]))
        return _token_config(config, options["n_tokens_vocab"])
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(
            f"{path}: not the options of a biLM: {type(error).__name__} {error}. "
            "Expected the keys lstm {dim, projection_dim, n_layers} and char_cnn "
            "{activation, embedding {dim}, filters}, or lstm and n_tokens_vocab."
        ) from error
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error


def _lstm_config(lstm: dict[str, Any]) -> BiLMConfig:
    return BiLMConfig(
        n_layers=lstm["n_layers"],
        cell_dim=lstm["dim"],
        projection_dim=lstm["projection_dim"],
        cell_clip=lstm.get("cell_clip"),
        projection_clip=lstm.get("proj_clip"),
        skip_connections=lstm.get("use_skip_connections", False),
    )


def _cnn_sizes(cnn: dict[str, Any]) -> dict[str, Any]:
    n_characters = cnn.get("n_characters", 262)
    if n_characters not in (261, 262):
        raise ValueError(
            f"n_characters is {n_characters}; expected 261 (training) or 262 "
            "(inference)."
        )
    return {
        "char_dim": cnn["embedding"]["dim"],
        "filters": cnn["filters"],
        "activation": cnn["activation"],
        "n_highway": cnn.get("n_highway") or 0,
        "max_characters": cnn.get("max_characters_per_token", 50),
    }


def _token_config(config: BiLMConfig, n_words: int) -> BiLMConfig:
    """The same biLM with a word table alone; its words are never cut."""
    return replace(
        config,
        max_characters=MAX_CHARACTERS,
        characters="none",
        n_words=n_words,
        word_dim=config.projection_dim,
    )


def read_words(options: Path, vocabulary: str | Path | None) -> list[str]:
    """The words that a token-input model has rows for, in the order of the rows.

    RAISES (ValueError): There is no vocabulary; names the options that ask for it.
    """
    if vocabulary is None:
        raise ValueError(
            f"{options}: this is a token-input model; char_cnn is missing. It needs "
            "the vocabulary it was trained with, a file of one word a line: give it as "
            "`vocabulary`, or as vocab.txt beside the options."
        )
    # A count may stand behind a tab.
    return [line.split("\t")[0].strip() for line in read_lines(Path(vocabulary))]


def check_words(
    vocabulary: str | Path | None, words: list[str], config: BiLMConfig
) -> None:
    """Refuse words that do not fit the sizes.

    RAISES (ValueError): Names the vocabulary and what is wrong with it.
    """
    try:
        Lexicon(config, words)
    except ValueError as error:
        raise ValueError(f"{vocabulary}: {error}") from error
