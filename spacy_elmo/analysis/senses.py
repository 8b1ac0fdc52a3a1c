"""Sentences with word senses, and WordNet's order of the senses."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import srsly

from .labelled import open_text

#: What a word is looked up by: its lemma, and its part of speech in WordNet.
Entry = tuple[str, str]

#: Parts of speech by how tags of Universal Dependencies and of the Penn Treebank begin.
PARTS_OF_SPEECH = {
    **dict.fromkeys(("NOUN", "NN"), "n"),
    **dict.fromkeys(("VERB", "VB"), "v"),
    **dict.fromkeys(("ADJ", "JJ"), "a"),
    **dict.fromkeys(("ADV", "RB"), "r"),
}
#: The same in a sense key, as its first figure; 5 is a satellite adjective.
KEY_PARTS = {"1": "n", "2": "v", "3": "a", "4": "r", "5": "a"}


class Sense(NamedTuple):
    """What one word means.

    place (int): Which word of its sentence. entry (Entry): What it is looked up by.
    keys (List[str]): Its senses; more than one where the annotators took several.
    """

    place: int
    entry: Entry
    keys: list[str]


class SenseSentence(NamedTuple):
    """A sentence, some of whose words have senses."""

    words: list[str]
    senses: list[Sense]


def read_senses(files: Sequence[str]) -> Iterator[SenseSentence]:
    """Stream sentences from JSONL files, which may be gzip.

    files (Sequence[str]): A line is an object with `tokens`, and either `lemmas`, `pos`
        and `senses` (for each token null or a list of sense keys), as SemCor; or
        `word`, `head` (the number of one token) and `sense`, as a lexical sample.
    RAISES (ValueError): Names file and line, and what was expected.
    """
    for path in files:
        for number, line in enumerate(open_text(path), 1):
            if line.strip():
                yield _parse(line, f"{path}, line {number}")


def read_first_senses(path: str) -> dict[Entry, str]:
    """WordNet's first sense of each word.

    path (str): WordNet's `index.sense`, which may be gzip: sense key, offset, number.
    RAISES (ValueError): Names file and line.
    """
    first = {}
    for number, line in enumerate(open_text(path), 1):
        key, *rest = line.split()
        lemma, _, place = key.partition("%")
        if len(rest) != 3 or place[:1] not in KEY_PARTS:
            raise ValueError(
                f"{path}, line {number}: expected a sense key, an offset, a number and "
                f"a count, as in WordNet's index.sense; found {line[:60]!r}."
            )
        if rest[1] == "1":
            first[lemma, KEY_PARTS[place[0]]] = key
    return first


def _parse(line: str, where: str) -> SenseSentence:
    try:
        row: Any = srsly.json_loads(line)
        if "head" in row:
            entry = row["word"], _part_of_speech(row["pos"][row["head"]])
            sense = Sense(row["head"], entry, [row["sense"]])
            return SenseSentence(row["tokens"], [sense])
        return SenseSentence(row["tokens"], list(_senses(row)))
    except (ValueError, KeyError, TypeError, IndexError) as error:
        raise ValueError(
            f"{where}: expected an object with tokens, lemmas, pos and senses of equal "
            "lengths (SemCor), or with tokens, pos, word, head and sense (a lexical "
            f"sample); {type(error).__name__}: {error}."
        ) from error


def _senses(row: dict[str, Any]) -> Iterator[Sense]:
    columns = zip(row["tokens"], row["lemmas"], row["pos"], row["senses"], strict=True)
    for place, (_, lemma, tag, keys) in enumerate(columns):
        if keys:
            yield Sense(place, (lemma, _part_of_speech(tag)), keys)


def _part_of_speech(tag: str) -> str:
    return PARTS_OF_SPEECH.get(tag) or PARTS_OF_SPEECH.get(tag[:2], tag)
