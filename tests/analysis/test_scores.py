"""Accuracy, and F1 over spans."""

import pytest

from spacy_elmo.analysis.scores import Span, accuracy, span_f1, spans


@pytest.mark.parametrize(
    "labels, expected",
    [
        ("O O", set()),
        ("B-A I-A O", {(0, 2, "A")}),
        ("B-A B-A", {(0, 1, "A"), (1, 2, "A")}),
        ("I-A I-A O I-B", {(0, 2, "A"), (3, 4, "B")}),
        ("B-A I-B I-B", {(0, 1, "A"), (1, 3, "B")}),
        ("B-A-x I-A-x", {(0, 2, "A-x")}),
    ],
)
def test_spans(labels: str, expected: set[Span]) -> None:
    assert spans(labels.split()) == expected


def test_words_without_annotation_end_a_span() -> None:
    assert spans(["B-A", None, "I-A"]) == {(0, 1, "A"), (2, 3, "A")}


def test_span_f1_counts_over_all_sentences() -> None:
    gold = [["B-A", "I-A", "O"], ["B-B", "O"]]
    predicted = [["B-A", "I-A", "O"], ["B-A", "B-B"]]
    # One of two is found, and one of three is right.
    assert span_f1(gold, predicted) == pytest.approx(2 * 1 / (2 + 3))


def test_span_f1_of_nothing() -> None:
    assert span_f1([["O"]], [["O"]]) == 0


def test_accuracy_leaves_out_what_is_not_annotated() -> None:
    assert accuracy(["A", None, "B", "C"], ["A", "B", "A", "C"]) == pytest.approx(2 / 3)
