"""allenai/allennlp#3243, #1190, #860: a long list or text did not fit into memory.

What the biLM reads at once is bounded, whatever the caller hands over.
"""

import numpy as np
from spacy.language import Language

from spacy_elmo.bilm.engine import Engine
from tests.util import count_calls, make_nlp

WINDOWS = {"@misc": "spacy-elmo.WindowContext.v1", "size": 64, "overlap": 4}
LONG = "one two three four " * 150


def words_read(nlp: Language, texts: list[str]) -> list[int]:
    """The words of each call of the network, for all texts in one batch."""
    with count_calls(Engine, "layers") as calls:
        list(nlp.pipe(texts, batch_size=len(texts)))
    return [sum(map(len, sentences)) for _, sentences, _ in calls]


def test_a_long_list_is_read_by_parts() -> None:
    nlp = make_nlp(heads=(), batch_words=100)
    read = words_read(nlp, [f"number {i} is here" for i in range(1_210)])
    assert sum(read) == 4 * 1_210
    assert max(read) <= 100


def test_a_long_text_is_read_by_windows() -> None:
    nlp = make_nlp(heads=(), batch_words=100, context=WINDOWS)
    read = words_read(nlp, [LONG])
    assert sum(read) >= 600
    assert max(read) <= 100


def test_a_window_of_the_whole_text_changes_nothing() -> None:
    whole = {"@misc": "spacy-elmo.DocumentContext.v1"}
    plain = make_nlp(heads=(), context=whole)(LONG)._.elmo
    windowed = make_nlp(heads=(), context={**WINDOWS, "size": 1_000})(LONG)._.elmo
    np.testing.assert_array_equal(windowed, plain)
