"""Sizes are validated where they are written."""

from typing import Any

import pytest

from spacy_elmo.bilm import BiLMConfig


@pytest.mark.parametrize(
    "name, value",
    [
        ("char_dim", 0),
        ("char_dim", "16"),
        ("n_layers", 0),
        ("n_layers", True),
        ("cell_dim", 2.5),
        ("projection_dim", -1),
        ("n_highway", -1),
        ("max_characters", 2),
        ("filters", []),
        ("filters", "1x32"),
        ("filters", [[1, 32, 3]]),
        ("filters", [[0, 32]]),
        ("filters", [[51, 32]]),
        ("activation", "gelu"),
        ("cell_clip", 0),
        ("projection_clip", "3"),
        ("skip_connections", 1),
        ("forget_bias", None),
        ("forget_bias", float("nan")),
        ("cell_clip", float("inf")),
        ("cell_clip", 10**400),
        ("cell_dim", 10**9),
        ("n_layers", 10**9),
        ("n_highway", 10**9),
        ("max_characters", 10**9),
        ("filters", [[1, 600_000], [2, 600_000]]),
        ("characters", "letters"),
        ("n_characters", 261),
        ("n_words", -1),
        ("word_dim", 3),
        ("always_project", 1),
    ],
)
def test_bad_sizes_are_named(name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=rf"biLM size {name}.*expected.*found"):
        BiLMConfig(**{name: value})


def test_round_trip_as_dict() -> None:
    config = BiLMConfig(filters=((1, 2), (3, 4)), cell_clip=3.0, n_layers=1)
    assert BiLMConfig(**config.to_dict()) == config


@pytest.mark.parametrize(
    "sizes",
    [
        {"characters": "none", "n_words": 3, "word_dim": 2},
        {"characters": "unicode", "n_characters": 7000},
        {"n_words": 3, "word_dim": 2, "always_project": True},
    ],
)
def test_round_trip_of_other_inputs(sizes: dict[str, Any]) -> None:
    written = BiLMConfig(**sizes).to_dict()
    assert sizes.items() <= written.items()
    assert BiLMConfig(**written) == BiLMConfig(**sizes)


@pytest.mark.parametrize(
    "sizes, message",
    [
        ({"characters": "none"}, "n_words: expected an integer from 1"),
        ({"n_words": 3}, "word_dim: expected an integer from 1"),
    ],
)
def test_sizes_that_need_another(sizes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        BiLMConfig(**sizes)


def test_differences_name_both_sides() -> None:
    ours, theirs = BiLMConfig(n_layers=1), BiLMConfig(cell_clip=3)
    assert ours.differences(theirs) == ["n_layers: 1, 2", "cell_clip: None, 3"]
    assert ours.differences(BiLMConfig(n_layers=1)) == []


def test_widths() -> None:
    config = BiLMConfig(filters=((1, 2), (3, 4)), projection_dim=10)
    assert (config.n_filters, config.width) == (6, 20)


@pytest.mark.parametrize(
    "sizes, projects",
    [
        ({}, True),
        ({"projection_dim": 512}, False),
        ({"projection_dim": 512, "always_project": True}, True),
        ({"projection_dim": 512, "n_words": 3, "word_dim": 2}, True),
        ({"characters": "none", "n_words": 3, "word_dim": 128}, False),
    ],
)
def test_a_projection_stands_where_widths_differ(
    sizes: dict[str, Any], projects: bool
) -> None:
    assert BiLMConfig(**sizes).projects_tokens == projects


def test_the_largest_published_biLM_is_within_the_bounds() -> None:
    """The model called 5.5B; the number is of its training tokens."""
    filters = ((1, 32), (2, 32), (3, 64), (4, 128), (5, 256), (6, 512), (7, 1024))
    config = BiLMConfig(filters=filters, cell_dim=4096, projection_dim=512)
    assert (config.n_filters, config.width) == (2048, 1024)
