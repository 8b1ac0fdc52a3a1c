"""explosion/spacy-transformers#64: `nlp("")` raised IndexError."""

from spacy.language import Language

from tests.util import WIDTH


def test_a_pipeline_takes_an_empty_text(trained_nlp: Language) -> None:
    doc = trained_nlp("")
    assert len(doc) == 0
    assert doc.tensor.shape == (0, WIDTH)
