"""Training examples for every head, from sentences of the sample corpus.

Tags and entities are the corpus's. What it does not have is made by simple rules.
"""

from collections.abc import Iterator
from pathlib import Path

from spacy.tokens import Doc, Span
from spacy.training import Example
from spacy.vocab import Vocab

CORPUS = Path(__file__).parents[2] / "assets" / "sample" / "train.tsv"

#: Pairs of sentences, one Doc each: questions and statements, most with a name.
PAIRS = [(116, 22), (70, 189), (65, 79), (227, 30), (133, 200), (41, 143)]

#: Where spaCy's span heads look for spans.
SPANS_KEY = "sc"

POS = {"N": "NOUN", "V": "VERB", "M": "VERB", "J": "ADJ", "R": "ADV", "P": "PRON"}
ENDINGS = {"NNS": "s", "VBZ": "s", "VBD": "ed", "VBG": "ing"}


def make_docs(vocab: Vocab) -> list[Doc]:
    """Fully annotated Docs of two sentences."""
    blocks = CORPUS.read_text(encoding="utf8").strip().split("\n\n")
    sentences = [[line.split("\t") for line in block.splitlines()] for block in blocks]
    return [_annotate(vocab, [sentences[i] for i in pair]) for pair in PAIRS]


def make_examples(vocab: Vocab) -> list[Example]:
    """The Docs as references, and the same words without annotation to predict on."""
    return [
        Example(Doc(vocab, words=[token.text for token in doc]), doc)
        for doc in make_docs(vocab)
    ]


def _annotate(vocab: Vocab, sentences: list[list[list[str]]]) -> Doc:
    words, tags, ents = (
        [line[column] for lines in sentences for line in lines] for column in range(3)
    )
    heads: list[int] = []
    for lines in sentences:
        heads += _heads([tag for _, tag, _ in lines], start=len(heads))
    doc = Doc(
        vocab,
        words=words,
        tags=tags,
        pos=[POS.get(tag[0], "X") for tag in tags],
        morphs=["Number=Plur" if tag in ("NNS", "NNPS") else "" for tag in tags],
        lemmas=[_lemma(word, tag) for word, tag in zip(words, tags)],
        heads=heads,
        deps=_labels(heads, tags),
        ents=ents,
    )
    doc.spans[SPANS_KEY] = [Span(doc, e.start, e.end, e.label_) for e in doc.ents]
    asks = words[-1] == "?"
    doc.cats = {"QUESTION": float(asks), "STATEMENT": float(not asks)}
    return doc


def _heads(tags: list[str], start: int) -> list[int]:
    """Determiners and adjectives hang on the next word, others on the first verb."""
    verbs = (i for i, tag in enumerate(tags) if tag.startswith("V"))
    root = next(verbs, 0)
    return list(_attached(tags, root, start))


def _attached(tags: list[str], root: int, start: int) -> Iterator[int]:
    for i, tag in enumerate(tags):
        is_inside = i + 1 < len(tags) and i != root
        to_next = is_inside and tag[:2] in ("DT", "JJ", "PR")
        yield start + (i + 1 if to_next else root)


def _labels(heads: list[int], tags: list[str]) -> list[str]:
    labels = {"D": "det", "J": "amod", "N": "nsubj", ".": "punct"}
    return [
        "ROOT" if head == i else labels.get(tag[0], "dep")
        for i, (head, tag) in enumerate(zip(heads, tags))
    ]


def _lemma(word: str, tag: str) -> str:
    return word.lower().removesuffix(ENDINGS.get(tag, ""))
