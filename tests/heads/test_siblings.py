"""One environment with spacy-transformers and spacy-curated-transformers.

Runs where both are installed, which the development environment does not ask for.
"""

from importlib.util import find_spec

import pytest
from spacy.util import registry

from ..util import (
    Block,
    annotations_of,
    assemble,
    elmo_block,
    elmo_of,
    head_block,
    make_examples,
    set_weights,
    train,
)
from .models import HEADS

SIBLINGS = ("spacy_transformers", "spacy_curated_transformers")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        any(find_spec(name) is None for name in SIBLINGS),
        reason=f"needs {' and '.join(SIBLINGS)}",
    ),
]

CURATED = {
    "@architectures": "spacy-curated-transformers.LastTransformerLayerListener.v1",
    "width": 8,
    "pooling": {"@layers": "reduce_mean.v1"},
    "upstream": "*",
}
TRANSFORMER = {
    "@architectures": "spacy-transformers.TransformerListener.v1",
    "grad_factor": 1.0,
    "pooling": {"@layers": "reduce_mean.v1"},
    "upstream": "*",
}


@pytest.mark.parametrize(
    "table, name",
    [
        ("architectures", "spacy-transformers.TransformerModel.v3"),
        ("architectures", "spacy-curated-transformers.BertTransformer.v1"),
        ("model_loaders", "spacy-curated-transformers.HFTransformerEncoderLoader.v1"),
        ("architectures", "spacy-elmo.Elmo.v1"),
    ],
)
def test_every_package_keeps_its_names(table: str, name: str) -> None:
    module = name.split(".")[0].replace("-", "_")
    assert registry.get(table, name).__module__.startswith(module)


@pytest.mark.parametrize("tok2vec", [CURATED, TRANSFORMER])
def test_listeners_of_siblings_are_left_to_them(tok2vec: Block) -> None:
    theirs = HEADS["tagger"].block(tok2vec)
    components = {"elmo": elmo_block(), "ours": head_block("ner"), "theirs": theirs}
    nlp = assemble(components)
    assert elmo_of(nlp).listening_components == ["ours"]


def test_a_pipeline_learns_beside_them() -> None:
    nlp = assemble({"elmo": elmo_block(), "tagger": head_block("tagger")})
    set_weights(nlp)
    nlp.initialize(lambda: make_examples(nlp))
    train(nlp, 60)
    doc = nlp(make_examples(nlp)[1].predicted)
    assert [tag for tag, _ in annotations_of(doc)] == ["N", "V", "N", "."]
