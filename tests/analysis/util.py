"""What the tests of analysis share."""

import json
from pathlib import Path
from typing import Any

from spacy_elmo.analysis.layer_reader import LayerReader, open_weights
from spacy_elmo.analysis.senses import Sense, SenseSentence
from tests.util import GOLDEN, WEIGHTS


def make_reader() -> LayerReader:
    """A tiny biLM: 3 layers, 24 wide."""
    return LayerReader(open_weights(str(GOLDEN / WEIGHTS)))


def sentence(text: str, *senses: Sense) -> SenseSentence:
    """Words between spaces."""
    return SenseSentence(text.split(), list(senses))


#: SemCor-style lines: a bank of a river, and a bank for money.
RIVER, MONEY = "bank%1:17:01::", "bank%1:14:00::"
SENTENCES = [
    ("The bank was steep and muddy .", RIVER),
    ("Reeds grow on the left bank of this stream .", RIVER),
    ("The bank lends money to farmers .", MONEY),
    ("My bank has closed my account .", MONEY),
    ("Ask the bank for a loan .", MONEY),
]


def semcor_row(text: str, key: str, word: str = "bank") -> dict[str, Any]:
    """A line with one sense."""
    words = text.split()
    return {
        "tokens": words,
        "lemmas": words,
        "pos": ["NN" if w == word else "X" for w in words],
        "senses": [[key] if w == word else None for w in words],
    }


def write_jsonl(path: Path, rows: list[dict[str, Any]]) -> str:
    """Write an object a line; RETURNS (str): The path."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf8")
    return str(path)


def write_semcor(path: Path, sentences: list[tuple[str, str]] = SENTENCES) -> str:
    """Write SemCor-style lines; RETURNS (str): The path."""
    return write_jsonl(path, [semcor_row(*pair) for pair in sentences])


def write_sense_index(path: Path) -> str:
    """WordNet's index, as far as it knows banks; RETURNS (str): The path."""
    lines = [f"{RIVER} 09213565 1 25", f"{MONEY} 08420278 2 20"]
    path.write_text("\n".join(lines) + "\n", encoding="utf8")
    return str(path)
