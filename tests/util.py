"""What several test files need: tiny pipelines, training examples, fresh processes."""

import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import fix_random_seed, load_model_from_config
from spacy.vocab import Vocab
from thinc.api import Config, Model, Optimizer

from spacy_elmo.bilm import BiLM
from spacy_elmo.layers.encoder import get_shim
from spacy_elmo.layers.listener import find_readers
from spacy_elmo.pipeline.elmo import Elmo
from spacy_elmo.weights.allennlp import read_options
from spacy_elmo.weights.detect import read_weights

GOLDEN = Path(__file__).parent / "golden" / "elmo"
WEIGHTS = "relu_hw2"  # 2 layers, 24 wide
WIDTH = 24

TEXTS = [
    "He sat on the bank of the river.",
    "Paris",
    "She put the money in the bank, and then she left. Nobody saw her again!",
]

TRAIN = [
    ("Anna lives in Paris .", "N V P N .", "U-PER O O U-LOC O"),
    ("Ben saw Anna .", "N V N .", "U-PER O U-PER O"),
    ("She left Rome for Berlin .", "R V N P N .", "O O U-LOC O U-LOC O"),
]

Block = dict[str, Any]

# ---- Pipelines ---------------------------------------------------------------------


def make_nlp(
    heads: Sequence[str] = ("tagger", "ner"),
    *,
    weights: str | None = WEIGHTS,
    upstream: str = "elmo",
    mix: Block | None = None,
    elmo: Block | None = None,
    initialize: bool = True,
    **model: Any,
) -> Language:
    """A pipeline of `elmo` and heads that listen to it, as a config makes it.

    weights (Optional[str]): A folder of golden weights, or None for the bundled ones.
    mix (Optional[Block]): Settings of the ScalarMix of every head.
    elmo, **model: Settings of the component, and of its model.
    """
    components = {"elmo": elmo_block(weights, elmo, **model)}
    components |= {head: head_block(head, upstream, mix) for head in heads}
    nlp = assemble(components)
    if weights is not None:
        set_weights(nlp, weights)
    if initialize:
        nlp.initialize(lambda: make_examples(nlp))
    return nlp


def assemble(
    components: dict[str, Block], loaders: dict[str, Block] | None = None
) -> Language:
    """A pipeline from blocks of its config, not yet initialized.

    loaders (Optional[Dict[str, Block]]): The blocks [initialize.components.<name>].
    """
    config = {
        "nlp": {"lang": "en", "pipeline": list(components)},
        "components": components,
        "initialize": {"components": loaders or {}},
    }
    text = Config(config).to_str()
    fix_random_seed(0)
    return load_model_from_config(Config().from_str(text), auto_fill=True)


def set_weights(nlp: Language, weights: str = WEIGHTS, name: str = "elmo") -> None:
    """Give golden weights to an ELMo component."""
    elmo_of(nlp, name).set_weights(read_weights(GOLDEN / weights))


def elmo_block(
    weights: str | None = WEIGHTS, settings: Block | None = None, **model: Any
) -> Block:
    """The block of an ELMo component for weights of their sizes."""
    sizes = read_options(GOLDEN / weights / "options.json").to_dict() if weights else {}
    architecture = {"@architectures": "spacy-elmo.Elmo.v1"}
    model = {**architecture, **sizes, **model}
    return {"factory": "elmo", "model": model, **(settings or {})}


def loader_block(weights: str) -> Block:
    """The block [initialize.components.<name>] for a folder of golden weights."""
    folder = GOLDEN / weights
    loader = {
        "@misc": "spacy-elmo.AllenNLPWeights.v1",
        "options": str(folder / "options.json"),
        "weights": str(folder / "weights.hdf5"),
    }
    return {"loader": loader}


def head_block(factory: str, upstream: str = "elmo", mix: Block | None = None) -> Block:
    """The block of a small tagger or NER that reads a ScalarMix of `upstream`."""
    tok2vec = {
        "@architectures": "spacy-elmo.ElmoListener.v1",
        "upstream": upstream,
        "mix": {"@architectures": "spacy-elmo.ScalarMix.v1", **(mix or {})},
    }
    models: dict[str, Block] = {
        "tagger": {"@architectures": "spacy.Tagger.v2"},
        "ner": {
            "@architectures": "spacy.TransitionBasedParser.v2",
            "state_type": "ner",
            "extra_state_tokens": False,
            "hidden_width": 8,
            "maxout_pieces": 1,
            "use_upper": True,
        },
    }
    return {"factory": factory, "model": {**models[factory], "tok2vec": tok2vec}}


def elmo_of(nlp: Language, name: str = "elmo") -> Elmo:
    """The ELMo component of a pipeline."""
    pipe = nlp.get_pipe(name)
    assert isinstance(pipe, Elmo)
    return pipe


def bilm_of(nlp: Language, name: str = "elmo") -> BiLM:
    """The network inside a pipeline."""
    return get_shim(elmo_of(nlp, name).model).bilm


def mix_of(nlp: Language, head: str, upstream: str = "elmo") -> Model:
    """The mix of a head."""
    (reader,) = find_readers(nlp.get_pipe(head).model, upstream)
    return reader.get_ref("mix")


# ---- Documents ---------------------------------------------------------------------


def make_examples(nlp: Language, *, entities: bool = True) -> list[Example]:
    """Three sentences with tags, and with entities unless they are left out."""
    examples = []
    for words, tags, ents in TRAIN:
        predicted = make_doc(nlp.vocab, words.split())
        annotations: dict[str, Any] = {"words": words.split(), "tags": tags.split()}
        if entities:
            annotations["entities"] = ents.split()
        examples.append(Example.from_dict(predicted, annotations))
    return examples


def empty_example(nlp: Language) -> Example:
    """A training example without a word."""
    return Example(Doc(nlp.vocab), Doc(nlp.vocab))


def make_doc(vocab: Vocab, words: Iterable[str]) -> Doc:
    """A Doc of given words."""
    return Doc(vocab, words=list(words))


def layers_of(nlp: Language, texts: Iterable[str], **options: Any) -> list[NDArray]:
    """What `nlp.pipe` leaves on the Docs of some texts."""
    return [doc._.elmo for doc in nlp.pipe(texts, **options)]


def annotations_of(doc: Doc) -> list[tuple[str, str]]:
    """What tagger and NER say of each token."""
    return [(token.tag_, token.ent_type_) for token in doc]


# ---- Training ----------------------------------------------------------------------


def train(nlp: Language, steps: int = 1, **options: Any) -> None:
    """Update as `spacy train` does: all components first, then their gradients.

    options: Of `nlp.update`, such as `exclude`, `annotates` and `drop`.
    """
    sgd = make_optimizer()
    fix_random_seed(0)  # NER draws where it cuts long texts.
    for _ in range(steps):
        nlp.update(make_examples(nlp), sgd=False, **options)
        finish_update(nlp, sgd, options.get("exclude", []))


def finish_update(nlp: Language, sgd: Optimizer, exclude: Sequence[str] = ()) -> None:
    """Apply the gradients of all components that take part, as `spacy train` does."""
    for name, pipe in nlp.pipeline:
        if name not in exclude:
            pipe.finish_update(sgd)


def make_optimizer() -> Optimizer:
    """Adam with large steps, so that a few show."""
    return Optimizer(0.05)


def snapshot(nlp: Language, name: str = "elmo") -> dict[str, NDArray]:
    """A copy of every parameter of a biLM."""
    state = bilm_of(nlp, name).state_dict()
    return {key: tensor.numpy().copy() for key, tensor in state.items()}


def changed(before: dict[str, NDArray], after: dict[str, NDArray]) -> list[str]:
    """The names of the parameters that are not bitwise the same."""
    assert before.keys() == after.keys()
    return [key for key in before if before[key].tobytes() != after[key].tobytes()]


def scalars_of(nlp: Language, head: str) -> NDArray:
    """The weights of a head's mix, before the softmax, and gamma."""
    mix = mix_of(nlp, head)
    return np.append(mix.get_param("scalars"), mix.get_param("gamma"))


def pickled(thing: Any) -> Any:
    """What comes back from a pickle."""
    return pickle.loads(pickle.dumps(thing))


@contextmanager
def count_calls(owner: Any, name: str) -> Iterator[list[tuple]]:
    """Record the arguments of every call of a method while the context lasts."""
    original, calls = getattr(owner, name), []

    def record(*args: Any, **kwargs: Any) -> Any:
        calls.append(args)
        return original(*args, **kwargs)

    setattr(owner, name, record)
    try:
        yield calls
    finally:
        setattr(owner, name, original)


# ---- Processes ---------------------------------------------------------------------


def run_python(code: str, *arguments: Any, timeout: int = 120) -> str:
    """Run code in a fresh interpreter, in the repository, and return what it printed.

    It and its children are killed after `timeout` seconds.
    """
    with subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", code, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf8",
        cwd=Path(__file__).parent.parent,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        start_new_session=True,
    ) as process:
        try:
            printed, errors = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            raise
    assert process.returncode == 0, errors
    return printed.strip()
