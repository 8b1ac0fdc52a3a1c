"""Every registered name is found by spaCy, without an import of ours."""

import importlib
import subprocess
import sys
from importlib.metadata import entry_points

import pytest
from spacy.util import registry

import spacy_elmo
from spacy_elmo.bilm import BiLMConfig

GROUPS = {"spacy_architectures": "architectures", "spacy_misc": "misc"}
NAMES = [
    (GROUPS[entry.group], entry.name, entry.value)
    for group in GROUPS
    for entry in entry_points(group=group)
    if entry.name.startswith("spacy-elmo.")
]


def test_the_names_of_the_package() -> None:
    found = {name.removeprefix("spacy-elmo.") for _, name, _ in NAMES}
    assert found >= {
        "Elmo.v1",
        "ElmoListener.v1",
        "EnhancedTok2Vec.v1",
        "ScalarMix.v1",
        "SelectLayers.v1",
        "SentenceContext.v1",
        "DocumentContext.v1",
        "WindowContext.v1",
        "BundledWeights.v1",
        "AllenNLPWeights.v1",
    }


@pytest.mark.parametrize("table, name, value", NAMES)
def test_each_name_is_its_function(table: str, name: str, value: str) -> None:
    module, function = value.split(":")
    expected = getattr(importlib.import_module(module), function)
    assert getattr(registry, table).get(name) is expected
    assert expected.__doc__.startswith(f"{name}: ")


def test_default_sizes_are_those_of_the_config() -> None:
    """`Elmo.v1` repeats the defaults for the config files; they must not drift."""
    import inspect

    build = registry.architectures.get("spacy-elmo.Elmo.v1")
    parameters = inspect.signature(build).parameters
    for name, value in BiLMConfig().to_dict().items():
        assert parameters[name].default == value


def test_a_fresh_process_finds_the_component() -> None:
    """spaCy issue 13322: nothing has to be imported first."""
    code = "import spacy; print(spacy.blank('en').add_pipe('elmo').width)"
    process = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert process.stdout.strip() == "256"


def test_version() -> None:
    from importlib.metadata import version

    assert version("spacy-elmo") == spacy_elmo.__version__
