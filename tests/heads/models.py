"""The head of each kind, tiny, over any tok2vec."""

from dataclasses import dataclass, field, replace

from spacy.language import Language

from ..util import Block, assemble, elmo_block, head_block, loader_block, set_weights
from .sample import SPANS_KEY

#: The golden weights are random and their vectors small: normalized, heads learn fast.
LISTENER = head_block("tagger", mix={"layer_norm": "token"})["model"]["tok2vec"]
WIDTH = 16

#: The golden weights, for a biLM inside a head.
STANDALONE = {
    "@architectures": "spacy-elmo.ElmoTok2Vec.v1",
    "elmo": {
        **elmo_block()["model"],
        "context": {"@misc": "spacy-elmo.SentenceContext.v1"},
    },
    "mix": LISTENER["mix"],
    **loader_block("relu_hw2"),
}
ENHANCED = {
    "@architectures": "spacy-elmo.EnhancedTok2Vec.v1",
    "embed": {
        "@architectures": "spacy.MultiHashEmbed.v2",
        "width": WIDTH,
        "attrs": ["NORM", "SHAPE"],
        "rows": [50, 50],
        "include_static_vectors": False,
    },
    "encode": {
        "@architectures": "spacy.MaxoutWindowEncoder.v2",
        "width": WIDTH,
        "window_size": 1,
        "maxout_pieces": 2,
        "depth": 1,
    },
}

#: What stands at the input of a head.
TOK2VECS: dict[str, Block] = {
    "listener": LISTENER,
    "standalone": STANDALONE,
    "enhanced input": {**ENHANCED, "elmo_input": LISTENER},
    "enhanced output": {**ENHANCED, "elmo_output": LISTENER},
    "enhanced both": {**ENHANCED, "elmo_input": LISTENER, "elmo_output": LISTENER},
    "enhanced by a biLM of its own": {**ENHANCED, "elmo_input": STANDALONE},
}


@dataclass(frozen=True)
class Head:
    """A component and what shows that it learned.

    factory (str): Its kind; also its name.
    model (Block): The block of its model, without `tok2vec`.
    score (str): The score of `nlp.evaluate` that training data must reach ...
    at_least (float): ... at least so far.
    settings (Block): Other settings of the component.
    takes_empty (bool): Whether it takes an empty Doc beside others.
    """

    factory: str
    model: Block
    score: str
    at_least: float = 0.75
    settings: Block = field(default_factory=dict)
    takes_empty: bool = True

    def block(self, tok2vec: Block) -> Block:
        """The block of the component in a config."""
        model = {**self.model, "tok2vec": tok2vec}
        return {"factory": self.factory, "model": model, **self.settings}


def _transitions(state_type: str) -> Block:
    sizes = {"hidden_width": 32, "maxout_pieces": 2}
    return {**head_block("ner")["model"], "state_type": state_type, **sizes}


def _textcat(architecture: str, **settings: object) -> Head:
    model = {"@architectures": f"spacy.{architecture}", **settings}
    return Head("textcat", model, "cats_macro_f")


def _bag_of_words(exclusive_classes: bool) -> Block:
    return {
        "@architectures": "spacy.TextCatBOW.v3",
        "exclusive_classes": exclusive_classes,
        "length": 128,
        "ngram_size": 1,
        "no_output_layer": False,
    }


def _spancat(factory: str, scorer: Block) -> Head:
    model = {
        "@architectures": "spacy.SpanCategorizer.v1",
        "scorer": scorer,
        "reducer": {"@layers": "spacy.mean_max_reducer.v1", "hidden_size": WIDTH},
    }
    suggester = {"@misc": "spacy.ngram_suggester.v1", "sizes": [1, 2]}
    settings = {"spans_key": SPANS_KEY, "suggester": suggester}
    return Head(factory, model, f"spans_{SPANS_KEY}_f", settings=settings)


TAGGER = {"@architectures": "spacy.Tagger.v2"}
SCORER = {"@layers": "spacy.LinearLogistic.v1"}
REDUCE = {f"use_reduce_{how}": True for how in ("first", "last", "max", "mean")}

HEADS = {
    "tagger": Head("tagger", TAGGER, "tag_acc"),
    "morphologizer": Head("morphologizer", TAGGER, "pos_acc", 0.6),
    "senter": Head("senter", TAGGER, "sents_f"),
    "parser": Head(
        "parser", _transitions("parser"), "dep_las", settings={"min_action_freq": 1}
    ),
    "ner": Head("ner", _transitions("ner"), "ents_f", at_least=0.6),
    "lemmatizer": Head(
        "trainable_lemmatizer", TAGGER, "lemma_acc", settings={"min_tree_freq": 1}
    ),
    "textcat ensemble": _textcat(
        "TextCatEnsemble.v2", linear_model=_bag_of_words(exclusive_classes=True)
    ),
    # thinc's first, last and max of no rows is an error, whatever the tok2vec.
    "textcat reduce": replace(
        _textcat("TextCatReduce.v1", exclusive_classes=True, **REDUCE),
        takes_empty=False,
    ),
    "textcat cnn": _textcat("TextCatCNN.v2", exclusive_classes=True),
    "textcat attention": _textcat(
        "TextCatParametricAttention.v1", exclusive_classes=True
    ),
    "textcat multilabel": Head(
        "textcat_multilabel",
        {
            "@architectures": "spacy.TextCatEnsemble.v2",
            "linear_model": _bag_of_words(exclusive_classes=False),
        },
        "cats_macro_f",
    ),
    "spancat": _spancat("spancat", SCORER),
    "spancat single label": _spancat("spancat_singlelabel", {"@layers": "Softmax.v2"}),
    "span finder": Head(
        "span_finder",
        {
            "@architectures": "spacy.SpanFinder.v1",
            "scorer": {**SCORER, "nO": 2},
        },
        f"spans_{SPANS_KEY}_f",
        0.3,
        settings={"spans_key": SPANS_KEY},
    ),
}


def build(head: Head, tok2vec: str) -> Language:
    """A pipeline of the head, behind the `elmo` that its tok2vec listens to, if any."""
    block = TOK2VECS[tok2vec]
    components = {head.factory: head.block(block)}
    if LISTENER not in (block, *block.values()):
        return assemble(components)
    nlp = assemble({"elmo": elmo_block(), **components})
    set_weights(nlp)
    return nlp
