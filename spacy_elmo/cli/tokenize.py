"""`spacy elmo tokenize TEXT OUTPUT`: text as one small file of tokens."""

from itertools import chain
from pathlib import Path
from typing import Annotated

import spacy
from wasabi import msg

from ..pretraining.corpus import Corpus
from ..pretraining.tokens import write_tokens
from ._app import Arg, Lang, Text, Tokenized, elmo_cli, failing


@elmo_cli.command("tokenize")
def tokenize_cli(
    text: Text,
    output: Annotated[Path, Arg(help="File to write, NAME.tokens.npz")],
    lang: Lang = "en",
    tokenized: Tokenized = False,
) -> None:
    """
    Tokenize and split text once, into a small file that `pretrain` and `evaluate` read:
    for several processes, or to carry to another machine.
    """
    with failing():
        corpus = Corpus(text, spacy.blank(lang), tokenized=tokenized)
        msg.info(f"Reading {', '.join(corpus.files)}")
        # Files side by side, as in training: what reads the file meets all of them.
        sentences = chain.from_iterable(pool.sentences for pool in corpus.pools())
        n_tokens = write_tokens(sentences, output)
    size = output.stat().st_size / 1e6
    msg.good(f"Wrote {n_tokens:,} tokens to {output} ({size:,.1f} MB)")
