"""What a pretraining config decides, validated before any text is read."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from ..bilm import BiLMConfig

SECTION = "pretraining_elmo"


class Settings(BaseModel):
    """A block of the config. An unknown setting is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class CorpusSettings(Settings):
    """[pretraining_elmo.corpus]

    train, dev (List[str]): Paths, globs, or "-" for the standard input; one may stand
        without brackets. Without a dev text there is no evaluation.
    tokenized (bool): Lines of text are sentences with spaces between tokens.
    pool_tokens (int): Tokens that are shuffled together.
    """

    train: list[str]
    dev: list[str] = []
    tokenized: bool = False
    pool_tokens: int = Field(default=500_000, ge=1)

    @field_validator("train", "dev", mode="before")
    @classmethod
    def _as_list(cls, value: Any) -> Any:
        if value is None:
            return []
        return [value] if isinstance(value, str) else value


class VocabularySettings(Settings):
    """[pretraining_elmo.vocabulary]

    path (Optional[str]): A file of `spacy elmo vocab`. Null counts the training text
        first, with the other two settings.
    max_size (Optional[int]): Words to keep at most, the three specials included.
    min_count (int): Words seen less often are left out.
    """

    path: str | None = None
    max_size: int | None = Field(default=None, ge=4)
    min_count: int = Field(default=1, ge=1)


class SentenceBatches(Settings):
    """kind = "sentences": every sentence alone, as in prediction.

    batch_tokens (int): Predictions a direction in a batch, over all processes.
    """

    kind: Literal["sentences"]
    batch_tokens: int = Field(default=2560, ge=1)


class WindowBatches(Settings):
    """kind = "windows": the state goes on from window to window, as bilm-tf trained.

    n_streams (int): Lines of text side by side. unroll (int): Words of a window.
    """

    kind: Literal["windows"]
    n_streams: int = Field(default=128, ge=1)
    unroll: int = Field(default=20, ge=1)


class FullSoftmax(Settings):
    """kind = "full": train on the whole distribution.

    tied (bool): Its weights are the word table that the biLM reads, which has to be as
        wide as projection_dim.
    """

    kind: Literal["full"]
    tied: bool = False


class SampledSoftmax(Settings):
    """kind = "sampled": train on sampled words; evaluation is of the whole.

    n_samples (int): Words drawn for each batch; the softmax is full from as many on as
        the vocabulary has. tied (bool): As with the full softmax.
    """

    kind: Literal["sampled"]
    tied: bool = False
    n_samples: int = Field(default=8192, ge=1)


class AdaptiveSoftmax(Settings):
    """kind = "adaptive": clusters by frequency (Grave et al. 2017).

    cutoffs (List[int]): Where the clusters of rarer words begin, rising.
    div_value (float): How much narrower each cluster is than the one before.
    """

    kind: Literal["adaptive"]
    cutoffs: list[int]
    div_value: float = Field(default=4.0, gt=0)


class Adam(Settings):
    """kind = "adam": a linear warm-up, then a cosine to zero, or a constant rate."""

    kind: Literal["adam"]
    learn_rate: float = Field(default=2e-3, gt=0)
    beta1: float = Field(default=0.9, ge=0, lt=1)
    beta2: float = Field(default=0.999, ge=0, lt=1)
    eps: float = Field(default=1e-8, gt=0)
    warmup_steps: int = Field(default=0, ge=0)
    schedule: Literal["cosine", "constant"] = "cosine"
    grad_clip: float | None = Field(default=10.0, gt=0)


class Adagrad(Settings):
    """kind = "adagrad": as bilm-tf, whose defaults these are.

    loss_scale (float): The gradient is that of the mean loss times this; bilm-tf takes
        its unroll_steps. Clipping comes after.
    """

    kind: Literal["adagrad"]
    learn_rate: float = Field(default=0.2, gt=0)
    initial_accumulator: float = Field(default=1.0, ge=0)
    loss_scale: float = Field(default=20.0, gt=0)
    grad_clip: float | None = Field(default=10.0, gt=0)


class EvaluationSettings(Settings):
    """[pretraining_elmo.evaluation]

    every_steps (int): Steps between evaluations; one more comes at the end.
    batch_tokens (int): Predictions scored together; changes no figure.
    """

    every_steps: int = Field(default=1000, ge=1)
    batch_tokens: int = Field(default=2048, ge=1)


class CheckpointSettings(Settings):
    """[pretraining_elmo.checkpoints]

    every_steps (int): Steps between checkpoints. keep (int): How many to keep.
    """

    every_steps: int = Field(default=1000, ge=1)
    keep: int = Field(default=2, ge=1)


class PretrainingSettings(Settings):
    """[pretraining_elmo]

    seed (int): Decides initial weights, order, dropout and samples.
    max_epochs (Optional[int]): Times to read the text. max_steps (Optional[int]):
        Batches to train on. Whichever comes first ends the training.
    dropout (float): At each layer's input and at the top output.
    log_every_steps (int): Steps that a line of metrics.jsonl sums up.
    device (str): "cpu", "cuda", or "cuda:1" and so on.
    precision (str): "bfloat16" computes products in 16 bits; weights, sums and
        evaluations stay in "float32". "float16" does on a GPU, not the softmax's.
    tensorboard (Optional[str]): A folder for TensorBoard's files.
    initial_weights (Optional[str]): A folder of weights to go on from, or "bundled" for
        those that come with the package. The model block must agree or be left out.
    """

    seed: int = Field(default=0, ge=0)
    max_epochs: int | None = Field(default=1, ge=1)
    max_steps: int | None = Field(default=None, ge=1)
    dropout: float = Field(default=0.1, ge=0, lt=1)
    log_every_steps: int = Field(default=100, ge=1)
    device: str = "cpu"
    precision: Literal["float32", "bfloat16", "float16"] = "float32"
    tensorboard: str | None = None
    initial_weights: str | None = None
    corpus: CorpusSettings
    vocabulary: VocabularySettings = VocabularySettings()
    model: dict[str, Any] = {}
    batches: Annotated[SentenceBatches | WindowBatches, Field(discriminator="kind")]
    softmax: Annotated[
        FullSoftmax | SampledSoftmax | AdaptiveSoftmax, Field(discriminator="kind")
    ]
    optimizer: Annotated[Adam | Adagrad, Field(discriminator="kind")]
    evaluation: EvaluationSettings = EvaluationSettings()
    checkpoints: CheckpointSettings = CheckpointSettings()

    def bilm(self, n_words: int) -> BiLMConfig:
        """The network's sizes.

        n_words (int): Target words. A biLM that reads words has a row for each.
        RAISES (ValueError): Names the size.
        """
        sizes = dict(self.model)
        if sizes.get("word_dim") or sizes.get("characters") == "none":
            sizes.setdefault("n_words", n_words)
        try:
            config = BiLMConfig(**sizes)
        except (TypeError, ValueError) as error:
            raise ValueError(f"[{SECTION}.model]: {error}") from error
        if config.characters == "unicode":
            raise ValueError(
                f"[{SECTION}.model]: characters: a new biLM reads 'bytes', or 'none' "
                "with a word table; found 'unicode'."
            )
        return config
