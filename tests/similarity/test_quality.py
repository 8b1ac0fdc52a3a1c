"""Correlations with people's judgements."""

import numpy as np
import pytest

from spacy_elmo.similarity.quality import agreement, cosines


def test_pearson_and_spearman() -> None:
    # Ranks 1 2.5 2.5 4 against 1 2 3 4; figures 0 1 1 5 against 1 2 3 4.
    found = agreement(np.array([0, 1, 1, 5]), np.array([1, 2, 3, 4]))
    assert found.spearman == pytest.approx(4.5 / np.sqrt(4.5 * 5))
    assert found.pearson == pytest.approx(7.5 / np.sqrt(14.75 * 5))


@pytest.mark.parametrize("sign", [1, -1])
def test_an_order_that_is_kept_or_turned(sign: int) -> None:
    x = np.array([0.3, 0.1, 0.2, 0.9])
    assert agreement(sign * x**3, x).spearman == pytest.approx(sign)


def test_a_constant_agrees_with_nothing() -> None:
    assert agreement(np.ones(4), np.arange(4)) == (0, 0)


@pytest.mark.parametrize("n", [(3, 4), (1, 1), (0, 0)])
def test_lists_are_checked(n: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="as many scores"):
        agreement(np.arange(n[0]), np.arange(n[1]))


def test_cosines_of_rows() -> None:
    X = np.array([[3, 4], [1, 0], [0, 0]])
    Y = np.array([[4, 3], [-2, 0], [1, 1]])
    np.testing.assert_allclose(cosines(X, Y), [24 / 25, -1, 0])
