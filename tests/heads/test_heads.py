"""Every head of spaCy learns from ELMo, takes empty Docs and survives the disk."""

import copy
from dataclasses import dataclass
from pathlib import Path

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from thinc.api import Optimizer

from ..util import empty_example, finish_update
from .models import HEADS, TOK2VECS, Head, build
from .sample import make_examples

STEPS = 60
LEARN_RATE = 0.03

#: All heads on a listener; one of each kind of loss on what else there is.
CASES = [
    *((head, "listener") for head in HEADS),
    *(
        (head, tok2vec)
        for head in ("tagger", "ner", "textcat ensemble")
        for tok2vec in TOK2VECS
        if tok2vec != "listener"
    ),
]


@dataclass(frozen=True)
class Trained:
    """A trained pipeline, not to be changed, and the loss of each step."""

    head: Head
    nlp: Language
    losses: list[float]


@pytest.fixture(scope="module", params=CASES, ids=" on ".join)
def trained(request: pytest.FixtureRequest) -> Trained:
    name, tok2vec = request.param
    head = HEADS[name]
    nlp = build(head, tok2vec)
    nlp.initialize(lambda: make_examples(nlp.vocab))
    return Trained(head, nlp, train(nlp, head))


def train(nlp: Language, head: Head) -> list[float]:
    """Train on the sample, with an empty Doc in every batch."""
    sgd = Optimizer(LEARN_RATE)
    history = []
    for _ in range(STEPS):
        examples = make_examples(nlp.vocab)
        if head.takes_empty:
            examples.insert(1, empty_example(nlp))
        losses = nlp.update(examples, sgd=False)  # type: ignore[arg-type]
        finish_update(nlp, sgd)
        history.append(float(losses[head.factory]))
    return history


def predict(nlp: Language) -> list[Doc]:
    """The Docs of the sample as a pipeline annotates them."""
    return list(nlp.pipe(example.x for example in make_examples(nlp.vocab)))


def assert_same(found: list[Doc], expected: list[Doc]) -> None:
    """All annotations are equal, the scores of categories but for rounding."""
    for ours, theirs in zip(found, expected, strict=True):
        assert ours.cats == pytest.approx(theirs.cats, abs=1e-4)
        assert {**ours.to_json(), "cats": {}} == {**theirs.to_json(), "cats": {}}


def test_the_loss_falls(trained: Trained) -> None:
    assert max(trained.losses[-5:]) < 0.5 * trained.losses[0]


def test_it_predicts_what_it_was_trained_on(trained: Trained) -> None:
    scores = trained.nlp.evaluate(make_examples(trained.nlp.vocab))
    assert scores[trained.head.score] >= trained.head.at_least


def test_empty_docs_change_no_prediction(trained: Trained) -> None:
    vocab = trained.nlp.vocab
    first, *others = (example.x for example in make_examples(vocab))
    docs = [Doc(vocab), first, Doc(vocab), *others, Doc(vocab)]
    if not trained.head.takes_empty:
        with pytest.raises(ValueError, match="lengths must be > 0"):
            list(trained.nlp.pipe(docs))
        return
    found = list(trained.nlp.pipe(docs))
    assert [len(found[i]) for i in (0, 2, -1)] == [0, 0, 0]
    assert_same([doc for doc in found if len(doc)], predict(trained.nlp))


def test_a_batch_of_empty_docs_teaches_nothing(trained: Trained) -> None:
    nlp = copy.deepcopy(trained.nlp)
    nlp.update([empty_example(nlp), empty_example(nlp)], sgd=False)  # type: ignore[arg-type]
    finish_update(nlp, Optimizer(LEARN_RATE))
    assert_same(predict(nlp), predict(trained.nlp))


def test_it_comes_back_from_disk(trained: Trained, tmp_path: Path) -> None:
    trained.nlp.to_disk(tmp_path)
    loaded = spacy.load(tmp_path)
    assert_same(predict(loaded), predict(trained.nlp))
    assert loaded.to_bytes() == trained.nlp.to_bytes()


@pytest.mark.parametrize("tok2vec", TOK2VECS)
def test_ner_takes_a_new_label_to_disk(tok2vec: str, tmp_path: Path) -> None:
    """explosion/spaCy PR #6460: the resized model was not the one in the config."""
    nlp = build(HEADS["ner"], tok2vec)
    nlp.initialize(lambda: make_examples(nlp.vocab))
    nlp.get_pipe("ner").add_label("ANIMAL")  # type: ignore[attr-defined]
    nlp.to_disk(tmp_path)
    loaded = spacy.load(tmp_path)
    assert "ANIMAL" in loaded.get_pipe("ner").labels  # type: ignore[attr-defined]
    words = ["The", "tiger", "sleeps"]
    examples = [
        Example.from_dict(
            Doc(loaded.vocab, words=words), {"entities": ["O", "U-ANIMAL", "O"]}
        )
    ]
    sgd = Optimizer(LEARN_RATE)
    for _ in range(60):
        loaded.update(examples, sgd=False)  # type: ignore[arg-type]
        finish_update(loaded, sgd)
    doc = loaded(Doc(loaded.vocab, words=words))
    assert [(ent.text, ent.label_) for ent in doc.ents] == [("tiger", "ANIMAL")]
