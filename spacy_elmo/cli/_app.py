"""Where `elmo` joins spaCy's command line; the only import of its private module."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer
from spacy.cli._util import Arg, Opt, app, import_code, parse_config_overrides
from wasabi import msg

__all__ = [
    "Arg",
    "Lang",
    "Opt",
    "Text",
    "Tokenized",
    "elmo_cli",
    "failing",
    "import_code",
    "parse_config_overrides",
]

#: What every command that reads text asks for.
Text = Annotated[list[str], Arg(help="Files or globs; - for the standard input")]
Lang = Annotated[str, Opt("--lang", "-l", help="Language that tokenizes raw text")]
Tokenized = Annotated[
    bool, Opt("--tokenized", "-t", help="A line is a sentence, tokens by spaces")
]

elmo_cli = typer.Typer(
    name="elmo",
    help="Contextual vectors: pretraining and the tools around it.",
    no_args_is_help=True,
)
app.add_typer(elmo_cli)


@contextmanager
def failing() -> Iterator[None]:
    """Say what is wrong with the user's files or settings, and exit with 2."""
    try:
        yield
    except (ValueError, FileNotFoundError, ImportError) as error:
        msg.fail(str(error))
        raise typer.Exit(2) from error
