"""Documents to vectors, many at a time: the engine behind every runner."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from spacy.attrs import IS_SPACE
from spacy.language import Language
from spacy.tokens import Doc

from ..layers.context import SentenceContext
from .layer_choice import choose_layers, find_origin
from .options import BY_FREQUENCY, Options
from .pooling import Floats, WordWeights, pool, read_word_weights
from .records import Content, Tokens

#: Tokens whose vectors are in memory at once; a longer document is alone.
CHUNK_TOKENS = 16_384
#: Words after which the tokenizer forgets those it has met.
MEMORY_WORDS = 200_000

Spans = list[tuple[int, int]]


class Embedding(NamedTuple):
    """A document's vectors.

    vectors (NDArray): (n, K, width) float32: n tokens or sentences, or 1; K choices of
        layers.
    texts (List[str]): The n texts they are of; empty if texts are not kept.
    n_words (int): Tokens that are not whitespace.
    """

    vectors: Floats
    texts: list[str]
    n_words: int


class WordMemory:
    """What spaCy stores of the words it meets, so that it is freed again.

    It lies in a memory zone, which frees all that was made in it when it ends.

    n_words (int): Words read since.
    """

    def __init__(self, nlp: Language) -> None:
        self._nlp = nlp
        self._zone = ExitStack()
        self._is_kept = False
        self.n_words = 0

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Keep it from call to call, until it is much or the context ends."""
        self._is_kept = True
        try:
            yield
        finally:
            self._is_kept = False
            self._free()

    @contextmanager
    def in_use(self) -> Iterator[None]:
        """Have a zone around a call; the caller's own if there is one."""
        if self.n_words >= MEMORY_WORDS:
            self._free()
        if not self._nlp.vocab.in_memory_zone:  # type: ignore[attr-defined]
            self._zone.enter_context(self._nlp.memory_zone())
        try:
            yield
        finally:
            if not self._is_kept:
                self._free()

    def _free(self) -> None:
        self._zone.close()
        self.n_words = 0


class Embedder:
    """Makes vectors of documents, as a pipeline reads them.

    Equal documents are computed once a call. No component after the ELMo component
    runs, and those before it do, for the sentences that they may set.

    nlp (Language): A pipeline with an ELMo component.
    options (Options): What is chosen of layers, head, level, pooling and texts.
    RAISES (ValueError): They do not fit the pipeline.
    """

    def __init__(self, nlp: Language, options: Options | None = None) -> None:
        options = options or Options()
        origin = find_origin(nlp, options.head)
        self.nlp = nlp
        self.choice = choose_layers(origin, options.layers)
        self._level = options.level
        self._keep_text = options.keep_text
        self._maximum = options.pooling == "max"
        self._weights: WordWeights | None = None
        if options.pooling in BY_FREQUENCY:
            assert options.frequencies is not None
            self._weights = read_word_weights(options.frequencies, options.pooling)
        names = list(nlp.pipe_names)
        self._before = names[: names.index(origin.name)] if origin.name in names else []
        self._after = [name for name in names if name not in self._before]
        self.memory = WordMemory(nlp)

    def identity(self) -> dict[str, Any]:
        """RETURNS (Dict[str, Any]): Equal where the vectors are. JSON-ready."""
        pipeline = {"lang": self.nlp.lang, "components": self._before}
        return {**self.choice.identity(), **pipeline}

    def vectors(self, contents: Sequence[Content]) -> Floats:
        """The vectors of a few documents, such as queries; not for level "token".

        RETURNS (NDArray): (n, width), or (n, K, width) for several choices of layers.
        RAISES (ValueError): A text is too long for the pipeline.
        """
        found = self(contents)
        problems = [entry for entry in found if isinstance(entry, str)]
        if problems:
            raise ValueError(problems[0])
        rows = [entry.vectors[0] for entry in found if isinstance(entry, Embedding)]
        shape = (len(rows), len(self.choice.names), self.choice.width)
        vectors = np.asarray(rows, dtype=np.float32).reshape(shape)
        return vectors if shape[1] > 1 else vectors[:, 0]

    def __call__(self, contents: Sequence[Content]) -> list[Embedding | str]:
        """RETURNS (List[Union[Embedding, str]]): For each, or what is wrong with it."""
        distinct = list(dict.fromkeys(contents))
        with self.memory.in_use():
            found = dict(zip(distinct, self._embed(distinct), strict=True))
        return [found[content] for content in contents]

    def _embed(self, contents: list[Content]) -> list[Embedding | str]:
        """The vectors of distinct documents."""
        results: list[Embedding | str] = [
            self._problem(content) for content in contents
        ]
        places = [i for i, problem in enumerate(results) if not problem]
        docs = self._annotate([self._to_doc(contents[i]) for i in places])
        for chunk in _chunks(docs):
            computed = self._compute([docs[i] for i in chunk])
            for i, embedding in zip(chunk, computed, strict=True):
                results[places[i]] = embedding
        self.memory.n_words += sum(len(doc) for doc in docs)
        return results

    def _problem(self, content: Content) -> str:
        """Why a document cannot be read, or ""."""
        n, limit = len(content), self.nlp.max_length
        if isinstance(content, Tokens) or n <= limit:
            return ""
        return f"{n:,} characters; the pipeline's max_length is {limit:,}"

    def _to_doc(self, content: Content) -> Doc:
        if isinstance(content, Tokens):
            return content.to_doc(self.nlp.vocab)
        return self.nlp.make_doc(content)

    def _annotate(self, docs: list[Doc]) -> list[Doc]:
        """Run the components before ELMo's. RAISES (ValueError): They drop Docs."""
        if not self._before:
            return docs
        found = list(self.nlp.pipe(docs, disable=self._after))
        if len(found) < len(docs):
            raise ValueError(
                f"Of {len(docs)} documents the components {self._before} passed on "
                f"{len(found)}. Does the pipeline's error handler ignore errors?"
            )
        return found

    def _compute(self, docs: list[Doc]) -> Iterator[Embedding]:
        vectors = self.choice.vectors(docs)  # (N, K, width)
        is_word = np.concatenate([doc.to_array(IS_SPACE) == 0 for doc in docs])
        parts = self._parts(docs)
        ends = np.cumsum([len(doc) for doc in docs]).tolist()
        if self._level != "token":
            starts = [end - len(doc) for doc, end in zip(docs, ends)]
            spans = [(i + at, j + at) for at, p in zip(starts, parts) for i, j in p]
            weights = self._token_weights(docs, is_word)
            vectors = pool(vectors, spans, weights, maximum=self._maximum)
            ends = np.cumsum([len(p) for p in parts]).tolist()
        n_words = [int(n) for n in self._count(docs, is_word)]
        start = 0
        for doc, part, end, n in zip(docs, parts, ends, n_words):
            # A copy, so that no document keeps its batch mates alive.
            yield Embedding(vectors[start:end].copy(), self._texts(doc, part), n)
            start = end

    def _parts(self, docs: list[Doc]) -> list[Spans]:
        """What of each Doc gets a vector."""
        if self._level == "sentence":
            contexts = SentenceContext()(docs)
            return [[(s.start, s.end) for s in c if s.end > s.start] for c in contexts]
        return [[(0, len(doc))] for doc in docs]

    def _count(self, docs: list[Doc], is_word: NDArray[np.bool_]) -> NDArray[np.int64]:
        """The words of each Doc."""
        total = np.concatenate([[0], np.cumsum(is_word)])
        ends = np.cumsum([len(doc) for doc in docs])
        counts: NDArray[np.int64] = np.diff(total[np.concatenate([[0], ends])])
        return counts

    def _texts(self, doc: Doc, parts: Spans) -> list[str]:
        if not self._keep_text:
            return []
        if self._level == "token":
            return [token.text for token in doc]
        if self._level == "doc":
            return [doc.text]
        return [doc[start:end].text for start, end in parts]

    def _token_weights(
        self, docs: list[Doc], is_word: NDArray[np.bool_]
    ) -> NDArray[np.float32]:
        if self._weights is None:
            return is_word.astype(np.float32)
        weights = [self._weights(token.text) for doc in docs for token in doc]
        return np.asarray(weights, dtype=np.float32) * is_word


def _chunks(docs: list[Doc]) -> Iterator[list[int]]:
    """Numbers of Docs of similar lengths, so many that their vectors fit in memory."""
    lengths = [len(doc) for doc in docs]
    chunk: list[int] = []
    n_tokens = 0
    for i in sorted(range(len(docs)), key=lengths.__getitem__, reverse=True):
        if chunk and n_tokens + lengths[i] > CHUNK_TOKENS:
            yield chunk
            chunk, n_tokens = [], 0
        chunk.append(i)
        n_tokens += lengths[i]
    if chunk:
        yield chunk
