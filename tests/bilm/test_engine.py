"""The engine: the layers of `BiLM.forward` and of the first implementations, fast."""

import threading
from typing import Any

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose

from spacy_elmo.bilm import BiLM, BiLMConfig, low_precision, packing, stack
from spacy_elmo.bilm import engine as engine_module
from spacy_elmo.bilm import product as product_module
from spacy_elmo.bilm.engine import STEP_ROWS, Engine
from spacy_elmo.bilm.lstm import ProjectedLSTM
from spacy_elmo.bilm.product import Precision
from spacy_elmo.bilm.stack import BLOCK_ROWS, FusedLayer, Layer
from spacy_elmo.bilm.word_vectors import BLOCK_SIZE, WordVectors
from tests.golden_elmo import MODELS, SENTENCES, GoldenModel
from tests.util import count_calls

from .test_token_encoder import CHARACTERS, INPUTS, TINY, UNICODE_WORDS, WORDS

INTEGERS = pytest.mark.skipif(
    not low_precision.multiplies_integers(), reason="no instructions for 8-bit integers"
)
ODD = [
    ["a", "é" * 40, "", " ", "\ud800", "<S>", "</S>", "x" * 60, "日本語"],
    [],
    ["cat"],
    ["a", "cat", "dog", "b" * 43, "b" * 44, "b" * 47, "b" * 48, "b" * 49],
    ["cat"],
]


@pytest.fixture(params=[True, False], ids=["packed", "plain"], autouse=True)
def packs(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Everything holds with weights laid out by oneDNN and without."""
    if request.param and not packing.can_pack(torch.ones(1, 1)):
        pytest.skip("this torch has no oneDNN")
    if not request.param:
        for module in (product_module, low_precision):
            monkeypatch.setattr(module, "can_pack", lambda weight: False)
    return bool(request.param)


def make_bilm(name: str = "bytes", **changes: Any) -> BiLM:
    torch.manual_seed(0)
    bilm = BiLM(BiLMConfig(**{**TINY, **INPUTS[name], **changes}))
    if "unicode" in name:
        bilm.set_vocabulary(UNICODE_WORDS, CHARACTERS)
    else:
        bilm.set_vocabulary(WORDS)
    return bilm


def expected_layers(
    bilm: BiLM, sentences: list[list[str]], layers: list[int]
) -> torch.Tensor:
    batch = bilm.collate(sentences)
    with torch.no_grad():
        Y, _ = bilm(batch)
    rows: torch.Tensor = Y[layers][:, torch.from_numpy(batch.inner)]
    return rows


@pytest.mark.parametrize("name", MODELS)
def test_a_batch_is_as_the_first_implementations_have_it(name: str) -> None:
    model = GoldenModel(name)
    expected = model.expected["batch_layers"]
    layers = Engine(model.bilm()).layers(SENTENCES, range(len(expected))).numpy()
    ends = np.cumsum([len(sentence) for sentence in SENTENCES])
    for i, (sentence, end) in enumerate(zip(SENTENCES, ends)):
        start = end - len(sentence)
        first = int(model.has_boundaries)
        theirs = expected[:, i, first : first + len(sentence)]
        assert_allclose(layers[:, start:end], theirs, rtol=0, atol=model.tolerance)


@pytest.mark.parametrize("name", INPUTS)
@pytest.mark.parametrize("layers", [[0, 1, 2], [0], [2], [0, 2]], ids=str)
def test_layers_are_those_of_the_bilm(name: str, layers: list[int]) -> None:
    bilm = make_bilm(name)
    ours = Engine(bilm).layers(ODD, layers)
    torch.testing.assert_close(
        ours, expected_layers(bilm, ODD, layers), rtol=1e-5, atol=1e-6
    )


@pytest.mark.parametrize(
    "sizes",
    [
        {"activation": "tanh"},
        {"n_highway": 0},
        {"n_highway": 2, "max_characters": 7},
        {"cell_dim": 4},
        {"cell_clip": 0.1, "projection_clip": 0.05},
        {"skip_connections": False, "n_layers": 3},
        {"forget_bias": 0.0},
        {"filters": ((50, 3), (7, 4), (1, 2))},
    ],
    ids=str,
)
def test_every_size_is_as_in_the_bilm(sizes: dict[str, Any]) -> None:
    bilm = make_bilm(**sizes)
    with torch.no_grad():
        for parameter in bilm.parameters():
            parameter += torch.randn_like(parameter)
    layers = list(range(bilm.config.n_layers + 1))
    # Such weights amplify rounding; in float64 nothing else is left to differ.
    for dtype, tolerance in ((torch.float32, 1e-3), (torch.float64, 1e-10)):
        bilm = bilm.to(dtype)
        ours = Engine(bilm).layers(ODD, layers)
        theirs = expected_layers(bilm, ODD, layers)
        torch.testing.assert_close(ours, theirs, rtol=0, atol=tolerance)


def test_no_sentence_and_empty_sentences_give_no_rows() -> None:
    engine = Engine(make_bilm())
    texts: list[list[list[str]]] = [[], [[]], [[], []]]
    for sentences in texts:
        assert engine.layers(sentences, [0, 1, 2]).shape == (3, 0, 8)


def test_equal_sentences_get_equal_rows() -> None:
    layers = Engine(make_bilm()).layers([["cat", "dog"], ["a"], ["cat", "dog"]], [2])
    assert torch.equal(layers[:, :2], layers[:, 3:])


@pytest.mark.parametrize("kept_words", [0, 1, 2, 5, 20_000])
def test_kept_words_change_no_bit_whatever_came_before(kept_words: int) -> None:
    bilm = make_bilm(projection_dim=6)
    engine, fresh = Engine(bilm, kept_words=kept_words), Engine(bilm, kept_words=0)
    texts = [[list(f"abcdefgh{i}")] for i in range(5)]
    for sentences in [*texts, ODD, *texts[::-1]]:
        expected = fresh.layers(sentences, [0, 1, 2])
        assert torch.equal(engine.layers(sentences, [0, 1, 2]), expected)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("alike", [True, False])
def test_a_word_has_the_same_bits_in_any_company(
    name: str, alike: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where a small block rounds otherwise, none is used."""
    if not alike:
        monkeypatch.setattr(WordVectors, "_rounds_alike", lambda *_: False)
    model = GoldenModel(name)
    words = sorted({word for sentence in SENTENCES for word in sentence})
    engine = Engine(model.bilm(), kept_words=0)
    alone = torch.cat([engine.layers([[word]], [0]) for word in words], dim=1)
    for company in (words, words[::-1], words[7:] + words[:7]):
        together = engine.layers([company], [0])[0]
        found = dict(zip(company, together, strict=True))
        assert all(torch.equal(found[w], x) for w, x in zip(words, alone[0]))


@pytest.mark.parametrize("name", INPUTS)
@pytest.mark.parametrize("n_words", [2, BLOCK_SIZE + 1])
def test_widths_that_fit_no_register_are_rounded_alike(name: str, n_words: int) -> None:
    vectors = WordVectors(make_bilm(name).token_encoder, capacity=0)
    with torch.no_grad():
        (alone,) = vectors(["cat"])
        assert all(torch.equal(row, alone) for row in vectors(["cat"] * n_words))


@pytest.mark.parametrize("n, expected", [(1, 1), (15, 15), (17, 18), (33, 36)])
def test_rows_are_rounded_up_to_eight_numbers_a_doubling(n: int, expected: int) -> None:
    assert packing.round_rows(n) == expected


def test_memory_grew_with_every_new_number_of_rows() -> None:
    """oneDNN keeps a compiled kernel for each."""
    counts = {packing.round_rows(n) for n in range(1, 1 + BLOCK_ROWS)}
    assert counts >= {STEP_ROWS, BLOCK_ROWS}
    assert len(counts) == 48


def test_more_sentences_than_are_read_together() -> None:
    words = [["a", "cat"], ["dog"], [], ["a", "dog", "cat", "x"]]
    texts = [[*words[i % 4], str(i)] for i in range(2 * STEP_ROWS + 3)]
    bilm = make_bilm()
    ours = Engine(bilm).layers(texts, [0, 1, 2])
    theirs = expected_layers(bilm, texts, [0, 1, 2])
    torch.testing.assert_close(ours, theirs, rtol=1e-5, atol=1e-6)


def test_large_directions_go_one_after_the_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    together = Engine(make_bilm())
    monkeypatch.setattr(engine_module, "SMALL_WEIGHT", 0)
    apart = Engine(make_bilm())
    for engine, runs in ((together, 2), (apart, 4)):
        with count_calls(Layer, "run") as calls:
            layers = engine.layers(SENTENCES, [0, 1, 2])
        assert len(calls) == runs
        theirs = expected_layers(make_bilm(), SENTENCES, [0, 1, 2])
        torch.testing.assert_close(layers, theirs, rtol=1e-5, atol=1e-6)


def test_a_call_leaves_no_trace() -> None:
    """The cell changes in place, from a start that all calls share."""
    engine = Engine(make_bilm())
    first = engine.layers([["cat", "dog"]], [0, 1, 2])
    engine.layers(ODD, [0, 1, 2])
    assert torch.equal(engine.layers([["cat", "dog"]], [0, 1, 2]), first)


def test_batchings_agree() -> None:
    engine = Engine(make_bilm())
    together = engine.layers(SENTENCES, [0, 1, 2])
    alone = [engine.layers([sentence], [0, 1, 2]) for sentence in SENTENCES]
    torch.testing.assert_close(together, torch.cat(alone, dim=1), rtol=0, atol=1e-5)


@pytest.mark.parametrize(
    "precision, tolerance",
    [("bfloat16", 0.02), pytest.param("int8", 0.04, marks=INTEGERS)],
)
@pytest.mark.parametrize("name", ["relu_hw2", "cnn2048_div32"])
def test_low_precision_is_near(
    name: str, precision: Precision, tolerance: float
) -> None:
    bilm = GoldenModel(name).bilm()
    exact = Engine(bilm).layers(SENTENCES, [0, 1, 2])
    near = Engine(bilm, precision=precision).layers(SENTENCES, [0, 1, 2])
    assert near.dtype == torch.float32
    assert not torch.equal(near, exact)
    error = (near - exact).norm(dim=2) / exact.norm(dim=2)
    assert error.mean() < tolerance


@pytest.mark.parametrize(
    "precision", ["float32", "bfloat16", pytest.param("int8", marks=INTEGERS)]
)
def test_batch_mates_change_no_bit(precision: Precision) -> None:
    """torch's dynamic quantization scales a batch by its largest value."""
    bilm = make_bilm(cell_dim=32, projection_dim=16)
    with torch.no_grad():  # a letter whose vector is far larger than all others
        bilm.token_encoder.embedding.weight[ord("Z") + 1] *= 1000
    engine = Engine(bilm, kept_words=0, precision=precision)
    mates = (["so", "what"], ["ZZ", "ZZZZ"])
    plain, loud = (
        engine.layers([["a", "cat"], mate], [0, 1, 2])[:, :2] for mate in mates
    )
    assert torch.equal(plain, loud)


@pytest.mark.parametrize(
    "precision, device, dtype, problem",
    [
        ("float16", "cpu", torch.float32, "float32, bfloat16, int8; found 'float16'"),
        ("int8", "cuda", torch.float32, "needs a CPU"),
        ("bfloat16", "cpu", torch.float64, "a biLM of torch.float32, found torch.fl"),
    ],
)
def test_a_precision_that_there_is_not(
    precision: str, device: str, dtype: torch.dtype, problem: str
) -> None:
    with pytest.raises(ValueError, match=problem):
        product_module.check_precision(precision, torch.device(device), dtype)


@pytest.mark.parametrize("layers", [[], [-1], [0, 3]], ids=str)
def test_layers_that_there_are_not(layers: list[int]) -> None:
    with pytest.raises(ValueError, match="expected one or more of 0 to 2, found"):
        Engine(make_bilm()).layers([["cat"]], layers)


def test_an_engine_made_in_inference_mode_works_outside_of_it() -> None:
    bilm = make_bilm()
    with torch.inference_mode():
        engine = Engine(bilm)
        engine.layers([["cat"]], [0])
    found = engine.layers([["dog"]], [0])
    assert torch.equal(found, Engine(bilm).layers([["dog"]], [0]))


def test_threads_do_not_disturb_each_other() -> None:
    engine = Engine(make_bilm(), kept_words=30)
    expected = [engine.layers([sentence], [0, 1, 2]) for sentence in SENTENCES]
    wrong: list[int] = []

    def read(seed: int) -> None:
        for i in np.random.default_rng(seed).permutation(len(SENTENCES)):
            if not torch.equal(engine.layers([SENTENCES[i]], [0, 1, 2]), expected[i]):
                wrong.append(int(i))

    threads = [threading.Thread(target=read, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_a_flat_list_of_words_is_refused() -> None:
    with pytest.raises(TypeError, match="sentence 0 as a list of tokens"):
        Engine(make_bilm()).layers(["cat", "dog"], [0])


@pytest.mark.filterwarnings("ignore:LSTM with projections")
@pytest.mark.parametrize(
    "sizes", [{}, {"cell_dim": 4}, {"skip_connections": False, "n_layers": 3}], ids=str
)
def test_layers_fused_for_a_gpu_are_those_of_the_bilm(
    sizes: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stack, "can_fuse", lambda lstm: True)
    bilm = make_bilm(**sizes)
    with count_calls(FusedLayer, "run") as calls:
        engine = Engine(bilm)
        layers = list(range(bilm.config.n_layers + 1))
        for sentences in (ODD, SENTENCES, [["cat"]]):
            ours = engine.layers(sentences, layers)
            theirs = expected_layers(bilm, sentences, layers)
            torch.testing.assert_close(ours, theirs, rtol=1e-5, atol=1e-6)
    assert calls


@pytest.mark.parametrize(
    "clips", [{}, {"cell_clip": 3.0}, {"projection_clip": 3.0}], ids=str
)
def test_only_what_is_not_clipped_is_fused(
    clips: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    lstm = make_bilm(**clips).forward_lstm.layers[0]
    assert isinstance(lstm, ProjectedLSTM)
    assert not stack.can_fuse(lstm)  # it is on no GPU
    monkeypatch.setattr(torch.Tensor, "is_cuda", True)
    assert not stack.can_fuse(lstm)  # as long as cuDNN may round
    monkeypatch.setattr(torch.backends.cudnn, "allow_tf32", False)
    assert stack.can_fuse(lstm) == (not clips)
