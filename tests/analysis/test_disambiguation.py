"""Word senses by the nearest centroid."""

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from spacy_elmo.analysis.disambiguation import (
    ALL,
    FIRST_SENSE,
    MOST_FREQUENT,
    Disambiguator,
    disambiguate,
)
from spacy_elmo.analysis.layer_reader import combinations
from spacy_elmo.analysis.senses import Sense, read_senses
from tests.analysis.util import MONEY, RIVER, make_reader, sentence, write_semcor

BANK = ("bank", "n")
FIRST = {BANK: RIVER, ("loan", "n"): "loan%1:21:00::"}


def vectors(*rows: tuple[float, float]) -> NDArray[np.float32]:
    """(n_layers, 2)"""
    return np.asarray(rows, dtype=np.float32)


@pytest.fixture
def model() -> Disambiguator:
    """Layer 0 tells nothing; in layer 1 the senses are at right angles."""
    model = Disambiguator(combinations(2), FIRST)
    model.learn(Sense(0, BANK, [RIVER]), vectors((1, 1), (8, 2)))
    model.learn(Sense(0, BANK, [RIVER]), vectors((1, 1), (8, -2)))
    for _ in range(3):
        model.learn(Sense(0, BANK, [MONEY]), vectors((1, 1), (0, 1)))
    return model


def test_a_centroid_is_the_average(model: Disambiguator) -> None:
    assert model.centroids[BANK][RIVER].mean.tolist() == [[1, 1], [8, 0]]


@pytest.mark.parametrize(
    "layer_1, expected", [((1, 0.9), RIVER), ((0.9, 1), MONEY), ((0, 99), MONEY)]
)
def test_the_angle_decides(
    model: Disambiguator, layer_1: tuple[float, float], expected: str
) -> None:
    answers = model.answer(BANK, vectors((1, 1), layer_1))
    assert answers["biLSTM layer 1"] == expected
    assert answers["token layer"] == RIVER  # a tie: the first that was seen


def test_baselines(model: Disambiguator) -> None:
    answers = model.answer(BANK, vectors((1, 1), (1, 0)))
    assert answers[FIRST_SENSE] == RIVER
    assert answers[MOST_FREQUENT] == MONEY


@pytest.mark.parametrize(
    "entry, expected", [(("loan", "n"), "loan%1:21:00::"), (("loan", "v"), None)]
)
def test_a_word_without_centroids_takes_the_first_sense(
    model: Disambiguator, entry: tuple[str, str], expected: str | None
) -> None:
    answers = model.answer(entry, vectors((1, 1), (1, 0)))
    assert set(answers.values()) == {expected}
    assert set(answers) == set(model.answer(BANK, vectors((1, 1), (1, 0))))


def test_a_word_of_several_senses_counts_for_each(model: Disambiguator) -> None:
    model.learn(Sense(0, BANK, [RIVER, MONEY]), vectors((1, 1), (0, 0)))
    assert [c.count for c in model.centroids[BANK].values()] == [3, 4]
    judged = model.judge(Sense(0, BANK, [RIVER, "?"]), vectors((1, 1), (1, 0)))
    assert judged.is_known and judged.is_right["biLSTM layer 1"]


def test_files_of_text(tmp_path: Path) -> None:
    """A sentence of the training text is nearest to itself."""
    pairs = [("He sat on the bank .", RIVER), ("The bank lends money .", MONEY)]
    train = [write_semcor(tmp_path / "train.jsonl", pairs)]
    unseen = sentence("a loan", Sense(1, ("loan", "n"), ["loan%1:21:00::"]))
    tests = {"same": list(read_senses(train)), "unseen": [unseen]}
    results = disambiguate(make_reader(), read_senses(train), tests, FIRST)
    found = {row.name: row.scores for row in results.rows}
    assert found["biLSTM layer 2"] == {ALL: [1], "same": [1], "unseen": [1]}
    assert found[FIRST_SENSE] == {
        ALL: [pytest.approx(2 / 3)],
        "same": [0.5],
        "unseen": [1],
    }
    assert results.details["train"] == {"words": 1, "senses": 2}
    assert results.details["test"][ALL] == {"words": 3, "backed_off": 1}
    assert [row.name for row in results.rows if row.is_baseline] == [
        FIRST_SENSE,
        MOST_FREQUENT,
    ]


def test_a_test_set_without_senses() -> None:
    with pytest.raises(ValueError, match="empty: no word has a sense"):
        disambiguate(make_reader(), [], {"empty": [sentence("a loan")]}, FIRST)
