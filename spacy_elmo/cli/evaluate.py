"""`spacy elmo evaluate WEIGHTS TEXT`: perplexity."""

from pathlib import Path
from typing import Annotated

import spacy
import srsly
from wasabi import msg

from ..pretraining.corpus import Corpus
from ..pretraining.evaluation import Evaluation, evaluate
from ..pretraining.folder import read_language_model
from ._app import Arg, Lang, Opt, Text, Tokenized, elmo_cli, failing


@elmo_cli.command("evaluate")
def evaluate_cli(
    weights: Annotated[
        Path, Arg(help="Folder of weights with vocab.txt and a softmax")
    ],
    text: Text,
    lang: Lang = "en",
    tokenized: Tokenized = False,
    batch_tokens: Annotated[
        int, Opt("--batch-tokens", "-b", help="Words scored together")
    ] = 2048,
    output: Annotated[
        Path | None, Opt("--output", "-o", help="JSON file for the figures")
    ] = None,
) -> None:
    """
    Perplexity of a biLM on a text, over its whole vocabulary: forward, backward and
    average, each word counted once.
    """
    with failing():
        result = evaluate_text(
            weights, text, lang=lang, tokenized=tokenized, batch_tokens=batch_tokens
        )
    print_evaluation(result)
    if output is not None:
        srsly.write_json(output, result.to_dict())


def evaluate_text(
    weights: Path,
    text: list[str],
    *,
    lang: str = "en",
    tokenized: bool = False,
    batch_tokens: int = 2048,
) -> Evaluation:
    """Score files of text.

    RAISES (FileNotFoundError, ValueError): Names the file, or the missing softmax.
    """
    model = read_language_model(weights)
    corpus = Corpus(text, spacy.blank(lang), tokenized=tokenized)
    return evaluate(model, corpus.sentences(), batch_tokens=batch_tokens)


def print_evaluation(result: Evaluation) -> None:
    """Print the figures as a table."""
    rows = {
        "forward perplexity": f"{result.forward:.2f}",
        "backward perplexity": f"{result.backward:.2f}",
        "average perplexity": f"{result.average:.2f}",
        "sentences": f"{result.n_sentences:,}",
        "tokens": f"{result.n_tokens:,}",
        "predictions a direction": f"{result.n_predictions:,}",
        "scored as <UNK>": f"{result.oov_rate:.2%}",
    }
    msg.table(rows)
