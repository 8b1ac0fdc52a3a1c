"""Every pipeline that is compared: a config of `configs/`, and what differs from it."""

from typing import Any, NamedTuple

Settings = dict[str, Any]
HEADS = ("tagger", "ner")


class Row(NamedTuple):
    """One line of a table.

    label (str): Its name there.
    config (str): A file of `configs/`, without its ending.
    overrides (Dict[str, Any]): Values of that file, by dotted names.
    blocks (Dict[str, Any]): Laid over the config, for what the file has not.
    resource (Optional[str]): What has to lie beside the corpus: a name in [paths].
    share (float): Of the training documents, drawn anew for each seed.
    """

    label: str
    config: str
    overrides: Settings = {}
    blocks: Settings = {}
    resource: str | None = None
    share: float = 1.0


def _mixes(**settings: Any) -> Settings:
    """Settings of the mixes of both heads."""
    path = "components.{}.model.tok2vec.elmo_input.mix.{}"
    return {
        path.format(head, name): value
        for head in HEADS
        for name, value in settings.items()
    }


def _tok2vecs(settings: Settings) -> Settings:
    """The same tok2vec settings for both heads."""
    heads = {head: {"model": {"tok2vec": settings}} for head in HEADS}
    return {"components": heads}


ELMO_OUTPUT = {
    "@architectures": "spacy-elmo.ElmoListener.v1",
    "upstream": "elmo",
    "mix": {"@architectures": "spacy-elmo.ScalarMix.v1", "dropout": 0.2},
}
#: A vector for each word and nothing more: heads on it are linear in one-hot words.
WORDS = {
    "@architectures": "spacy.MultiHashEmbed.v2",
    "width": 96,
    "attrs": ["ORTH"],
    "rows": [20_000],
    "include_static_vectors": False,
}
HASH_EMBED_CNN = {
    "@architectures": "spacy.HashEmbedCNN.v2",
    "width": 96,
    "depth": 4,
    "embed_size": 2000,
    "window_size": 1,
    "maxout_pieces": 3,
    "subword_features": True,
    "pretrained_vectors": None,
}
#: One HashEmbedCNN for both heads, as `spacy pretrain` wants it.
SHARED: Settings = {
    "nlp": {"pipeline": ["tok2vec", *HEADS]},
    "components": {
        "tok2vec": {"factory": "tok2vec", "model": HASH_EMBED_CNN},
        **_tok2vecs({"@architectures": "spacy.Tok2VecListener.v1", "width": 96})[
            "components"
        ],
    },
}
#: The recipe of `spacy pretrain`: guess the first and last letters of each word.
PRETRAINING: Settings = {
    "paths": {"raw_text": "corpus/bilm"},
    "initialize": {"init_tok2vec": None},
    "corpora": {
        "pretrain": {
            "@readers": "spacy.PlainTextCorpus.v1",
            "path": "${paths.raw_text}",
        }
    },
    "pretraining": {
        "max_epochs": 1,
        "dropout": 0.2,
        "n_save_every": 500,
        "n_save_epoch": None,
        "component": "tok2vec",
        "layer": "",
        "corpus": "corpora.pretrain",
        "batcher": {
            "@batchers": "spacy.batch_by_words.v1",
            "size": 3000,
            "discard_oversize": False,
            "tolerance": 0.2,
        },
        "objective": {
            "@architectures": "spacy.PretrainCharacters.v1",
            "maxout_pieces": 3,
            "hidden_size": 300,
            "n_characters": 4,
        },
        "optimizer": {"@optimizers": "Adam.v1", "learn_rate": 0.001},
    },
}
#: spaCy loads `init_tok2vec` only where the config has a [pretraining] too.
PRETRAINED: Settings = {
    **SHARED,
    **PRETRAINING,
    "initialize": {"init_tok2vec": "${paths.pretrained}/model-last.bin"},
}
TRANSFORMER: Settings = {
    "nlp": {"pipeline": ["transformer", *HEADS]},
    "components": {
        "transformer": {
            "factory": "transformer",
            "model": {
                "@architectures": "spacy-transformers.TransformerModel.v3",
                "name": "${paths.minilm}",
                "tokenizer_config": {"use_fast": True},
                "get_spans": {
                    "@span_getters": "spacy-transformers.strided_spans.v1",
                    "window": 128,
                    "stride": 96,
                },
            },
        },
        **_tok2vecs(
            {
                "@architectures": "spacy-transformers.TransformerListener.v1",
                "grad_factor": 1.0,
                "pooling": {"@layers": "reduce_mean.v1"},
            }
        )["components"],
    },
    "training": {
        "optimizer": {
            "@optimizers": "Adam.v1",
            "learn_rate": {
                "@schedules": "warmup_linear.v1",
                "warmup_steps": 50,
                "total_steps": "${training.max_steps}",
                "initial_rate": 2e-4,
            },
        }
    },
}


def _sampled(share: float) -> dict[str, Row]:
    """Rows with a share of the documents, which stop when dev no longer gains."""
    stop = {"training.patience": 300}
    percent = f"{100 * share:g}"
    cnn, enhanced = "tagger_ner_cnn", "tagger_ner_enhanced"
    label = f"{{}}, {percent} % of the sentences"
    return {
        f"cnn-{percent}": Row(label.format("HashEmbedCNN"), cnn, stop, share=share),
        f"enhanced-{percent}": Row(
            label.format("HashEmbedCNN + ELMo"), enhanced, stop, share=share
        ),
    }


ROWS = {
    "cnn": Row("HashEmbedCNN", "tagger_ner_cnn"),
    "elmo": Row("ELMo alone", "tagger_ner_elmo"),
    "enhanced": Row("HashEmbedCNN + ELMo", "tagger_ner_enhanced"),
    "top": Row(
        "… top layer only",
        "tagger_ner_enhanced",
        _mixes(weights=[0.0, 0.0, 1.0], train_weights=False),
    ),
    "uniform": Row("… uniform mix", "tagger_ner_enhanced", _mixes(train_weights=False)),
    "finetuned": Row("… fine-tuned", "tagger_ner_finetuned"),
    "l2-1": Row("… λ = 1", "tagger_ner_enhanced", _mixes(l2=1.0)),
    "l2-0.001": Row("… λ = 0.001", "tagger_ner_enhanced", _mixes(l2=0.001)),
    "output": Row(
        "… at the output",
        "tagger_ner_enhanced",
        blocks=_tok2vecs({"elmo_input": None, "elmo_output": ELMO_OUTPUT}),
    ),
    "both": Row(
        "… at input and output",
        "tagger_ner_enhanced",
        blocks=_tok2vecs({"elmo_output": ELMO_OUTPUT}),
    ),
    **_sampled(0.01),
    **_sampled(0.1),
    "words": Row("one-hot words", "tagger_ner_cnn", blocks=_tok2vecs(WORDS)),
    "vectors": Row(
        "HashEmbedCNN + word2vec",
        "tagger_ner_cnn",
        blocks={
            **_tok2vecs({"pretrained_vectors": True}),
            "initialize": {"vectors": "${paths.vectors}"},
        },
        resource="vectors",
    ),
    "vectors-elmo": Row(
        "HashEmbedCNN + word2vec + ELMo",
        "tagger_ner_enhanced",
        blocks={
            **_tok2vecs({"embed": {"include_static_vectors": True}}),
            "initialize": {"vectors": "${paths.vectors}"},
        },
        resource="vectors",
    ),
    "shared": Row("HashEmbedCNN, shared", "tagger_ner_cnn", blocks=SHARED),
    "pretrained": Row(
        "… after `spacy pretrain`",
        "tagger_ner_cnn",
        blocks=PRETRAINED,
        resource="pretrained",
    ),
    "minilm": Row(
        "MiniLM, 120 updates", "tagger_ner_cnn", blocks=TRANSFORMER, resource="minilm"
    ),
    "minilm-long": Row(
        "MiniLM, 500 updates", "tagger_ner_cnn", blocks=TRANSFORMER, resource="minilm"
    ),
}
BASELINE = "cnn"
