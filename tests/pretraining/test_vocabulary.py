"""The target vocabulary: built, written, read, checked."""

from pathlib import Path

import pytest

from spacy_elmo.pretraining.vocabulary import (
    TargetVocabulary,
    build_vocabulary,
    read_vocabulary,
)

SENTENCES = [["b", "a", "b"], ["c", "b", "a"], ["x" * 49]]


def test_words_come_by_falling_frequency_after_the_specials():
    vocabulary, _ = build_vocabulary(SENTENCES)
    assert vocabulary.words == ["<S>", "</S>", "<UNK>", "b", "a", "c", "x" * 49]
    assert vocabulary.counts == [3, 3, 0, 3, 2, 1, 1]


@pytest.mark.parametrize(
    "options, words",
    [
        ({"max_size": 5}, ["b", "a"]),
        ({"max_size": 4}, ["b"]),
        ({"min_count": 3}, ["b"]),
    ],
)
def test_limits_leave_out_rare_words(options: dict[str, int], words: list[str]):
    vocabulary, _ = build_vocabulary(SENTENCES, **options)
    assert vocabulary.words[3:] == words


def test_the_report_says_what_is_left_out():
    _, report = build_vocabulary(SENTENCES, max_size=5)
    assert (report.tokens, report.types, report.kept) == (7, 4, 2)
    assert report.oov_rate == pytest.approx(2 / 7)
    assert report.long_types == pytest.approx(1 / 4)
    assert report.long_tokens == pytest.approx(1 / 7)


def test_the_character_limit_counts_bytes():
    _, report = build_vocabulary([["é" * 24, "é" * 25]])
    assert report.long_types == 0.5


def test_specials_in_the_text_are_not_counted_as_words():
    vocabulary, _ = build_vocabulary([["<UNK>", "a", "<S>"]])
    assert vocabulary.words == ["<S>", "</S>", "<UNK>", "a"]


def test_what_cannot_stand_on_a_line_is_left_out(tmp_path: Path):
    """Tokens of JSONL can be anything."""
    words = ["a", "", "b\n", "c\tc", "\ud800", "\r"]
    vocabulary, report = build_vocabulary([words])
    vocabulary.write(tmp_path / "vocab.txt")
    assert read_vocabulary(tmp_path / "vocab.txt").words[3:] == ["a"]
    assert report.oov_rate == pytest.approx(5 / 6)


def test_unknown_words_have_the_id_of_unk():
    vocabulary, _ = build_vocabulary(SENTENCES, max_size=5)
    assert vocabulary.ids(["a", "zzz", "<S>", "b"]).tolist() == [4, 2, 0, 3]


@pytest.mark.parametrize("with_counts", [True, False])
def test_a_file_reads_back(tmp_path: Path, with_counts: bool):
    built, _ = build_vocabulary([["a", "a", "\u2028b", "c\x85", "\ufeffd"]])
    vocabulary = built if with_counts else TargetVocabulary(built.words)
    vocabulary.write(tmp_path / "vocab.txt")
    read = read_vocabulary(tmp_path / "vocab.txt")
    assert (read.words, read.counts) == (vocabulary.words, vocabulary.counts)


def test_a_byte_order_mark_and_returns_are_no_part_of_the_words(tmp_path: Path):
    text = "\ufeff<S>\r\n</S>\r\n<UNK>\r\nthe\r\n"
    (tmp_path / "vocab.txt").write_bytes(text.encode("utf8"))
    words = read_vocabulary(tmp_path / "vocab.txt").words
    assert words == ["<S>", "</S>", "<UNK>", "the"]


@pytest.mark.parametrize(
    "text, problem",
    [
        ("<S>\n</S>\nthe\n", "first three lines"),
        ("the\n<S>\n</S>\n<UNK>\n", "first three lines"),
        ("<S>\n</S>\n<UNK>\nthe\na\nthe\n", "line 6: 'the' is already on line 4"),
        ("<S>\n</S>\n<UNK>\n\nthe\n", "line 4: '' is not a word"),
        ("<S>\t1\n</S>\t1\n<UNK>\t0\na\t2\nb\t3\n", "line 5: 'b' has the count 3"),
        ("<S>\t1\n</S>\t1\n<UNK>\t0\na\n", "line 4: expected a word, a tab"),
    ],
)
def test_a_wrong_file_is_refused(tmp_path: Path, text: str, problem: str):
    path = tmp_path / "vocab.txt"
    path.write_text(text, encoding="utf8")
    with pytest.raises(ValueError, match=problem):
        read_vocabulary(path)


def test_a_missing_file_is_named(tmp_path: Path):
    with pytest.raises(FileNotFoundError, match="spacy elmo vocab"):
        read_vocabulary(tmp_path / "no.txt")


def test_an_empty_text_has_no_vocabulary():
    with pytest.raises(ValueError, match="text is empty"):
        build_vocabulary([])
