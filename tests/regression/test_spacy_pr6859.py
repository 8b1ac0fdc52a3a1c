"""explosion/spaCy PR #6859: a sourced embedding was linked too late."""

from pathlib import Path

import numpy as np
import spacy

from tests.util import (
    TEXTS,
    WIDTH,
    assemble,
    changed,
    elmo_of,
    head_block,
    make_examples,
    make_nlp,
    mix_of,
    snapshot,
)


def test_a_new_tagger_learns_its_shapes_from_a_sourced_elmo(tmp_path: Path) -> None:
    source = make_nlp(heads=())
    source.to_disk(tmp_path)
    components = {"elmo": {"source": str(tmp_path)}, "tagger": head_block("tagger")}
    nlp = assemble(components)
    nlp.initialize(lambda: make_examples(nlp))
    assert elmo_of(nlp).listening_components == ["tagger"]
    assert mix_of(nlp, "tagger").get_dim("nO") == WIDTH
    assert changed(snapshot(source), snapshot(nlp)) == []


def test_a_tagger_is_added_to_a_loaded_pipeline(tmp_path: Path) -> None:
    make_nlp(heads=()).to_disk(tmp_path)
    nlp = spacy.load(tmp_path)
    nlp.add_pipe("tagger", config={"model": head_block("tagger")["model"]})
    before = nlp.get_pipe("elmo")(nlp.make_doc(TEXTS[0]))._.elmo
    examples = make_examples(nlp)
    with nlp.select_pipes(enable=["tagger"]):
        nlp.initialize(lambda: examples)
    np.testing.assert_array_equal(nlp(TEXTS[0])._.elmo, before)
