"""Heads with a biLM of their own: by `replace_listeners`, or from the start."""

import inspect
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import spacy
from spacy.language import Language
from thinc.api import Config

from spacy_elmo import layer_weights
from spacy_elmo.bilm.engine import Engine
from spacy_elmo.layers.encoder import get_shim
from tests.util import (
    WEIGHTS,
    annotations_of,
    assemble,
    elmo_block,
    elmo_of,
    head_block,
    loader_block,
    make_examples,
    make_nlp,
    make_optimizer,
    train,
)

TEXT = "Anna left Rome for Berlin ."
PATH = "model.tok2vec"


def scores(nlp: Language) -> list[np.ndarray]:
    """The tagger's own scores, which show more than its tags."""
    docs = [nlp(TEXT)]
    return list(nlp.get_pipe("tagger").model.predict(docs))


def trained(**settings: Any) -> Language:
    nlp = make_nlp(**settings)
    train(nlp, 10)
    return nlp


def test_scores_stay_the_same(tmp_path: Path) -> None:
    """spaCy PR 8112, spacy-transformers PR 277."""
    nlp = trained(frozen=False)
    before, doc = scores(nlp), nlp(TEXT)
    weights = layer_weights(nlp)
    nlp.replace_listeners("elmo", "tagger", [PATH])
    np.testing.assert_array_equal(scores(nlp)[0], before[0])
    block = nlp.config["components"]["tagger"]["model"]["tok2vec"]
    assert block["@architectures"] == "spacy-elmo.ElmoTok2Vec.v1"
    assert elmo_of(nlp).listening_components == ["ner"]
    tagger, ner = layer_weights(nlp)
    assert (tagger.weights, ner.weights) == tuple(mix.weights for mix in weights)
    assert (tagger.upstream, ner.upstream) == (None, "elmo")
    nlp.to_disk(tmp_path)
    loaded = spacy.load(tmp_path)
    np.testing.assert_array_equal(scores(loaded)[0], before[0])
    assert annotations_of(loaded(TEXT)) == annotations_of(doc)


def test_weights_that_were_never_loaded_are_not_replaced_by_others() -> None:
    nlp = assemble(
        {"elmo": elmo_block(None), "tagger": head_block("tagger")},
        {"elmo": loader_block(WEIGHTS)},
    )
    with pytest.raises(ValueError, match="names weights that were never loaded"):
        nlp.replace_listeners("elmo", "tagger", [PATH])


def test_the_callback_has_the_three_arguments() -> None:
    """spaCy PR 12785."""
    callback = elmo_of(make_nlp()).model.attrs["replace_listener"]
    assert len(inspect.signature(callback).parameters) == 3


def test_both_train_on_without_sharing() -> None:
    nlp = trained(frozen=False)
    nlp.replace_listeners("elmo", "tagger", [PATH])
    shared = get_shim(elmo_of(nlp).model)
    (own,) = [s for n in nlp.get_pipe("tagger").model.walk() for s in n.shims]
    assert own.id != shared.id
    sgd = make_optimizer()
    nlp.update(make_examples(nlp), sgd=False)
    for _, pipe in nlp.pipeline:
        pipe.finish_update(sgd)
    name = "bilm.forward_lstm.layers.1.bias"
    assert sgd.nr_update[(shared.id, name)] == 1
    assert sgd.nr_update[(own.id, name)] == 1
    ours, theirs = (s.bilm.forward_lstm.layers[1].bias for s in (own, shared))
    assert not np.array_equal(ours.detach().numpy(), theirs.detach().numpy())


def test_the_config_form_is_the_same(tmp_path: Path) -> None:
    source = trained()
    source.to_disk(tmp_path)
    text = f"""
    [nlp]
    lang = "en"
    pipeline = ["elmo", "tagger"]
    [components]
    [components.elmo]
    source = "{tmp_path}"
    [components.tagger]
    source = "{tmp_path}"
    replace_listeners = ["{PATH}"]
    """
    nlp = spacy.util.load_model_from_config(Config().from_str(text), auto_fill=True)
    source.replace_listeners("elmo", "tagger", [PATH])
    np.testing.assert_array_equal(scores(nlp)[0], scores(source)[0])
    blocks = [n.config["components"]["tagger"]["model"] for n in (nlp, source)]
    assert blocks[0] == blocks[1]


def test_from_the_start_without_a_component(tmp_path: Path) -> None:
    nlp = assemble({"tagger": standalone_head("tagger")})
    nlp.initialize(lambda: make_examples(nlp, entities=False))
    train(nlp, 60)
    tags = [token.tag_ for token in nlp("Ben saw Anna .")]
    assert tags == ["N", "V", "N", "."]
    nlp.to_disk(tmp_path)
    np.testing.assert_array_equal(scores(spacy.load(tmp_path))[0], scores(nlp)[0])
    (report,) = layer_weights(nlp)
    assert (report.component, report.upstream, report.layers) == (
        "tagger",
        None,
        (0, 1, 2),
    )


@pytest.mark.parametrize("same", [True, False])
def test_two_listeners_in_one_head(same: bool, tmp_path: Path) -> None:
    """Equal mixes are replaced; of different ones spaCy cannot say which is which."""
    gammas = (1.0, 1.0) if same else (1.0, 2.0)
    nlp = assemble({"elmo": elmo_block(), "tagger": enhanced_head(*gammas)})
    elmo_of(nlp).set_weights(golden_weights())
    nlp.initialize(lambda: make_examples(nlp, entities=False))
    train(nlp, 3)
    before = scores(nlp)
    places = {mix.place for mix in layer_weights(nlp)}
    assert places == {"elmo_input", "elmo_output"}
    paths = [f"{PATH}.elmo_input", f"{PATH}.elmo_output"]
    if not same:
        with pytest.raises(ValueError, match="two ElmoListeners with different"):
            nlp.replace_listeners("elmo", "tagger", paths)
        return
    nlp.replace_listeners("elmo", "tagger", paths)
    assert elmo_of(nlp).listening_components == []
    np.testing.assert_array_equal(scores(nlp)[0], before[0])
    nlp.to_disk(tmp_path)
    np.testing.assert_array_equal(scores(spacy.load(tmp_path))[0], before[0])


def test_the_layer_cache_gives_the_same_losses() -> None:
    cache = {"@misc": "spacy-elmo.LayerCache.v1"}
    curves = []
    for settings in ({}, {"cache": cache}):
        nlp = make_nlp(**settings)
        curve, sgd = [], make_optimizer()
        for _ in range(6):
            losses: dict[str, float] = {}
            nlp.update(make_examples(nlp), sgd=sgd, losses=losses)
            curve.append([losses["tagger"], losses["ner"]])
        curves.append(curve)
    np.testing.assert_allclose(curves[0], curves[1], rtol=1e-5)
    assert curves[0][0] != curves[0][-1]


def test_a_cache_keeps_the_bilm_idle(monkeypatch: pytest.MonkeyPatch) -> None:
    nlp = make_nlp(cache={"@misc": "spacy-elmo.LayerCache.v1"})
    train(nlp, 1)
    monkeypatch.setattr(Engine, "layers", None)
    train(nlp, 1)
    elmo_of(nlp).set_weights(golden_weights())  # New weights, although equal ones:
    train(nlp, 1)  # the key is their content.


def test_a_cache_and_fine_tuning() -> None:
    with pytest.raises(ValueError, match="cache: the layers of a biLM that learns"):
        make_nlp(frozen=False, cache={"@misc": "spacy-elmo.LayerCache.v1"})


def test_one_seed_one_result() -> None:
    first, second = (trained(frozen=False).get_pipe("elmo") for _ in range(2))
    assert first.model.to_bytes() == second.model.to_bytes()


def golden_weights() -> Any:
    from tests.golden_elmo import GoldenModel

    return GoldenModel(WEIGHTS).weights


def standalone_head(factory: str) -> dict[str, Any]:
    block = head_block(factory)
    block["model"]["tok2vec"] = {
        "@architectures": "spacy-elmo.ElmoTok2Vec.v1",
        "elmo": elmo_block()["model"] | {"context": DOCUMENT},
        "mix": block["model"]["tok2vec"]["mix"],
        **loader_block(WEIGHTS),
    }
    return block


DOCUMENT = {"@misc": "spacy-elmo.DocumentContext.v1"}


def enhanced_head(input_gamma: float, output_gamma: float) -> dict[str, Any]:
    block = head_block("tagger")
    reader = block["model"]["tok2vec"]
    block["model"]["tok2vec"] = {
        "@architectures": "spacy-elmo.EnhancedTok2Vec.v1",
        "embed": {
            "@architectures": "spacy.MultiHashEmbed.v2",
            "width": 8,
            "attrs": ["NORM"],
            "rows": [50],
            "include_static_vectors": False,
        },
        "encode": {
            "@architectures": "spacy.MaxoutWindowEncoder.v2",
            "width": 8,
            "window_size": 1,
            "maxout_pieces": 2,
            "depth": 1,
        },
        "elmo_input": {**reader, "mix": {**reader["mix"], "gamma": input_gamma}},
        "elmo_output": {**reader, "mix": {**reader["mix"], "gamma": output_gamma}},
    }
    return block
