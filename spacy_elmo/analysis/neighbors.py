"""Nearest occurrences by context, nearest words by form (Peters et al., Table 4)."""

import heapq
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from spacy.language import Language

from .layer_reader import LayerReader
from .senses import SenseSentence

_MARKED = re.compile(r"\*(\S(?:[^*]*\S)?)\*")
#: Words that are encoded in one sentence where the sentence does not matter.
N_TOGETHER = 32


class Occurrence(NamedTuple):
    """A word in a sentence.

    words (List[str]): The sentence. place (int): Which word of it.
    vectors (NDArray): (n_layers, width) its layers.
    senses (List[str]): What it means there, if that is known.
    """

    words: list[str]
    place: int
    vectors: NDArray[np.float32]
    senses: list[str]

    @property
    def word(self) -> str:
        """The word itself."""
        return self.words[self.place]


class Near(NamedTuple):
    """An occurrence and its cosine to the query's word."""

    score: float
    occurrence: Occurrence


class Similar(NamedTuple):
    """A word, its cosine to the query's word, and how often the corpus has it."""

    score: float
    word: str
    frequency: int


def parse_query(text: str, nlp: Language) -> tuple[list[str], int]:
    """Read a sentence in which one word stands between asterisks.

    text (str): "He sat on the *bank* of the river."
    nlp (Language): Tokenizes it.
    RETURNS (Tuple[List[str], int]): The words, and which of them is marked.
    RAISES (ValueError): Not exactly one word is marked.
    """
    marks = list(_MARKED.finditer(text))
    if len(marks) == 1:
        start, marked = marks[0].start(), marks[0][1]
        doc = nlp.make_doc(_MARKED.sub(r"\1", text))
        tokens = [token for token in doc if not token.is_space]
        for place, token in enumerate(tokens):
            if token.idx == start and token.text == marked:
                return [token.text for token in tokens], place
    raise ValueError(
        f"{text!r}: expected one word between asterisks, as in 'He sat on the *bank* "
        "of the river.'"
    )


def read_word(reader: LayerReader, words: list[str], place: int) -> Occurrence:
    """The layers of one word in a sentence of one's own."""
    ((_, layers),) = reader.read([SenseSentence(words, [])])
    return Occurrence(words, place, layers[:, place], [])


def read_occurrences(
    reader: LayerReader, corpus: Iterable[SenseSentence], word: str | None = None
) -> Iterator[Occurrence]:
    """Every word of a corpus with its layers, or every occurrence of one word.

    word (Optional[str]): In capitals or not. Sentences without it are not computed.
    """
    if word is not None:
        corpus = (sentence for sentence in corpus if _places(sentence, word))
    for sentence, layers in reader.read(corpus):
        senses = {sense.place: sense.keys for sense in sentence.senses}
        places = range(len(sentence.words))
        for place in places if word is None else _places(sentence, word):
            yield Occurrence(
                sentence.words, place, layers[:, place], senses.get(place, [])
            )


def find_nearest(
    query: Occurrence, occurrences: Iterable[Occurrence], *, layer: int, k: int
) -> list[Near]:
    """The occurrences with the highest cosine to the query, nearest first.

    The query's own sentence is left out, and so are repetitions of a sentence. No more
    than `k` occurrences are kept at a time.

    layer (int): The layer to compare, such as -1 for the top one.
    """
    direction = _unit(query.vectors[layer])
    heap: list[tuple[float, int, Occurrence]] = []
    for number, found in enumerate(occurrences):
        score = float(_unit(found.vectors[layer]) @ direction)
        if len(heap) == k and score <= heap[0][0]:
            continue
        kept = [(other.words, other.place) for _, _, other in heap]
        if (found.words, found.place) in [(query.words, query.place), *kept]:
            continue
        # A copy, so that the layers of the whole sentence can go.
        item = (score, -number, found._replace(vectors=found.vectors.copy()))
        (heapq.heappush if len(heap) < k else heapq.heapreplace)(heap, item)
    return [Near(score, found) for score, _, found in sorted(heap, reverse=True)]


def find_similar(
    reader: LayerReader, query: Occurrence, counts: Counter[str], *, k: int
) -> list[Similar]:
    """The words with the highest cosine in the token layer, which sees no context.

    counts (Counter[str]): The words to look among, and how often they occur.
    """
    direction, words = _unit(query.vectors[0]), iter(counts)
    groups = iter(lambda: list(islice(words, N_TOGETHER)), [])
    found: list[Similar] = []
    for group, layers in reader.read(SenseSentence(words, []) for words in groups):
        scores = _unit(layers[0]) @ direction
        found += [Similar(float(s), w, counts[w]) for s, w in zip(scores, group.words)]
    return heapq.nlargest(k, (near for near in found if near.word != query.word))


def counted(
    corpus: Iterable[SenseSentence], counts: Counter[str]
) -> Iterator[SenseSentence]:
    """The same sentences; their words are counted as they pass."""
    for sentence in corpus:
        counts.update(sentence.words)
        yield sentence


def _places(sentence: SenseSentence, word: str) -> list[int]:
    wanted = word.lower()
    return [i for i, text in enumerate(sentence.words) if text.lower() == wanted]


def _unit(vectors: NDArray[Any]) -> NDArray[Any]:
    norms = np.linalg.norm(vectors, axis=-1, keepdims=True)
    unit: NDArray[Any] = vectors / np.maximum(norms, 1e-12)
    return unit
