"""A pipeline for those who come with weights and no config."""

from pathlib import Path

import spacy
from spacy.language import Language

from .detect import read_weights


def blank(lang: str = "en", *, weights: str | Path | None = None) -> Language:
    """Make a blank pipeline with the component `elmo`, ready to use.

    lang (str): Language code, for the tokenizer.
    weights (Optional[Union[str, Path]]): Folder of weights in any form that
        `read_weights` knows; the bundled English ones by default.
    RAISES (FileNotFoundError, ValueError): Names the file and what is wrong with it.
    """
    nlp = spacy.blank(lang)
    if weights is None:
        nlp.add_pipe("elmo")
        return nlp
    loaded = read_weights(weights)
    pipe = nlp.add_pipe("elmo", config={"model": loaded.config.to_dict()})
    pipe.set_weights(loaded)  # type: ignore[attr-defined]
    return nlp
