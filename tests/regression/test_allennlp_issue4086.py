"""allenai/allennlp#4086, #4384, #4409: a release took the command and class away."""

from importlib.metadata import requires

from tests.test_imports import FILES, imports_of


def test_no_file_imports_allennlp() -> None:
    names = {found.name.split(".")[0] for file in FILES for found in imports_of(file)}
    assert "spacy" in names
    assert not names & {"allennlp", "tensorflow_hub", "overrides"}


def test_it_is_not_required() -> None:
    required = requires("spacy-elmo") or []
    assert any(name.startswith("spacy") for name in required)
    assert not [name for name in required if "allennlp" in name.lower()]
