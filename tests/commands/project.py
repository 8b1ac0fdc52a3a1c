"""What the tests of spaCy's commands share: a folder, and a way to run them."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spacy.cli import app  # type: ignore[attr-defined]
from spacy.tokens import DocBin
from thinc.api import Config
from typer.testing import CliRunner, Result

from ..heads.sample import make_docs
from ..util import make_nlp

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Project:
    """A folder with what the commands read. Do not change it.

    folder (Path): Where everything is.
    """

    folder: Path

    @property
    def elmo(self) -> Path:
        """A pipeline of `elmo` alone, with golden weights."""
        return self.folder / "elmo"

    @property
    def corpus(self) -> Path:
        """Annotated sentences."""
        return self.folder / "corpus.spacy"

    @property
    def config(self) -> Path:
        """The config of a tagger on it, with every default filled in."""
        return self.folder / "tagger.cfg"

    @property
    def trained(self) -> Path:
        """What `spacy train` made of it."""
        return self.folder / "trained" / "model-last"


def run(*arguments: Any) -> Result:
    """Run `python -m spacy ARGUMENTS`."""
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def output_of(*arguments: Any) -> str:
    """What a command that must succeed prints."""
    result = run(*arguments)
    if result.exception is not None:
        raise AssertionError(result.output) from result.exception
    assert result.exit_code == 0, result.output
    return result.output


def make_project(folder: Path) -> Project:
    """Write everything into a folder, and train the tagger."""
    project = Project(folder)
    nlp = make_nlp(heads=())
    nlp.to_disk(project.elmo)
    DocBin(docs=make_docs(nlp.vocab)).to_disk(project.corpus)
    config = Config().from_disk(HERE / "tagger.cfg", interpolate=False)
    paths = {"elmo": project.elmo, "train": project.corpus, "dev": project.corpus}
    config["paths"] = {name: str(path) for name, path in paths.items()}
    config.to_disk(folder / "base.cfg")
    output_of("init", "fill-config", folder / "base.cfg", project.config)
    output_of("train", project.config, "--output", project.trained.parent)
    return project
