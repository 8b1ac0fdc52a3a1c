"""The component `elmo`: contextual vectors on Docs, for users and for heads."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from spacy.language import Language
from spacy.pipeline import TrainablePipe
from spacy.tokens import Doc
from spacy.training import Example, validate_examples, validate_get_examples
from spacy.util import SimpleFrozenList
from spacy.vocab import Vocab
from thinc.api import Config, Model, Optimizer, set_dropout_rate

from ..bilm import Weights
from ..layers.encoder import get_settings, get_shim
from ..layers.listener import (
    ElmoListener,
    find_readers,
    link_reader,
    listener_of,
)
from ..layers.mix import Mix, bind_mix
from ..layers.shared_batch import SharedBatch
from ..layers.storage import set_layers, set_vectors
from ..layers.types import LayersList
from .config_of import ConfigOf
from .vectors import install_extension, set_hooks, tensor_is_free

DEFAULT_CONFIG = """
[elmo]
hooks = true

[elmo.model]
@architectures = "spacy-elmo.Elmo.v1"

[elmo.model.context]
@misc = "spacy-elmo.SentenceContext.v1"

[elmo.mix]
@architectures = "spacy-elmo.ScalarMix.v1"
train_weights = false
train_gamma = false
"""


@Language.factory(
    "elmo",
    assigns=["doc._.elmo", "doc.tensor", "token.vector"],
    default_config=Config().from_str(DEFAULT_CONFIG)["elmo"],
)
def make_elmo(
    nlp: Language,
    name: str,
    model: Model[list[Doc], LayersList],
    mix: Mix,
    hooks: bool,
) -> "Elmo":
    """Make the component `elmo`.

    model (Model): The biLM over Docs, `spacy-elmo.Elmo.v1`.
    mix (Mix): Makes `doc.tensor` of the layers; by default their average. It is not
        trained: the heads have mixes of their own.
    hooks (bool): Let vectors and similarity of Docs, spans and tokens answer from
        that mix.
    """
    pipe = Elmo(nlp.vocab, model, name, mix=mix, hooks=hooks)
    pipe.watch_config(nlp)
    return pipe


class Elmo(TrainablePipe):
    """Computes each Doc's layers once, for all components that listen to them.

    It predicts like any component. In training it hands the same batch to every
    listener and learns from the sum of their gradients, unless it is frozen; it has no
    loss of its own.
    """

    def __init__(
        self,
        vocab: Vocab,
        model: Model[list[Doc], LayersList],
        name: str = "elmo",
        *,
        mix: Mix,
        hooks: bool = True,
    ) -> None:
        self.vocab = vocab
        self.model = model
        self.name = name
        self.mix = mix
        self.hooks = hooks
        self.cfg: dict[str, Any] = {}
        self.listener_map: dict[str, list[ElmoListener]] = {}
        self._batch: SharedBatch | None = None
        self._config = ConfigOf()
        bind_mix(mix, self.layers, self.width)
        mix.initialize()
        install_extension()

    @property
    def layers(self) -> tuple[int, ...]:
        """The numbers of the layers it computes; 0 is the token layer."""
        return get_settings(self.model).layers

    @property
    def width(self) -> int:
        """The width of each layer."""
        return self.model.get_dim("nO")

    @property
    def frozen(self) -> bool:
        """Whether training leaves the biLM as it is."""
        return get_settings(self.model).frozen

    @property
    def provenance(self) -> dict[str, Any]:
        """Where the weights come from; empty while none are set."""
        return get_shim(self.model).cfg.get("provenance", {})

    # ---- Prediction ----------------------------------------------------------------

    def predict(self, docs: Iterable[Doc]) -> LayersList:
        """Compute the layers of Docs without changing them.

        RETURNS (LayersList): (n_layers, n_tokens, width) float32 for each Doc. Rows of
            whitespace tokens are zero.
        """
        self.check_loader()
        return self.model.predict(list(docs))

    def set_annotations(self, docs: Sequence[Doc], outputs: LayersList) -> None:
        """Keep the layers on the Docs, and their mix.

        The mix is `doc.tensor` too, unless another component has set that.
        """
        vectors = self.mix.predict(outputs)
        for doc, layers, tensor in zip(docs, outputs, vectors, strict=True):
            set_layers(doc, self.name, layers)
            if tensor_is_free(doc):
                doc.tensor = tensor
            set_vectors(doc, tensor)
            if self.hooks:
                set_hooks(doc)

    # ---- Training ------------------------------------------------------------------

    def initialize(
        self,
        get_examples: Callable[[], Iterable[Example]],
        *,
        nlp: Language | None = None,
        loader: Callable[[], Weights] | None = None,
    ) -> None:
        """Load the weights: the loader's, those already set, or the bundled ones.

        loader (Optional[Callable[[], Weights]]): From the config block
            [initialize.components.elmo.loader].
        RAISES (ValueError): The weights do not fit the sizes in the config.
        """
        validate_get_examples(get_examples, "Elmo.initialize")
        if loader is not None:
            self.set_weights(loader())
        elif nlp is not None and _weights_come_later(nlp, self.name):
            return
        self.model.initialize()

    def set_weights(self, weights: Weights) -> None:
        """Take over weights of the sizes in the config.

        RAISES (ValueError): Lists the sizes that differ.
        """
        get_shim(self.model).set_weights(weights)

    def update(
        self,
        examples: Iterable[Example],
        *,
        drop: float = 0.0,
        sgd: Optimizer | None = None,
        losses: dict[str, float] | None = None,
    ) -> dict[str, float]:
        """Compute a training batch and hand it to the listeners.

        The biLM learns when they have reported their gradients; its "loss" is their
        sum of squares, as for spaCy's tok2vec.
        """
        losses = {} if losses is None else losses
        losses.setdefault(self.name, 0.0)
        examples = list(examples)
        validate_examples(examples, "Elmo.update")
        self.check_loader()
        self._finish_batch()
        docs = [example.predicted for example in examples]
        set_dropout_rate(self.model, drop)
        outputs, backprop = self.model.begin_update(docs)

        def learn(d_outputs: LayersList) -> None:
            if not self.frozen:
                losses[self.name] += sum(float((d * d).sum()) for d in d_outputs)
                backprop(d_outputs)
            if sgd is not None:
                self.finish_update(sgd)

        self._batch = SharedBatch(
            docs,
            outputs,
            learn,
            upstream_name=self.name,
            listener_ids=[listener.id for listener in self.listeners],
        )
        for listener in self.listeners:
            listener.receive(self._batch, docs)
        return losses

    def finish_update(self, sgd: Optimizer) -> None:
        """Apply the gradients, also those of a batch that some heads never reported."""
        if self._batch is not None and self._batch.has_gradients:
            self._finish_batch()
        if not self.frozen:
            self.model.finish_update(sgd)

    def get_loss(self, examples: Iterable[Example], scores: Any) -> None:
        """There is no loss of its own."""

    def add_label(self, label: str) -> int:
        """There are no labels."""
        raise NotImplementedError

    def _finish_batch(self) -> None:
        batch, self._batch = self._batch, None
        if batch is not None:
            batch.finish()

    # ---- Listeners -----------------------------------------------------------------

    @property
    def listeners(self) -> list[ElmoListener]:
        """The nodes that listen to this component."""
        return [node for nodes in self.listener_map.values() for node in nodes]

    @property
    def listening_components(self) -> list[str]:
        """The names of the components that listen to this one."""
        return list(self.listener_map)

    def add_listener(self, listener: ElmoListener, component_name: str) -> None:
        """Add a node of a component, once."""
        nodes = self.listener_map.setdefault(component_name, [])
        if listener not in nodes:
            nodes.append(listener)

    def remove_listener(self, listener: ElmoListener, component_name: str) -> bool:
        """Remove a node; whether it was there."""
        nodes = self.listener_map.get(component_name, [])
        if listener not in nodes:
            return False
        # A new list, because spaCy removes while it iterates over the old one.
        self.listener_map[component_name] = [n for n in nodes if n is not listener]
        if not self.listener_map[component_name]:
            del self.listener_map[component_name]
        return True

    def find_listeners(self, component: Any) -> None:
        """Find the nodes of a component that listen here, and tell them the shapes.

        RAISES (ValueError): A node was made for other shapes.
        """
        model = getattr(component, "model", None)
        if not isinstance(model, Model):
            return
        for reader in find_readers(model, self.name):
            link_reader(
                reader,
                self.layers,
                self.width,
                head=component.name,
                upstream=self.name,
            )
            self.add_listener(listener_of(reader), component.name)
        for node in model.walk():
            if "bind_width" in node.attrs:
                node.attrs["bind_width"](node)

    # ---- Saving --------------------------------------------------------------------

    def to_bytes(self, *, exclude: Iterable[str] = SimpleFrozenList()) -> bytes:
        """Serialize the component, its weights included."""
        self.check_loader()
        return super().to_bytes(exclude=exclude)

    def to_disk(
        self, path: Any, *, exclude: Iterable[str] = SimpleFrozenList()
    ) -> None:
        """Write the component, its weights included: no other file is needed."""
        self.check_loader()
        super().to_disk(path, exclude=exclude)

    def watch_config(self, nlp: Language) -> None:
        """Remember the pipeline whose config may name a loader for this component."""
        self._config = ConfigOf(nlp)

    def check_loader(self) -> None:
        """Refuse to fall back on the bundled weights where others were asked for.

        RAISES (ValueError): The config names a loader that was never called.
        """
        if get_shim(self.model).has_weights:
            return
        if self._config.loader_of(self.name) is not None:
            raise ValueError(
                f"[initialize.components.{self.name}.loader] names weights that were "
                "never loaded. Call nlp.initialize(). In training, take "
                f"{self.name!r} out of [training] frozen_components, which keeps it "
                "from being initialized: `frozen = true` in "
                f"[components.{self.name}.model] keeps its weights as they are."
            )


def _weights_come_later(nlp: Language, name: str) -> bool:
    """Whether spaCy puts a file's weights in when all components are initialized."""
    component = nlp.config.get("pretraining", {}).get("component")
    return bool(nlp.config["initialize"]["init_tok2vec"]) and component == name
