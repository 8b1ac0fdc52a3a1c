"""`spacy elmo vocab TEXT OUTPUT`: the words that a biLM shall predict."""

from pathlib import Path
from typing import Annotated

import spacy
from wasabi import msg

from ..pretraining.corpus import Corpus
from ..pretraining.vocabulary import SPECIALS, VocabularyReport, build_vocabulary
from ._app import Arg, Lang, Opt, Text, Tokenized, elmo_cli, failing


@elmo_cli.command("vocab")
def vocab_cli(
    text: Text,
    output: Annotated[Path, Arg(help="File to write: a word and its count a line")],
    max_size: Annotated[
        int | None,
        Opt("--max-size", "-m", help="Words to keep at most, with the three specials"),
    ] = None,
    min_count: Annotated[
        int, Opt("--min-count", "-c", help="Leave out words seen less often")
    ] = 1,
    max_characters: Annotated[
        int, Opt("--max-characters", help="The network's limit, for the report")
    ] = 50,
    lang: Lang = "en",
    tokenized: Tokenized = False,
) -> None:
    """
    Build the target vocabulary of a text: <S>, </S>, <UNK>, then words by falling
    frequency.
    """
    with failing():
        report = write_vocabulary(
            text,
            output,
            max_size=max_size,
            min_count=min_count,
            max_characters=max_characters,
            lang=lang,
            tokenized=tokenized,
        )
    n_words = report.kept + len(SPECIALS)
    rows = {
        "tokens": f"{report.tokens:,}",
        "distinct words": f"{report.types:,}",
        "words kept": f"{report.kept:,}",
        "tokens outside": f"{report.oov_rate:.2%}",
        "words over the character limit": f"{report.long_types:.2%}",
        "tokens over the character limit": f"{report.long_tokens:.2%}",
        "a softmax of 512, with Adam": f"{n_words * 513 * 16 / 1e6:,.0f} MB",
    }
    msg.table(rows)
    msg.good(f"Wrote {output}")


def write_vocabulary(
    text: list[str],
    output: Path,
    *,
    max_size: int | None = None,
    min_count: int = 1,
    max_characters: int = 50,
    lang: str = "en",
    tokenized: bool = False,
) -> VocabularyReport:
    """Count the words of files and write the most frequent.

    RAISES (FileNotFoundError, ValueError): Names the file or option.
    """
    corpus = Corpus(text, spacy.blank(lang), tokenized=tokenized)
    msg.info(f"Reading {', '.join(corpus.files)}")
    vocabulary, report = build_vocabulary(
        corpus.sentences(),
        max_size=max_size,
        min_count=min_count,
        max_characters=max_characters,
    )
    vocabulary.write(output)
    return report
