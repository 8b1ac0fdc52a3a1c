"""allenai/allennlp#2732: a sentence was parsed differently the second time."""

from spacy.language import Language

from tests.util import TEXTS, TRAIN, annotations_of


def test_the_fiftieth_call_predicts_what_the_first_did(trained_nlp: Language) -> None:
    text = TRAIN[0][0]
    first = annotations_of(trained_nlp(text))
    assert len(set(first)) > 2
    for _ in range(48):
        trained_nlp(TEXTS[0])
    assert annotations_of(trained_nlp(text)) == first
