"""Check the sample corpus: its form, its size and its variety.

    python scripts/check_sample.py [FOLDER]

FOLDER (default assets/sample) holds train.tsv, dev.tsv and test.tsv. Prints the figures
and exits with 1 where a requirement is not met.
"""

import argparse
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import spacy
from spacy.language import Language

SPLITS = ("train", "dev", "test")
LEAST_SENTENCES = 320
LEAST_TYPES = 900
#: Of each label, in dev and in test.
LEAST_ENTITIES = 25
#: Share of the distinct entities of dev, and of test, that train does not have.
LEAST_UNSEEN = 0.5
#: Tokens in a sentence.
SHORTEST, LONGEST = 3, 30

LABELS = ("PER", "ORG", "LOC")
BIO = {"O"} | {f"{prefix}-{label}" for prefix in "BI" for label in LABELS}
PENN = (
    "CC CD DT EX FW IN JJ JJR JJS LS MD NN NNP NNPS NNS PDT POS PRP PRP$ RB RBR RBS RP "
    "SYM TO UH VB VBD VBG VBN VBP VBZ WDT WP WP$ WRB $ , . : `` '' -LRB- -RRB-"
)
#: The tags that the English Web Treebank adds.
WEB = "ADD AFX GW HYPH NFP"
TAGS = {*PENN.split(" "), *WEB.split(" ")}


class Sentence(NamedTuple):
    """One sentence, and where it begins."""

    where: str
    words: tuple[str, ...]
    tags: tuple[str, ...]
    bio: tuple[str, ...]


def read(path: Path, errors: list[str]) -> list[Sentence]:
    """The sentences of one file; what is wrong with a line goes to the errors."""
    sentences: list[Sentence] = []
    rows: list[list[str]] = []
    if not path.is_file():
        raise SystemExit(f"{path}: no such file")
    # Bytes, so that a carriage return is found too.
    lines = path.read_bytes().decode("utf8").split("\n")
    if lines.pop():
        errors.append(f"{path.name}: the last line has no line end")
    for number, line in enumerate([*lines, ""], start=1):
        columns = line.split("\t")
        if not line:
            if not rows:
                errors.append(f"{path.name}:{number}: blank line without a sentence")
            else:
                where = f"{path.name}:{number - len(rows)}"
                sentences.append(Sentence(where, *zip(*rows)))
            rows = []
        elif len(columns) != 3 or any(not c or c.split() != [c] for c in columns):
            errors.append(
                f"{path.name}:{number}: expected TOKEN, TAG and BIO, joined by tabs, "
                f"none empty or with spaces; found {line!r}"
            )
        else:
            rows.append(columns)
    return sentences


def check_sentence(sentence: Sentence, nlp: Language, errors: list[str]) -> None:
    """Length, tags, entities and tokens of one sentence."""
    where, words, tags, bio = sentence
    if not SHORTEST <= len(words) <= LONGEST:
        errors.append(f"{where}: {len(words)} tokens, not {SHORTEST} to {LONGEST}")
    for unknown in sorted({*tags} - TAGS | {*bio} - BIO):
        errors.append(f"{where}: unknown tag {unknown}")
    for previous, current in zip(("O", *bio), bio):
        if current[0] == "I" and previous[1:] != current[1:]:
            errors.append(f"{where}: {current} after {previous}")
    for word in words:
        # Clitics are tokens only behind their word.
        if word[0] != "'" and len(nlp.make_doc(word)) != 1:
            errors.append(f"{where}: spaCy's English tokenizer would split {word!r}")


def check_variety(corpus: dict[str, list[Sentence]], errors: list[str]) -> None:
    """Size, vocabulary and tag sequences of the whole corpus; prints the figures."""
    sentences = [sentence for split in corpus.values() for sentence in split]
    types = {word for sentence in sentences for word in sentence.words}
    first: dict[tuple[str, ...], Sentence] = {}
    for sentence in sentences:
        other = first.setdefault(sentence.tags, sentence)
        if other is not sentence:
            errors.append(f"{sentence.where}: same tag sequence as {other.where}")
    if len(sentences) < LEAST_SENTENCES:
        errors.append(f"{len(sentences)} sentences, fewer than {LEAST_SENTENCES}")
    if len(types) < LEAST_TYPES:
        errors.append(f"{len(types)} word types, fewer than {LEAST_TYPES}")
    print(f"all: {len(sentences)} sentences, {len(first)} tag sequences,", end=" ")
    lowercased = {word.lower() for word in types}
    print(f"{len(types)} word types, {len(lowercased)} lowercased")


def count_entities(sentences: list[Sentence]) -> Counter[tuple[str, str]]:
    """How often each entity (label, text) occurs."""
    found: list[tuple[str, list[str]]] = []
    for sentence in sentences:
        for word, tag in zip(sentence.words, sentence.bio):
            if tag[0] == "B":
                found.append((tag[2:], [word]))
            elif tag[0] == "I" and found:
                found[-1][1].append(word)
    return Counter((label, " ".join(words)) for label, words in found)


def check_entities(corpus: dict[str, list[Sentence]], errors: list[str]) -> None:
    """Labels of each split, and what train has not seen; prints the figures."""
    train = {text for _, text in count_entities(corpus["train"])}
    for split, sentences in corpus.items():
        counts = count_entities(sentences)
        labels = Counter(label for label, _ in counts.elements())
        tokens = sum(len(sentence.words) for sentence in sentences)
        line = f"{split}: {len(sentences)} sentences, {tokens} tokens, {dict(labels)}"
        if split != "train":
            texts = {text for _, text in counts}
            unseen = len(texts - train) / max(len(texts), 1)
            line += f", {unseen:.0%} of {len(texts)} distinct entities not in train"
            if unseen < LEAST_UNSEEN:
                errors.append(f"{split}: {unseen:.0%} unseen, below {LEAST_UNSEEN:.0%}")
            for label in LABELS:
                if labels[label] < LEAST_ENTITIES:
                    found = f"{labels[label]} {label}"
                    errors.append(f"{split}: {found}, fewer than {LEAST_ENTITIES}")
        print(line)


def main() -> None:
    """Check one folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", default=Path("assets/sample"))
    folder = parser.parse_args().folder
    errors: list[str] = []
    corpus = {split: read(folder / f"{split}.tsv", errors) for split in SPLITS}
    nlp = spacy.blank("en")
    for sentences in corpus.values():
        for sentence in sentences:
            check_sentence(sentence, nlp, errors)
    check_entities(corpus, errors)
    check_variety(corpus, errors)
    if errors:
        raise SystemExit("\n".join([*errors, f"{folder}: {len(errors)} errors"]))


if __name__ == "__main__":
    main()
