"""What a head listens to, and that none reads zeros in silence."""

import copy
from collections.abc import Callable

import numpy as np
import pytest
from spacy.language import Language
from spacy.training import Example

from tests.util import (
    TEXTS,
    TRAIN,
    Block,
    annotations_of,
    assemble,
    elmo_block,
    elmo_of,
    head_block,
    make_doc,
    make_examples,
    make_nlp,
    scalars_of,
    set_weights,
    snapshot,
    train,
)

# ---- Which component it is --------------------------------------------------------


def pipeline(**components: Block) -> Language:
    nlp = assemble(components)
    for name, block in components.items():
        if block["factory"] == "elmo":
            set_weights(nlp, name=name)
    return nlp


@pytest.mark.parametrize(
    "components, upstream",
    [
        ({"tagger": head_block("tagger"), "elmo": elmo_block()}, "elmo"),
        ({"tagger": head_block("tagger")}, "elmo"),
        ({"elmo": elmo_block(), "tagger": head_block("tagger", "emlo")}, "emlo"),
        ({"other": elmo_block(), "tagger": head_block("tagger")}, "elmo"),
        ({"tagger": head_block("tagger", "*"), "elmo": elmo_block()}, "*"),
    ],
    ids=["before its upstream", "none", "misspelt", "other name", "any, before it"],
)
def test_a_head_without_its_upstream_is_not_initialized(
    components: dict[str, Block], upstream: str
) -> None:
    nlp = pipeline(**components)
    expected = rf"component {upstream!r}.*".replace("*'", r"\*'")
    with pytest.raises(ValueError, match=expected + "under this name, before"):
        nlp.initialize(lambda: make_examples(nlp))


def rename(nlp: Language) -> None:
    nlp.rename_pipe("elmo", "other")


def remove(nlp: Language) -> None:
    nlp.remove_pipe("elmo")


def disable(nlp: Language) -> None:
    nlp.disable_pipe("elmo")


@pytest.mark.parametrize("change", [rename, remove, disable])
def test_a_trained_head_that_lost_its_upstream_raises(
    nlp: Language, change: Callable[[Language], None]
) -> None:
    train(nlp)
    change(nlp)
    expected = "'tagger' listens to the ELMo component 'elmo'.*enabled"
    with pytest.raises(ValueError, match=expected):
        nlp(TEXTS[0])
    with pytest.raises(ValueError, match=expected):
        nlp.update(make_examples(nlp), sgd=False)


def test_a_head_moved_before_its_upstream_raises(nlp: Language) -> None:
    train(nlp)
    source = copy.deepcopy(nlp)
    nlp.remove_pipe("elmo")
    nlp.add_pipe("elmo", source=source, last=True)
    with pytest.raises(ValueError, match="'tagger' listens to.*before"):
        nlp(TEXTS[0])


def test_a_frozen_component_must_annotate(nlp: Language) -> None:
    with pytest.raises(ValueError, match="annotating_components"):
        nlp.update(make_examples(nlp), exclude=["elmo"], sgd=False)


@pytest.mark.parametrize("frozen", [True, False])
def test_an_annotating_head_needs_an_annotating_upstream(frozen: bool) -> None:
    nlp = make_nlp(frozen=frozen)
    with pytest.raises(ValueError, match="annotating_components"):
        nlp.update(make_examples(nlp), annotates=["tagger"], sgd=False)
    nlp.update(make_examples(nlp), annotates=["elmo", "tagger"], sgd=False)


def test_a_head_sourced_without_its_upstream_raises(nlp: Language) -> None:
    alone = assemble({})
    alone.add_pipe("tagger", source=nlp)
    with pytest.raises(ValueError, match="'elmo', which has not seen"):
        alone(TEXTS[0])


@pytest.mark.parametrize("frozen", [True, False])
def test_any_upstream_is_the_only_one(frozen: bool) -> None:
    results = []
    for upstream in ("*", "elmo"):
        nlp = make_nlp(upstream=upstream, frozen=frozen)
        train(nlp, 30)
        assert elmo_of(nlp).listening_components == ["tagger", "ner"]
        docs = [annotations_of(nlp(text)) for text, _, _ in TRAIN]
        results.append((docs, scalars_of(nlp, "tagger").tolist()))
        assert len({tag for doc in docs for tag, _ in doc}) > 1
    assert results[0] == results[1]


def test_the_documents_of_initialize_are_not_zeros_forever() -> None:
    nlp = make_nlp(initialize=False)
    examples = make_examples(nlp)
    nlp.initialize(lambda: examples)
    with pytest.raises(ValueError, match="has not seen"):
        nlp.get_pipe("tagger").predict([example.x for example in examples])


# ---- What it is sent -----------------------------------------------------------------


def test_a_mix_of_other_layers_is_refused_when_linked() -> None:
    mix = {"weights": [0.5, 0.5]}
    expected = r"components.tagger.model.*2 weights.*3 layers \[0, 1, 2\].*`layers`"
    with pytest.raises(ValueError, match=expected):
        pipeline(elmo=elmo_block(), tagger=head_block("tagger", mix=mix))


@pytest.mark.parametrize(
    "weights, expected",
    [("layers1", "width 24.*width 16"), ("layers3", "width 24.*width 16")],
)
def test_a_trained_head_behind_another_elmo_is_refused(
    nlp: Language, weights: str, expected: str
) -> None:
    other = make_nlp(heads=(), weights=weights)
    with pytest.raises(ValueError, match="'tagger' was made for.*" + expected):
        other.add_pipe("tagger", source=nlp)


def test_a_trained_head_behind_fewer_layers_is_refused(nlp: Language) -> None:
    other = make_nlp(heads=(), layers=[0, 1])
    expected = r"components.tagger.model.*3 weights.*2 layers \[0, 1\]"
    with pytest.raises(ValueError, match=expected):
        other.add_pipe("tagger", source=nlp)


def test_layers_of_another_pipeline_on_a_doc_are_refused(nlp: Language) -> None:
    other = make_nlp(heads=(), weights="layers1")
    doc = other(make_doc(nlp.vocab, TRAIN[0][0].split()))
    with pytest.raises(ValueError, match=r"expects .*\(3, 5, 24\).*holds \(2, 5, 16\)"):
        nlp.get_pipe("tagger")(doc)


def test_a_head_does_not_write_into_what_it_shares(open_nlp: Language) -> None:
    docs = [example.x for example in make_examples(open_nlp)]
    expected = elmo_of(open_nlp).predict(docs)
    annotated = list(open_nlp.pipe(docs))
    for doc, layers in zip(annotated, expected, strict=True):
        np.testing.assert_array_equal(doc._.elmo, layers)


# ---- The protocol spaCy knows a shared component by ---------------------------------


def test_listeners_are_found_removed_and_found_again(nlp: Language) -> None:
    pipe, tagger = elmo_of(nlp), nlp.get_pipe("tagger")
    (listener,) = pipe.listener_map["tagger"]
    assert pipe.remove_listener(listener, "tagger")
    assert pipe.listening_components == ["ner"]
    assert not pipe.remove_listener(listener, "tagger")
    for _ in range(2):
        pipe.find_listeners(tagger)
    assert pipe.listener_map["tagger"] == [listener]
    assert sorted(pipe.listening_components) == ["ner", "tagger"]


def test_components_without_a_model_are_passed_over(nlp: Language) -> None:
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("entity_ruler")
    assert elmo_of(nlp).listening_components == ["tagger", "ner"]


def test_there_are_no_labels_to_add(nlp: Language) -> None:
    with pytest.raises(NotImplementedError):
        elmo_of(nlp).add_label("N")


def test_an_update_wants_examples(nlp: Language) -> None:
    with pytest.raises(TypeError, match="E978"):
        elmo_of(nlp).update([make_doc(nlp.vocab, ["a"])])  # type: ignore[list-item]


def test_initialize_wants_examples(nlp: Language) -> None:
    with pytest.raises(TypeError, match="E930"):
        elmo_of(nlp).initialize(no_examples)


def no_examples() -> list[Example]:
    return []


def test_initialize_keeps_weights_that_are_set(nlp: Language) -> None:
    train(nlp)
    before = snapshot(nlp)
    nlp.initialize(lambda: make_examples(nlp))
    assert all((before[name] == array).all() for name, array in snapshot(nlp).items())
