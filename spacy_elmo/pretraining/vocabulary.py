"""The words a language model predicts: built, written, read and checked."""

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..bilm.batch import BOS, EOS

UNK = "<UNK>"
SPECIALS = (BOS, EOS, UNK)


class TargetVocabulary:
    """The target words, the three specials first, then by falling frequency.

    The order matters: the sampled softmax draws low ids more often. A word that is not
    here is predicted as <UNK>; the network still reads all its letters.

    words (Sequence[str]): The words in order.
    counts (Optional[Sequence[int]]): How often each was seen.
    source (str): What errors call it.
    RAISES (ValueError): Names the word and its line.
    """

    def __init__(
        self,
        words: Sequence[str],
        counts: Sequence[int] | None = None,
        source: str = "vocabulary",
    ) -> None:
        _check_words(words, source)
        if counts is not None:
            _check_counts(words, counts, source)
        self.words = list(words)
        self.counts = None if counts is None else list(counts)
        self._ids = {word: i for i, word in enumerate(self.words)}
        self.unknown = self._ids[UNK]

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, word: object) -> bool:
        return word in self._ids

    def ids(self, words: Iterable[str]) -> NDArray[np.int64]:
        """RETURNS (NDArray[np.int64]): (n,) target ids, <UNK>'s for unknown words."""
        get, unknown = self._ids.get, self.unknown
        return np.fromiter((get(word, unknown) for word in words), np.int64)

    def write(self, path: str | Path) -> None:
        """Write one word a line, with a tab and its count where counts are known."""
        lines = self.words
        if self.counts is not None:
            lines = [f"{word}\t{n}" for word, n in zip(self.words, self.counts)]
        text = "".join(f"{line}\n" for line in lines)
        Path(path).write_text(text, encoding="utf8", newline="\n")


def read_vocabulary(path: str | Path) -> TargetVocabulary:
    """Read a file of one word a line, all lines or none with a tab and a count.

    RAISES (FileNotFoundError, ValueError): Names the file, the line and what is wrong.
    """
    path = Path(path)
    if not path.is_file():
        raise FileNotFoundError(
            f"No vocabulary file {path}. Make one: python -m spacy elmo vocab."
        )
    lines = path.read_bytes().decode("utf-8-sig").replace("\r\n", "\n").split("\n")
    if lines[-1] == "":
        lines.pop()
    rows = [line.rsplit("\t", 1) for line in lines]
    if not any(len(row) == 2 for row in rows):
        return TargetVocabulary(lines, source=str(path))
    counts = []
    for number, row in enumerate(rows, 1):
        if len(row) != 2 or not row[1].isdigit():
            raise ValueError(
                f"{path}, line {number}: expected a word, a tab and a count, as on "
                f"other lines; found {lines[number - 1]!r}."
            )
        counts.append(int(row[1]))
    return TargetVocabulary([row[0] for row in rows], counts, source=str(path))


class VocabularyReport(NamedTuple):
    """What a vocabulary leaves out of the text it was built from.

    tokens (int): Tokens of the text, boundaries not counted.
    types (int): Distinct words.
    kept (int): Distinct words that the vocabulary holds.
    oov_rate (float): Share of tokens that are predicted as <UNK>.
    long_types, long_tokens (float): Shares over the character limit, which the network
        reads only up to it.
    """

    tokens: int
    types: int
    kept: int
    oov_rate: float
    long_types: float
    long_tokens: float

    def to_dict(self) -> dict[str, Any]:
        """RETURNS (Dict[str, Any]): JSON-ready."""
        return self._asdict()


def build_vocabulary(
    sentences: Iterable[Sequence[str]],
    *,
    max_size: int | None = None,
    min_count: int = 1,
    max_characters: int = 50,
) -> tuple[TargetVocabulary, VocabularyReport]:
    """Count the words of a text.

    max_size (Optional[int]): Words to keep at most, the three specials included.
    min_count (int): Words seen less often are left out.
    max_characters (int): The network's character limit, for the report.
    RAISES (ValueError): No words, or a `max_size` below 4.
    """
    if max_size is not None and max_size <= len(SPECIALS):
        raise ValueError(f"max_size: expected at least 4, found {max_size}.")
    counter: Counter[str] = Counter()
    n_sentences = 0
    for sentence in sentences:
        counter.update(sentence)
        n_sentences += 1
    if not counter:
        raise ValueError("No words to build a vocabulary from: the text is empty.")
    tokens, long_tokens, long_types = counter.total(), 0, 0
    for word, n in counter.items():
        if len(word.encode("utf8", "ignore")) > max_characters - 2:
            long_types, long_tokens = long_types + 1, long_tokens + n
    types = len(counter)
    for special in SPECIALS:
        counter.pop(special, None)
    limit = None if max_size is None else max_size - len(SPECIALS)
    # Ties go by the word, so that the file does not depend on the order of the text.
    writable = [(word, n) for word, n in counter.items() if _is_writable(word)]
    ranked = sorted(writable, key=_by_count)[:limit]
    kept = [(word, n) for word, n in ranked if n >= min_count]
    known = sum(n for _, n in kept)
    counts = [n_sentences, n_sentences, tokens - known, *(n for _, n in kept)]
    vocabulary = TargetVocabulary([*SPECIALS, *(word for word, _ in kept)], counts)
    report = VocabularyReport(
        tokens=tokens,
        types=types,
        kept=len(kept),
        oov_rate=1 - known / tokens,
        long_types=long_types / types,
        long_tokens=long_tokens / tokens,
    )
    return vocabulary, report


def _is_writable(word: str) -> bool:
    """Whether a word can stand on a line; a lone surrogate has no UTF-8 form."""
    encoded = word.encode("utf8", "ignore").decode("utf8")
    return word != "" and encoded == word and not set(word) & set("\n\r\t")


def _by_count(item: tuple[str, int]) -> tuple[int, str]:
    return -item[1], item[0]


def _check_words(words: Sequence[str], source: str) -> None:
    if set(words[: len(SPECIALS)]) != set(SPECIALS):
        raise ValueError(
            f"{source}: expected the words {', '.join(SPECIALS)} on the first three "
            f"lines, found {list(words[:3])}."
        )
    seen: dict[str, int] = {}
    for number, word in enumerate(words, 1):
        if "\n" in word or word == "":
            raise ValueError(f"{source}, line {number}: {word!r} is not a word.")
        if word in seen:
            raise ValueError(
                f"{source}, line {number}: {word!r} is already on line {seen[word]}."
            )
        seen[word] = number


def _check_counts(words: Sequence[str], counts: Sequence[int], source: str) -> None:
    if len(counts) != len(words):
        raise ValueError(f"{source}: {len(words)} words but {len(counts)} counts.")
    for i in range(len(SPECIALS) + 1, len(words)):
        if counts[i] > counts[i - 1]:
            raise ValueError(
                f"{source}, line {i + 1}: {words[i]!r} has the count {counts[i]}, more "
                f"than the word before it ({counts[i - 1]}). The sampled softmax needs "
                "falling frequency: sort the words by count, specials first."
            )
