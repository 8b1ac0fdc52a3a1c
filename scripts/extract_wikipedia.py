"""Running text of a Wikipedia dump: corpus/NAME/{train,dev}.txt, a paragraph a line.

    python scripts/extract_wikipedia.py corpus/sample_bilm
    python scripts/extract_wikipedia.py corpus/bilm --dump assets/simplewiki.xml.bz2

Without --dump it reads the excerpt in the package gensim 4.4.0 (CC BY-SA 3.0, about a
hundred articles), which `pip install '.[pretrain-sample]'` brings. An empty line stands
between articles; one in `--dev-every` goes to dev.txt. Tables, lists, headings and
notes are left out.
"""

import argparse
import bz2
import re
from collections.abc import Iterator
from html import unescape
from importlib.util import find_spec
from pathlib import Path
from xml.etree import ElementTree

EXCERPT = (
    "test/test_data/"
    "enwiki-latest-pages-articles1.xml-p000000010p000030302-shortened.bz2"
)
NOT_TEXT = ("ref", "math", "gallery", "timeline", "source", "syntaxhighlight", "table")
REMOVED = [
    re.compile(r"<!--.*?-->", re.DOTALL),
    re.compile(r"<ref[^<>]*/>", re.IGNORECASE),
    *(re.compile(rf"(?is)<{tag}\b[^<>]*>.*?</{tag}>") for tag in NOT_TEXT),
]
#: Innermost first, until none is left: templates and tables.
NESTED = [re.compile(r"\{\{[^{}]*\}\}"), re.compile(r"\{\|(?:(?!\{\|).)*?\|\}", re.S)]
LINK = re.compile(r"\[\[([^\[\]]*)\]\]")
ADDRESS = re.compile(r"\[(?:https?:|ftp:)?//\S+ ?([^\[\]]*)\]")
TAG = re.compile(r"</?[a-zA-Z][^<>]*>")
#: What an empty template leaves in brackets.
HOLLOW = re.compile(r" ?\([\s,;:]*\)")
#: Signs that a line is a list, a heading, an indent, or the rest of a table.
MARKS = tuple("*#:;=|!{}[<")
MIN_WORDS = 10


def find_excerpt() -> Path:
    """The excerpt that gensim carries for its tests.

    RAISES (SystemExit): gensim, or the file in it, is not there; says what to install.
    """
    spec = find_spec("gensim")
    if spec is None or not spec.submodule_search_locations:
        raise SystemExit(
            "The excerpt of Wikipedia lies in the package gensim, which is not "
            "installed: pip install '.[pretrain-sample]', or name a --dump."
        )
    path = Path(spec.submodule_search_locations[0]) / EXCERPT
    if not path.is_file():
        raise SystemExit(
            f"No {path}: this gensim does not carry it. Expected gensim 4.4.0: "
            "pip install '.[pretrain-sample]'."
        )
    return path


def read_articles(path: Path) -> Iterator[str]:
    """The wikitext of each article of a dump; redirects and other pages left out."""
    with bz2.open(path) as file:
        events = ElementTree.iterparse(file, events=("start", "end"))
        _, root = next(events)
        space = root.tag.removesuffix("mediawiki")
        for event, element in events:
            if event != "end" or element.tag != f"{space}page":
                continue
            is_article = element.findtext(f"{space}ns") == "0"
            if is_article and element.find(f"{space}redirect") is None:
                yield element.findtext(f"{space}revision/{space}text") or ""
            root.clear()  # or the whole dump stays in memory


def plain_paragraphs(wikitext: str) -> list[str]:
    """The paragraphs of an article without mark-up."""
    text = unescape(wikitext)
    for pattern in REMOVED:
        text = pattern.sub("", text)
    for pattern in NESTED:
        text = _until_none(pattern, "", text)
    text = _until_none(LINK, _link_text, text)
    text = TAG.sub("", ADDRESS.sub(r"\1", text)).replace("\xa0", " ")
    text = HOLLOW.sub("", re.sub(r"'{2,}", "", text))
    lines = (" ".join(line.split()) for line in text.split("\n"))
    return [
        line
        for line in lines
        if not line.startswith(MARKS) and len(line.split()) >= MIN_WORDS
    ]


def _until_none(pattern: re.Pattern[str], new: object, text: str) -> str:
    count = 1
    while count:
        text, count = pattern.subn(new, text)  # type: ignore[call-overload]
    return text


def _link_text(match: re.Match[str]) -> str:
    """What a reader sees of a link: nothing of pictures, categories and languages."""
    target, _, shown = match[1].rpartition("|")
    is_shown = ":" not in (target or shown).split(" ")[0]
    return shown if is_shown else ""


def main() -> None:
    """Write both files."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("output", type=Path, help="folder to write")
    parser.add_argument("--dump", type=Path, help="pages-articles.xml.bz2")
    parser.add_argument("--dev-every", type=int, default=20, help="share of dev.txt")
    arguments = parser.parse_args()
    dump = arguments.dump or find_excerpt()
    if not dump.is_file():
        raise SystemExit(f"No dump {dump}.")
    arguments.output.mkdir(parents=True, exist_ok=True)
    n_articles = n_words = 0
    paths = [arguments.output / name for name in ("train.txt", "dev.txt")]
    with (
        paths[0].open("w", encoding="utf8", newline="\n") as train,
        paths[1].open("w", encoding="utf8", newline="\n") as dev,
    ):
        for wikitext in read_articles(dump):
            paragraphs = plain_paragraphs(wikitext)
            if not paragraphs:
                continue
            n_articles += 1
            n_words += sum(len(paragraph.split()) for paragraph in paragraphs)
            file = train if n_articles % arguments.dev_every else dev
            file.write("\n".join(paragraphs) + "\n\n")
    print(f"{arguments.output}: {n_articles:,} articles, {n_words:,} words")


if __name__ == "__main__":
    main()
