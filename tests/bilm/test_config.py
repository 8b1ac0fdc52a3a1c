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
    ],
)
def test_bad_sizes_are_named(name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=rf"biLM size {name}.*expected.*found"):
        BiLMConfig(**{name: value})


def test_round_trip_as_dict() -> None:
    config = BiLMConfig(filters=((1, 2), (3, 4)), cell_clip=3.0, n_layers=1)
    assert BiLMConfig(**config.to_dict()) == config


def test_differences_name_both_sides() -> None:
    ours, theirs = BiLMConfig(n_layers=1), BiLMConfig(cell_clip=3)
    assert ours.differences(theirs) == ["n_layers: 1, 2", "cell_clip: None, 3"]
    assert ours.differences(BiLMConfig(n_layers=1)) == []


def test_widths() -> None:
    config = BiLMConfig(filters=((1, 2), (3, 4)), projection_dim=10)
    assert (config.n_filters, config.width) == (6, 20)
