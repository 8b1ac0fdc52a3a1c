"""Records of text as sentences of words, in memory that does not grow with them."""

from typing import Any

from spacy.language import Language
from spacy.tokens import Doc

from ..layers.context import SentenceContext
from .sources import Record

Sentence = list[str]

#: Words of raw text after which spaCy's index of words is made anew.
MEMORY_WORDS = 1_000_000
#: Parts of a vocabulary that no new word adds to.
KEPT = ("vectors", "lookups")


class Splitter:
    """Tokenizes what is raw, and splits it into sentences.

    It leaves no word of the text in the pipeline's vocabulary.

    nlp (Language): Tokenizes raw text; sentences are those it sets, else a rule's.
    """

    def __init__(self, nlp: Language) -> None:
        self.nlp = nlp
        self._n_words = 0

    def sentences(self, records: list[Record]) -> list[Sentence]:
        """The sentences of records, in their order; whitespace tokens are left out."""
        texts = [r.content for r in records if isinstance(r.content, str)]
        # The zone frees what the tokenizer stores of each new word.
        with self.nlp.memory_zone():
            docs = list(self.nlp.pipe(texts))
            raw = iter(docs)
            contents = [
                next(raw) if isinstance(record.content, str) else record.content
                for record in records
            ]
            split_docs = iter(split([c for c in contents if isinstance(c, Doc)]))
            found = [
                next(split_docs) if isinstance(content, Doc) else [content]
                for content in contents
            ]
        self._n_words += sum(map(len, docs))
        if self._n_words >= MEMORY_WORDS:
            self._renew_index()
        return [words for sentences in found for words in sentences if words]

    def _renew_index(self) -> None:
        """Give back the places of words that are gone: a zone leaves them taken."""
        vocab: Any = self.nlp.vocab  # spaCy's stub lacks the getters
        getters = dict(vocab.lex_attr_getters)
        vocab.from_bytes(vocab.to_bytes(exclude=KEPT), exclude=KEPT)
        # Else the getter of norms would be wrapped once more with every index.
        vocab.lex_attr_getters.update(getters)
        self._n_words = 0


def split(docs: list[Doc]) -> list[list[Sentence]]:
    """Each Doc's sentences as words, whitespace tokens left out, as in prediction."""
    found = []
    for doc, stretches in zip(docs, SentenceContext()(docs)):
        words = [token.text for token in doc]
        parts = [words[stretch.start : stretch.end] for stretch in stretches]
        found.append([[w for w in part if not w.isspace()] for part in parts])
    return found
