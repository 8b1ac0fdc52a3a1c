"""The road that data takes is one way: who may import whom.

words -> character ids -> token vectors -> biLSTM layers -> mix -> heads
"""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

import spacy_elmo

PACKAGE = Path(spacy_elmo.__file__).parent
FILES = sorted(PACKAGE.rglob("*.py"))

#: Each station, and the stations before it.
ROAD = {
    "characters": [],
    "bilm": ["characters"],
    "layers": ["characters", "bilm"],
    "architectures": ["characters", "bilm", "layers"],
    "pipeline": ["characters", "bilm", "layers"],
}
#: What a station may not import at all.
FOREIGN = {
    "characters": {"torch", "spacy", "thinc", "srsly", "safetensors"},
    "bilm": {"spacy", "thinc"},
}
OPTIONAL = {
    "h5py",
    "faiss",
    "pyarrow",
    "matplotlib",
    "sklearn",
    "gensim",
    "ray",
    "tensorflow",
}


class Import(NamedTuple):
    """An import statement: what it names, and whether it runs with its module."""

    name: str
    at_top: bool


def imports_of(file: Path) -> Iterator[Import]:
    """The absolute names that a file imports; those inside functions are not at top."""
    package = ["spacy_elmo", *file.relative_to(PACKAGE).parts[:-1]]
    yield from _walk(ast.parse(file.read_text(encoding="utf8")), package, True)


def _walk(node: ast.AST, package: list[str], at_top: bool) -> Iterator[Import]:
    if isinstance(node, ast.Import):
        for alias in node.names:
            yield Import(alias.name, at_top)
    elif isinstance(node, ast.ImportFrom):
        base = package[: len(package) + 1 - node.level] if node.level else []
        module = [*base, *(node.module or "").split(".")]
        for alias in node.names:
            yield Import(".".join(filter(None, [*module, alias.name])), at_top)
    inside = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
    for child in ast.iter_child_nodes(node):
        yield from _walk(child, package, at_top and not inside)


def station_of(file: Path) -> str:
    return file.relative_to(PACKAGE).parts[0].removesuffix(".py")


def files_of(station: str) -> list[Path]:
    return [file for file in FILES if station_of(file) == station]


def rooms(imports: Iterator[Import]) -> set[str]:
    """The rooms of our own package that are imported from."""
    names = [found.name.split(".") for found in imports]
    return {parts[1] for parts in names if parts[0] == "spacy_elmo" and parts[1:]}


@pytest.mark.parametrize("station", ROAD)
def test_a_station_imports_only_those_before_it(station: str) -> None:
    assert files_of(station)
    for file in files_of(station):
        assert rooms(imports_of(file)) <= {station, *ROAD[station]}, file


@pytest.mark.parametrize("station", FOREIGN)
def test_a_station_does_without_the_libraries_it_must_not_know(station: str) -> None:
    for file in files_of(station):
        tops = {found.name.split(".")[0] for found in imports_of(file)}
        assert not tops & FOREIGN[station], file


def test_characters_needs_numpy_alone() -> None:
    (file,) = files_of("characters")
    tops = {found.name.split(".")[0] for found in imports_of(file)}
    assert tops <= {"collections", "typing", "numpy"}


@pytest.mark.parametrize(
    "file", FILES, ids=[str(f.relative_to(PACKAGE)) for f in FILES]
)
def test_no_optional_dependency_is_imported_with_a_module(file: Path) -> None:
    tops = {found.name.split(".")[0] for found in imports_of(file) if found.at_top}
    assert not tops & OPTIONAL


def test_the_reader_of_imports_finds_them() -> None:
    """The rules above hold nothing if it does not."""
    top, inside = "import a.b\nfrom ..bilm import c", "from . import d; import h5py"
    tree = ast.parse(f"{top}\ndef f():\n    {inside}")
    found = list(_walk(tree, ["spacy_elmo", "layers"], True))
    assert found == [
        Import("a.b", True),
        Import("spacy_elmo.bilm.c", True),
        Import("spacy_elmo.layers.d", False),
        Import("h5py", False),
    ]
