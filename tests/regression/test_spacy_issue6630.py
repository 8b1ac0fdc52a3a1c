"""explosion/spaCy#6630: one failing Doc ended the whole stream."""

from typing import Any

import pytest
from spacy.tokens import Doc

from tests.util import elmo_of, make_nlp


class Failed(Exception):
    """What the test's encoder raises."""


def test_the_error_handler_hears_of_it_and_the_stream_goes_on() -> None:
    nlp = make_nlp(heads=())
    pipe = elmo_of(nlp)
    predict, reports = pipe.predict, []

    def fail_on_bad(docs: list[Doc]) -> Any:
        if any(doc.text == "bad" for doc in docs):
            raise Failed
        return predict(docs)

    def handle(name: str, component: Any, docs: list[Doc], error: Exception) -> None:
        reports.append((name, component, [doc.text for doc in docs], type(error)))

    pipe.predict = fail_on_bad  # type: ignore[method-assign, assignment]
    with pytest.raises(Failed):
        list(nlp.pipe(["good", "bad", "fine"], batch_size=1))
    pipe.set_error_handler(handle)
    docs = list(nlp.pipe(["good", "bad", "fine"], batch_size=1))
    assert [doc.text for doc in docs] == ["good", "fine"]
    assert reports == [("elmo", pipe, ["bad"], Failed)]
