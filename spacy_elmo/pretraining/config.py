"""A config file, read and checked as a whole before any text is."""

from pathlib import Path
from typing import Any

import spacy
from pydantic import ValidationError
from spacy.language import Language
from thinc.api import Config

from ..bilm import BiLMConfig
from .settings import SECTION, PretrainingSettings
from .vocabulary import SPECIALS


def read_settings(config: Config) -> PretrainingSettings:
    """Validate an interpolated config.

    RAISES (ValueError): Lists every setting that is wrong.
    """
    if SECTION not in config:
        raise ValueError(f"No block [{SECTION}] in the config; found {list(config)}.")
    try:
        settings = PretrainingSettings.model_validate(dict(config[SECTION]))
    except ValidationError as error:
        problems = [
            f"{'.'.join(map(str, (SECTION, *e['loc'])))}: {e['msg']}, found "
            f"{e['input']!r}"
            for e in error.errors()
        ]
        raise ValueError("The config is not valid: " + "; ".join(problems)) from error
    _check_together(settings)
    return settings


def _check_together(settings: PretrainingSettings) -> None:
    if settings.max_epochs is None and settings.max_steps is None:
        raise ValueError(f"[{SECTION}]: set max_epochs or max_steps; both are null.")
    if settings.precision == "float16" and not settings.device.startswith("cuda"):
        raise ValueError(
            f'[{SECTION}]: precision = "float16" needs a GPU: expected device = '
            f'"cuda", found {settings.device!r}. A CPU takes "bfloat16" or "float32".'
        )
    config = settings.bilm(n_words=len(SPECIALS))
    tied = getattr(settings.softmax, "tied", False)
    if tied and settings.initial_weights is None:
        check_tied(config)
    if settings.corpus.train == ["-"]:
        _check_stdin(settings)


def check_tied(config: BiLMConfig) -> None:
    """RAISES (ValueError): The biLM has no word table of the softmax's shape."""
    if config.characters != "none" or config.word_dim != config.projection_dim:
        raise ValueError(
            f"[{SECTION}.softmax]: tied = true needs a biLM of words, characters = "
            f"'none' and word_dim = projection_dim ({config.projection_dim}); found "
            f"characters = {config.characters!r}, word_dim = {config.word_dim}."
        )


def _check_stdin(settings: PretrainingSettings) -> None:
    if settings.max_epochs != 1:
        raise ValueError(
            f"[{SECTION}]: the standard input can be read once; expected max_epochs = "
            f"1, found {settings.max_epochs}."
        )
    if settings.vocabulary.path is None:
        raise ValueError(
            f"[{SECTION}.vocabulary]: the standard input can be read once; make the "
            "vocabulary before (python -m spacy elmo vocab) and set path."
        )
    optimizer = settings.optimizer
    if getattr(optimizer, "schedule", "constant") == "cosine" and (
        settings.max_steps is None
    ):
        raise ValueError(
            f"[{SECTION}.optimizer]: a cosine needs to know the end, which the "
            'standard input hides; set max_steps, or schedule = "constant".'
        )


def read_nlp(config: Config) -> Language:
    """Build the pipeline that tokenizes and splits raw text: [nlp] and [components]."""
    blocks = {name: config[name] for name in ("nlp", "components") if name in config}
    return spacy.util.load_model_from_config(Config(blocks), auto_fill=True)


def read_config(path: str | Path, overrides: dict[str, Any] | None = None) -> Config:
    """Read and interpolate a config file.

    overrides (Optional[Dict[str, Any]]): Values by dotted name, as spaCy's commands.
    """
    config = Config().from_disk(path, overrides=overrides or {}, interpolate=False)
    return config.interpolate()
