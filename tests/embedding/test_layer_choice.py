"""Single layers, mixes, and the mix of a trained head."""

from typing import Any

import numpy as np
import pytest
from spacy.language import Language

from spacy_elmo.embedding import Embedder, Options
from spacy_elmo.embedding.layer_choice import choose_layers, find_origin
from spacy_elmo.layers.encoder import get_settings

from ..util import (
    TEXTS,
    WIDTH,
    assemble,
    elmo_block,
    head_block,
    make_examples,
    make_nlp,
    mix_of,
    set_weights,
)
from .util import assert_close


def embed(nlp: Language, **options: Any) -> list[np.ndarray]:
    """(n, K, width) for each text."""
    embedder = Embedder(nlp, Options(level="token", **options))
    return [embedding.vectors for embedding in embedder(TEXTS)]


def test_every_choice_is_what_the_component_computes(elmo_nlp: Language):
    """ELMoForManyLangs left all layers but the first empty; simple_elmo mixed up axes.

    Texts of other lengths than there are layers, several at once.
    """
    found = embed(elmo_nlp, layers="0,1,2,mix,top")
    for text, vectors in zip(TEXTS, found):
        doc = elmo_nlp(text)
        expected = [*doc._.elmo, doc.tensor, doc._.elmo[2]]
        assert vectors.shape == (len(doc), 5, WIDTH)
        assert_close(vectors, np.stack(expected, axis=1))


@pytest.mark.parametrize("layers", ["0", "2", "top", "mix", "2,0", "mix,1"])
def test_choices_together_are_those_alone(elmo_nlp: Language, layers: str):
    names = layers.split(",")
    alone = [embed(elmo_nlp, layers=name) for name in names]
    together = embed(elmo_nlp, layers=layers)
    for i, vectors in enumerate(together):
        for k in range(len(names)):
            assert_close(vectors[:, k], alone[k][i][:, 0])


@pytest.mark.parametrize(
    "layers, computed",
    [("0", (0,)), ("1,0", (0, 1)), ("top", (2,)), ("mix", (0, 1, 2))],
)
def test_no_other_layer_is_computed(
    elmo_nlp: Language, layers: str, computed: tuple[int, ...]
):
    choice = choose_layers(find_origin(elmo_nlp), layers)
    assert choice.settings.layers == computed
    assert get_settings(elmo_nlp.get_pipe("elmo").model).layers == (0, 1, 2)


def test_a_mix_takes_the_layers_that_its_component_has():
    nlp = make_nlp(heads=(), layers=[0, 2])
    found = embed(nlp, layers="mix,1")
    for text, vectors in zip(TEXTS, found):
        assert_close(vectors[:, 0], nlp(text).tensor)


def test_the_mix_of_a_head_that_listens(trained_nlp: Language):
    mix = mix_of(trained_nlp, "tagger")
    found = embed(trained_nlp, layers="mix", head="tagger")
    component = embed(trained_nlp, layers="mix")
    for text, vectors, other in zip(TEXTS, found, component):
        (expected,) = mix.predict([trained_nlp(text)._.elmo])
        assert_close(vectors[:, 0], expected)
        assert np.abs(vectors - other).max() > 0.01


def test_the_mix_of_a_head_with_a_bilm_of_its_own():
    nlp = make_nlp()
    nlp.replace_listeners("elmo", "tagger", ["model.tok2vec"])
    tok2vec = nlp.get_pipe("tagger").model.get_ref("tok2vec")
    found = embed(nlp, head="tagger")
    for text, vectors in zip(TEXTS, found):
        assert_close(vectors[:, 0], tok2vec.predict([nlp.make_doc(text)])[0])


def test_a_mix_beside_an_encoder_is_named_by_its_place():
    listener = head_block("tagger")["model"]["tok2vec"]
    enhanced = {
        "@architectures": "spacy-elmo.EnhancedTok2Vec.v1",
        "encode": {
            "@architectures": "spacy.MaxoutWindowEncoder.v2",
            "width": 8,
            "window_size": 1,
            "maxout_pieces": 2,
            "depth": 1,
        },
        "elmo_input": {**listener, "mix": {**listener["mix"], "gamma": 3.0}},
        "elmo_output": listener,
    }
    tagger = head_block("tagger")
    tagger["model"]["tok2vec"] = enhanced
    nlp = assemble({"elmo": elmo_block(), "tagger": tagger})
    set_weights(nlp)
    nlp.initialize(lambda: make_examples(nlp))
    inner, outer = (embed(nlp, head=f"tagger.elmo_{p}") for p in ("input", "output"))
    assert_close(inner, [3 * vectors for vectors in outer])
    with pytest.raises(ValueError, match="'tagger.elmo_input', 'tagger.elmo_output'"):
        find_origin(nlp, "tagger")


@pytest.mark.parametrize(
    "layers, problem",
    [
        ("3", "numbers from 0 .the token layer. to 2, .*found '3'"),
        ("-1", "found '-1'"),
        ("all", "found 'all'"),
        ("", "found ''"),
        ("0,", "found ''"),
        ("0,1,0", "names one of them twice"),
    ],
)
def test_a_layer_that_is_not_there_is_refused(
    elmo_nlp: Language, layers: str, problem: str
):
    with pytest.raises(ValueError, match=problem):
        choose_layers(find_origin(elmo_nlp), layers)


def test_choices_of_several_widths_are_refused():
    mix = {"@architectures": "spacy-elmo.SelectLayers.v1"}
    nlp = make_nlp(heads=(), elmo={"mix": mix})
    assert choose_layers(find_origin(nlp), "mix").width == 3 * WIDTH
    with pytest.raises(ValueError, match="several widths, {'0': 24, 'mix': 72}"):
        choose_layers(find_origin(nlp), "0,mix")


@pytest.mark.parametrize(
    "head, problem",
    [
        ("parser", "no component 'parser'; found .'elmo', 'tagger', 'ner'"),
        ("elmo", "expected one of the mixes .., found 'elmo'"),
        ("tagger.elmo_input", "expected one of the mixes .'tagger'., found"),
    ],
)
def test_a_head_without_such_a_mix_is_refused(
    trained_nlp: Language, head: str, problem: str
):
    with pytest.raises(ValueError, match=problem):
        find_origin(trained_nlp, head)


def test_a_head_that_is_not_trained_is_refused():
    nlp = make_nlp(initialize=False)
    with pytest.raises(ValueError, match="'tagger' is not trained yet"):
        find_origin(nlp, "tagger")


def test_of_two_components_the_one_named_elmo_is_taken():
    nlp = assemble({"other": elmo_block(), "elmo": elmo_block()})
    assert find_origin(nlp).name == "elmo"
    nlp = assemble({"one": elmo_block(), "two": elmo_block()})
    with pytest.raises(ValueError, match="found .'one', 'two'"):
        find_origin(nlp)


def test_the_identity_is_that_of_the_vectors():
    def identity(**settings: Any) -> dict[str, Any]:
        nlp = make_nlp(heads=(), initialize=False, **settings)
        return choose_layers(find_origin(nlp), "mix").identity()

    context = {"@misc": "spacy-elmo.WindowContext.v1", "size": 9, "overlap": 1}
    top = {"mix": {"@architectures": "spacy-elmo.SelectLayers.v1", "layers": [-1]}}
    usual = identity()
    assert usual == identity()
    assert identity(context=context)["context"] == "WindowContext(size=9, overlap=1)"
    assert identity(weights="hw0")["weights"] != usual["weights"]
    assert identity(elmo=top)["mix"] != usual["mix"]
    assert identity(precision="bfloat16")["precision"] == "bfloat16"
