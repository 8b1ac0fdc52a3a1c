"""Every registered builder, with its settings as a config names them.

No logic lives here: each function hands its settings to the room that builds.
Models and mixes stand in config blocks as `@architectures = "spacy-elmo.<Name>.v1"`,
contexts as `@misc = "spacy-elmo.<Name>.v1"`; the loaders of weights, also `@misc`, are
in `weights/loaders.py`.
"""

from typing import Literal

from thinc.api import Model

from .bilm import BiLMConfig, Loader
from .layers.cache import LayerCache
from .layers.context import Context, DocumentContext, SentenceContext, WindowContext
from .layers.encoder import build_encoder
from .layers.enhanced import build_enhanced_tok2vec
from .layers.fine_tuning import FineTuning
from .layers.listener import build_reader
from .layers.mix import Mix
from .layers.scalar_mix import ScalarMixSettings, build_scalar_mix
from .layers.select_layers import Selection, build_select_layers
from .layers.standalone import (
    build_standalone,
    replace_listener,
    replace_listener_cfg,
)
from .layers.types import Docs, LayersList, VectorsList

DEFAULT_FILTERS = [list(pair) for pair in BiLMConfig.filters]

# ---- Models ------------------------------------------------------------------------


def build_elmo_v1(
    *,
    context: Context | None = None,
    layers: list[int] | None = None,
    frozen: bool = True,
    learn_rate_scale: float = 1.0,
    unfreeze_every: int = 0,
    batch_words: int = 4096,
    word_cache: int = 20_000,
    precision: Literal["float32", "bfloat16", "int8"] = "float32",
    cache: LayerCache | None = None,
    char_dim: int = 16,
    filters: list[list[int]] = DEFAULT_FILTERS,
    activation: str = "relu",
    n_highway: int = 1,
    max_characters: int = 50,
    n_layers: int = 2,
    cell_dim: int = 704,
    projection_dim: int = 128,
    cell_clip: float | None = None,
    projection_clip: float | None = None,
    skip_connections: bool = True,
    forget_bias: float = 1.0,
    characters: Literal["bytes", "unicode", "none"] = "bytes",
    n_characters: int = 262,
    n_words: int = 0,
    word_dim: int = 0,
    always_project: bool = False,
) -> Model[Docs, LayersList]:
    """spacy-elmo.Elmo.v1: a biLM over Docs. The sizes are those of the bundled weights.

    context (Optional[Context]): Which tokens the biLM reads together:
        `SentenceContext.v1`, which null stands for, `DocumentContext.v1` or
        `WindowContext.v1`.
    layers (Optional[List[int]]): The layers to compute and keep; 0 is the token layer,
        the last is n_layers. Null keeps all.
    frozen (bool): Never change the biLM. False fine-tunes it with the heads.
    learn_rate_scale (float): The biLM's step, as a share of the heads'.
    unfreeze_every (int): Updates after which the next layer starts to learn, from the
        top biLSTM layer down to the token encoder. 0 lets all learn at once.
    batch_words (int): Words the biLM reads at once, whatever the batch; it bounds the
        memory, save that a longer stretch is read alone.
    word_cache (int): Words whose token vectors are kept from batch to batch, at 4 bytes
        times projection_dim each; 0 for none. It changes no bit of any vector.
    precision (str): What prediction multiplies in. "float32" is exact; "bfloat16" and
        "int8" are faster where the processor has instructions for them, and near.
        Training is always in float32, and so are saved weights: a trained pipeline can
        be loaded with another precision.
    cache (Optional[LayerCache]): Keeps the layers of training documents, so that later
        epochs cost no biLM: `LayerCache.v1`. Only for a frozen one, and for what the
        component does in `update`.
    The other settings are sizes: see `BiLMConfig`. `n_words` and the rest of the token
    input are for weights of words or of Unicode characters.
    RAISES (ValueError): Names the setting, what was found and what is expected.
    """
    sizes = BiLMConfig(
        char_dim=char_dim,
        filters=filters,  # type: ignore[arg-type]  # a config has lists alone
        activation=activation,
        n_highway=n_highway,
        max_characters=max_characters,
        n_layers=n_layers,
        cell_dim=cell_dim,
        projection_dim=projection_dim,
        cell_clip=cell_clip,
        projection_clip=projection_clip,
        skip_connections=skip_connections,
        forget_bias=forget_bias,
        characters=characters,
        n_characters=n_characters,
        n_words=n_words,
        word_dim=word_dim,
        always_project=always_project,
    )
    return build_encoder(
        sizes,
        context=context or SentenceContext(),
        layers=layers,
        frozen=frozen,
        batch_words=batch_words,
        word_cache=word_cache,
        precision=precision,
        cache=cache,
        fine_tuning=FineTuning(learn_rate_scale, unfreeze_every),
        callbacks={
            "replace_listener": replace_listener,
            "replace_listener_cfg": replace_listener_cfg,
        },
    )


def build_elmo_listener_v1(
    *, mix: Mix, upstream: str = "elmo"
) -> Model[Docs, VectorsList]:
    """spacy-elmo.ElmoListener.v1: a head's view of a shared `elmo` component.

    mix (Mix): How this head makes one vector of the layers; its own weights.
    upstream (str): The name of the component; "*" for the only one.
    """
    return build_reader(upstream, mix)


def build_elmo_tok2vec_v1(
    *,
    elmo: Model[Docs, LayersList],
    mix: Mix,
    loader: Loader | None = None,
) -> Model[Docs, VectorsList]:
    """spacy-elmo.ElmoTok2Vec.v1: a biLM of the head's own, no shared component.

    elmo (Model): The biLM, `Elmo.v1`.
    mix (Mix): How the head makes one vector of the layers.
    loader (Optional[Loader]): Called when the head is initialized, never when it is
        loaded. Null takes the bundled weights, if the sizes match.
    """
    return build_standalone(elmo, mix, loader)


def build_enhanced_tok2vec_v1(
    *,
    encode: Model[VectorsList, VectorsList],
    embed: Model[Docs, VectorsList] | None = None,
    elmo_input: Model[Docs, VectorsList] | None = None,
    elmo_output: Model[Docs, VectorsList] | None = None,
) -> Model[Docs, VectorsList]:
    """spacy-elmo.EnhancedTok2Vec.v1: a head's own encoder with ELMo on either side.

    encode (Model): The encoder, such as `spacy.MaxoutWindowEncoder.v2`.
    embed (Optional[Model]): The head's own embeddings x, such as
        `spacy.MultiHashEmbed.v2`; static vectors are an option of that.
    elmo_input (Optional[Model]): The encoder reads [x; ELMo]: an `ElmoListener.v1` or
        an `ElmoTok2Vec.v1`.
    elmo_output (Optional[Model]): The head reads [h; ELMo]: the same, with a mix of
        its own.
    RAISES (ValueError): There is no ELMo, or nothing for the encoder to read.
    """
    return build_enhanced_tok2vec(
        embed=embed, encode=encode, elmo_input=elmo_input, elmo_output=elmo_output
    )


# ---- Mixes -------------------------------------------------------------------------


def build_scalar_mix_v1(
    *,
    weights: list[float] | None = None,
    train_weights: bool = True,
    gamma: float = 1.0,
    train_gamma: bool = True,
    layer_norm: Literal["none", "token"] = "none",
    dropout: float = 0.0,
    layer_dropout: float = 0.0,
    l2: float = 0.0,
) -> Mix:
    """spacy-elmo.ScalarMix.v1: gamma times the weighted sum of the layers.

    weights (Optional[List[float]]): The effective weights to start from, after the
        softmax: 0 or more, summing to 1. Null starts from the average.
    train_weights, train_gamma (bool): Whether the head learns them.
    gamma (float): The scale to start from.
    layer_norm (str): "token" normalizes each token's vector of each layer first.
    dropout (float): On the mixed vectors, in training alone. [training] dropout does
        not change it.
    layer_dropout (float): Chance of a layer to be left out of a training batch's mix.
    l2 (float): Pull of the weights towards the average (the paper's λ).
    RAISES (ValueError): Names the setting, what was found and what is expected.
    """
    return build_scalar_mix(
        ScalarMixSettings(
            weights=weights,
            train_weights=train_weights,
            gamma=gamma,
            train_gamma=train_gamma,
            layer_norm=layer_norm,
            dropout=dropout,
            layer_dropout=layer_dropout,
            l2=l2,
        )
    )


def build_select_layers_v1(
    *,
    layers: list[int] | None = None,
    combine: Literal["concatenate", "average"] = "concatenate",
) -> Mix:
    """spacy-elmo.SelectLayers.v1: chosen layers, side by side or averaged.

    layers (Optional[List[int]]): Their numbers; 0 is the token layer, -1 the last one
        kept. [-1] gives the top layer, null takes all.
    combine (str): "concatenate" or "average".
    """
    return build_select_layers(Selection(layers=layers, combine=combine))


# ---- Contexts and cache -----------------------------------------------------------


def build_sentence_context_v1() -> Context:
    """spacy-elmo.SentenceContext.v1: a word sees its sentence (the default)."""
    return SentenceContext()


def build_document_context_v1() -> Context:
    """spacy-elmo.DocumentContext.v1: a word sees its whole Doc."""
    return DocumentContext()


def build_window_context_v1(*, size: int = 512, overlap: int = 64) -> Context:
    """spacy-elmo.WindowContext.v1: a word sees a window of `size` tokens.

    overlap (int): Tokens at each inner edge of a window that serve as context only.
    """
    return WindowContext(size=size, overlap=overlap)


def build_layer_cache_v1(
    *, max_megabytes: float = 1024, path: str | None = None
) -> LayerCache:
    """spacy-elmo.LayerCache.v1: keeps the layers of training documents.

    max_megabytes (float): Bound on what is kept; a token costs 4 bytes times the layers
        times their width.
    path (Optional[str]): A file that keeps them from run to run; null for memory.
    """
    return LayerCache(max_megabytes, path)
