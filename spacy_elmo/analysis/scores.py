"""How good predicted labels are."""

from collections.abc import Sequence

from .labelled import Label

#: First token, the one after the last, and the type.
Span = tuple[int, int, str]


def accuracy(gold: Sequence[Label], predicted: Sequence[Label]) -> float:
    """Share of the annotated words with the right label."""
    pairs = [(g, p) for g, p in zip(gold, predicted, strict=True) if g is not None]
    return sum(g == p for g, p in pairs) / len(pairs)


def span_f1(
    gold: Sequence[Sequence[Label]], predicted: Sequence[Sequence[Label]]
) -> float:
    """F1 over spans, all of them together: the same words and the same type.

    gold, predicted (Sequence[Sequence[Optional[str]]]): Labels of each sentence.
    """
    n_gold = n_predicted = n_right = 0
    for expected, found in zip(map(spans, gold), map(spans, predicted), strict=True):
        n_gold, n_predicted = n_gold + len(expected), n_predicted + len(found)
        n_right += len(expected & found)
    return 2 * n_right / max(n_gold + n_predicted, 1)


def spans(labels: Sequence[Label]) -> set[Span]:
    """The spans of one sentence, read as conlleval does.

    One begins at each B, and at an I that continues nothing of its type.
    """
    found: set[Span] = set()
    start, current = 0, ""
    for place, label in enumerate([*labels, "O"]):
        prefix, _, kind = (label or "O").partition("-")
        if current and (prefix != "I" or kind != current):
            found.add((start, place, current))
            current = ""
        if kind and not current:
            start, current = place, kind
    return found
