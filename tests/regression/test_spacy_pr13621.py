"""explosion/spaCy PR #13621, presidio PR #2033: the vocabulary of a service grew."""

from spacy.language import Language


def test_a_memory_zone_leaves_no_strings(nlp: Language) -> None:
    texts = [f"neverseen{i} wordlike{i} thing{i}." for i in range(20)]
    nlp(texts[0].replace("0", ""))
    before = set(nlp.vocab.strings)
    with nlp.memory_zone():
        docs = list(nlp.pipe(texts, batch_size=3))
        assert [doc._.elmo.shape[1] for doc in docs] == [len(doc) for doc in docs]
        del docs
    assert set(nlp.vocab.strings) == before


def test_elmo_alone_adds_no_strings(elmo_nlp: Language) -> None:
    doc = elmo_nlp.make_doc("neverseenbefore wordlike")
    before = len(elmo_nlp.vocab.strings)
    elmo_nlp(doc)
    assert len(elmo_nlp.vocab.strings) == before
