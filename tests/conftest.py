"""Options and fixtures that all tests share."""

import pytest
from spacy.language import Language

from tests.util import make_nlp, train


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--slow", action="store_true", help="run the slow tests too")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "slow: takes long; run with --slow")


def pytest_runtest_setup(item: pytest.Item) -> None:
    if "slow" in item.keywords and not item.config.getoption("--slow"):
        pytest.skip("slow: run with --slow")


@pytest.fixture(scope="session")
def elmo_nlp() -> Language:
    """A tiny pipeline of `elmo` alone. Do not train or change it."""
    return make_nlp(heads=())


@pytest.fixture(scope="session")
def trained_nlp() -> Language:
    """A tiny pipeline whose heads have learned something. Do not train or change it."""
    nlp = make_nlp()
    train(nlp, 60)
    return nlp


@pytest.fixture
def nlp() -> Language:
    """A tiny pipeline of a frozen `elmo`, tagger and NER, to train and to change."""
    return make_nlp()


@pytest.fixture
def open_nlp() -> Language:
    """A tiny pipeline of a trainable `elmo`, tagger and NER."""
    return make_nlp(frozen=False)
