"""Pools: all of the text, mixed, and from any point again."""

import tracemalloc
from collections import Counter
from pathlib import Path

import pytest
import spacy

from spacy_elmo.pretraining.corpus import Corpus

from .util import make_sentences, write_text


def make_corpus(folder: Path, sizes: list[int], pool_tokens: int) -> Corpus:
    """Files of single-word sentences that say where they come from."""
    files = [
        write_text(folder / f"{i}.txt", [[f"{i}-{j}"] for j in range(size)])
        for i, size in enumerate(sizes)
    ]
    return Corpus(files, spacy.blank("en"), tokenized=True, pool_tokens=pool_tokens)


@pytest.mark.parametrize("seed", [None, 3])
@pytest.mark.parametrize("pool_tokens", [1, 100, 10_000])
def test_every_sentence_comes_once(tmp_path: Path, seed: int | None, pool_tokens: int):
    corpus = make_corpus(tmp_path, [500, 1, 130, 0], pool_tokens)
    found = [w for pool in corpus.pools(seed=seed) for s in pool.sentences for w in s]
    assert Counter(found) == Counter(w for s in corpus.sentences() for w in s)
    assert len(found) == 631


def test_the_last_pool_and_no_other_says_so(tmp_path: Path):
    pools = list(make_corpus(tmp_path, [300, 300], 100).pools())
    assert [pool.is_last for pool in pools] == [False] * (len(pools) - 1) + [True]


def test_pools_say_how_much_is_read(tmp_path: Path):
    reads = [pool.read for pool in make_corpus(tmp_path, [900, 900], 100).pools()]
    assert reads[0][0] == 0 and reads[-1][1] == 1
    assert [end for _, end in reads[:-1]] == [begin for begin, _ in reads[1:]]
    assert all(begin < end for begin, end in reads)


@pytest.mark.parametrize("index", [0, 1, 3, -1])
def test_a_pool_comes_again_from_its_start(tmp_path: Path, index: int):
    corpus = make_corpus(tmp_path, [500, 700, 130], 100)
    pools = list(corpus.pools(seed=1))
    again = list(corpus.pools(seed=1, start=pools[index].start))
    assert again == pools[index:]


def test_many_files_are_read_a_few_at_a_time(tmp_path: Path):
    corpus = make_corpus(tmp_path, [3] * 100, 50)
    pools = list(corpus.pools(seed=1))
    assert sum(len(pool.sentences) for pool in pools) == 300
    assert list(corpus.pools(seed=1, start=pools[2].start)) == pools[2:]


def test_a_pool_is_a_sample_of_all_files(tmp_path: Path):
    corpus = make_corpus(tmp_path, [4000, 1000], 1000)
    first = next(corpus.pools())
    from_second = sum(s[0].startswith("1-") for s in first.sentences)
    assert 0.1 < from_second / len(first.sentences) < 0.3


@pytest.mark.parametrize("tokenized", [True, False])
def test_memory_does_not_grow_with_the_text(tmp_path: Path, tokenized: bool):
    """bilm-tf issues 118, 165: a large file did not fit into 187 GB."""

    def peak(n: int) -> int:
        path = write_text(
            tmp_path / f"{n}.txt", [[f"w{i % 999}", "."] for i in range(n)]
        )
        corpus = Corpus(
            [path], spacy.blank("en"), tokenized=tokenized, pool_tokens=1000
        )
        tracemalloc.start()
        for _ in corpus.pools():
            pass
        _, highest = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return highest

    peak(2000)  # what is imported and cached once
    assert peak(16_000) < 1.5 * peak(2000)


def test_the_seed_decides_the_order_of_files(tmp_path: Path):
    corpus = make_corpus(tmp_path, [2] * 20, 10_000)
    orders = {str(next(corpus.pools(seed=seed)).sentences) for seed in (1, 1, 2)}
    assert len(orders) == 2


def test_a_text_that_got_shorter_is_refused(tmp_path: Path):
    corpus = make_corpus(tmp_path, [500], 100)
    *_, last = corpus.pools()
    write_text(Path(corpus.files[0]), make_sentences(2))
    with pytest.raises(ValueError, match="shorter than when training stopped"):
        list(corpus.pools(start=last.start))
