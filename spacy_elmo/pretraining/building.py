"""The model that a training starts with: new, or going on from weights."""

from pathlib import Path
from typing import Any, NamedTuple

import torch

from ..bilm import BiLM, Weights
from ..weights.detect import read_weights
from ..weights.loaders import folder_of
from .config import check_tied
from .corpus import Corpus
from .folder import VOCABULARY_NAME, read_softmax
from .initialise import initialise
from .language_model import LanguageModel
from .reports import Observer
from .settings import (
    SECTION,
    AdaptiveSoftmax,
    PretrainingSettings,
    SampledSoftmax,
)
from .softmax import AdaptiveSoftmax as AdaptiveModule
from .softmax import LinearSoftmax
from .stream import derive_seed
from .vocabulary import TargetVocabulary, build_vocabulary, read_vocabulary


class Initial(NamedTuple):
    """Weights to go on from.

    folder (Path): Where they lie, perhaps with a vocabulary and a softmax.
    weights (Weights): The biLM.
    """

    folder: Path
    weights: Weights

    @property
    def vocabulary(self) -> TargetVocabulary | None:
        """The words of their softmax, if they came with any."""
        path = self.folder / VOCABULARY_NAME
        return read_vocabulary(path) if path.is_file() else None


def read_initial(settings: PretrainingSettings, observer: Observer) -> Initial | None:
    """Read `initial_weights`.

    RAISES (FileNotFoundError, ValueError): Says what is wrong with the folder, or lists
        the sizes that the config has otherwise.
    """
    name = settings.initial_weights
    if name is None:
        return None
    folder = folder_of(name)
    weights = read_weights(folder)
    config = weights.config
    differences = settings.bilm(config.n_words).differences(config)
    if settings.model and differences:
        raise ValueError(
            f"[{SECTION}.model] does not fit initial_weights (config, weights): "
            f"{'; '.join(differences)}. Write the weights' sizes, or leave the block "
            "out."
        )
    observer.note(f"The biLM goes on from {weights.source}.")
    return Initial(folder, weights)


def make_vocabulary(
    settings: PretrainingSettings,
    corpus: Corpus,
    initial: Initial | None,
    observer: Observer,
) -> TargetVocabulary:
    """The target words: of a file, of the initial weights, or of the text."""
    if settings.vocabulary.path is not None:
        return read_vocabulary(settings.vocabulary.path)
    if initial is not None and initial.vocabulary is not None:
        observer.note("The target words are those of the initial weights.")
        return initial.vocabulary
    observer.note("Counting the words of the training text.")
    vocabulary, report = build_vocabulary(
        corpus.sentences(),
        max_size=settings.vocabulary.max_size,
        min_count=settings.vocabulary.min_count,
    )
    observer.note(
        f"{len(vocabulary)} target words; {report.oov_rate:.2%} of {report.tokens} "
        "tokens are outside."
    )
    return vocabulary


def build_language_model(
    settings: PretrainingSettings,
    initial: Initial | None,
    vocabulary: TargetVocabulary,
    observer: Observer,
) -> LanguageModel:
    """Make the model; the config's seed decides what is drawn."""
    torch.manual_seed(derive_seed(settings.seed))
    if initial is None:
        bilm = BiLM(settings.bilm(len(vocabulary)))
        bilm.set_vocabulary(vocabulary.words)
        initialise(bilm)
    else:
        _check_word_table(initial, vocabulary)
        bilm = initial.weights.to_model()
    softmax = _new_softmax(settings, len(vocabulary), bilm.config.projection_dim)
    if getattr(settings.softmax, "tied", False):
        check_tied(bilm.config)
        softmax.weight = bilm.token_encoder.word_embedding.weight
    if initial is not None:
        observer.note(_take_softmax(softmax, initial, vocabulary))
    return LanguageModel(bilm, softmax, vocabulary)


def _check_word_table(initial: Initial, vocabulary: TargetVocabulary) -> None:
    weights = initial.weights
    if weights.config.n_words and weights.vocabulary != vocabulary.words:
        raise ValueError(
            f"{weights.source} reads words from a table of its own vocabulary and can "
            "only be trained further with that. Leave out vocabulary.path."
        )


def _new_softmax(settings: PretrainingSettings, size: int, width: int) -> Any:
    kind = settings.softmax
    if isinstance(kind, AdaptiveSoftmax):
        return AdaptiveModule(size, width, kind.cutoffs, kind.div_value)
    n_samples = kind.n_samples if isinstance(kind, SampledSoftmax) else None
    return LinearSoftmax(size, width, n_samples)


def _take_softmax(softmax: Any, initial: Initial, vocabulary: TargetVocabulary) -> str:
    """Take over the softmax of the initial weights if it fits; says whether it did."""
    anew = "The softmax starts anew: the initial weights have "
    known = initial.vocabulary
    if known is None or known.words != vocabulary.words:
        return anew + "none for these target words."
    try:
        old: Any = read_softmax(initial.folder, initial.weights.config.projection_dim)
    except FileNotFoundError:
        return anew + "none."
    expected = {name: t.shape for name, t in softmax.state_dict().items()}
    if {name: t.shape for name, t in old.state_dict().items()} != expected:
        return anew + "one of another kind."
    softmax.load_state_dict(old.state_dict())
    return "The softmax goes on from that of the initial weights."
