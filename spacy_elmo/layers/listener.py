"""What a head reads: the layers that an `elmo` component computed once for all heads.

In training the component hands each head the same `SharedBatch`. In prediction, and in
training where the component is frozen and annotates, the layers are on the Docs.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from spacy.tokens import Doc
from thinc.api import Model, chain

from .mix import Mix, bind_mix
from .shared_batch import SharedBatch
from .storage import get_layers, stored_names
from .types import Docs, Layers, LayersList, VectorsList

ANY_UPSTREAM = "*"


class ListenerState:
    """What a listener holds for a while. It is never copied, pickled or saved.

    batch (Optional[SharedBatch]): The training batch it received.
    sample (Optional[Docs]): The Docs it is being initialized with.
    """

    def __init__(self) -> None:
        self.batch: SharedBatch | None = None
        self.sample: Docs | None = None

    def __reduce__(self) -> tuple[type, tuple]:
        return ListenerState, ()


class ElmoListener(Model[Docs, LayersList]):
    """Stands at the input of a head for the component it listens to."""

    def __init__(self, upstream_name: str) -> None:
        super().__init__("elmo-listener", forward, init=init, dims={"nO": None})
        self.upstream_name = upstream_name
        self.head = "a component"
        self.sender = upstream_name
        self.layers_sent: tuple[int, ...] = ()
        self.state = ListenerState()

    def receive(self, batch: SharedBatch, docs: Docs) -> None:
        """Take a training batch of these documents.

        RAISES (ValueError): The upstream is "*", and another component has sent the
            same documents.
        """
        other = self.state.batch
        if other is not None and other.matches(docs):
            names = [other.upstream_name, batch.upstream_name]
            if names[0] != names[1]:
                raise ValueError(_ambiguous(self, names))
        self.state.batch, self.state.sample = batch, None


def build_reader(upstream_name: str, mix: Mix) -> Model[Docs, VectorsList]:
    """Build listener >> mix, one vector a token.

    upstream_name (str): The component to listen to, or "*" for the only one.
    """
    listener = ElmoListener(upstream_name)
    reader: Model[Docs, VectorsList] = chain(listener, mix)
    reader.set_ref("elmo", listener)
    reader.set_ref("mix", mix)
    return reader


def find_readers(model: Model, upstream_name: str) -> list[Model[Docs, VectorsList]]:
    """The readers inside a head's model that listen to a component."""
    names = (ANY_UPSTREAM, upstream_name)
    return [
        node
        for node in model.walk()
        if node.has_ref("elmo")
        and isinstance(source := node.get_ref("elmo"), ElmoListener)
        and source.upstream_name in names
    ]


class MixInUse(NamedTuple):
    """A mix inside a head's model.

    source (Model[Docs, LayersList]): What gives it the layers.
    mix (Mix): The mix.
    place (str): "elmo_input" or "elmo_output" beside an encoder, else "".
    """

    source: Model[Docs, LayersList]
    mix: Mix
    place: str


def mixes_of(model: Any) -> list[MixInUse]:
    """The mixes inside a head's model."""
    nodes = list(model.walk()) if isinstance(model, Model) else []
    places = {
        node.get_ref(name).id: name
        for node in nodes
        for name in ("elmo_input", "elmo_output")
        if node.has_ref(name)
    }
    return [
        MixInUse(node.get_ref("elmo"), node.get_ref("mix"), places.get(node.id, ""))
        for node in nodes
        if node.has_ref("elmo") and node.has_ref("mix")
    ]


def listener_of(reader: Model[Docs, VectorsList]) -> ElmoListener:
    """The listener of a reader."""
    listener = reader.get_ref("elmo")
    assert isinstance(listener, ElmoListener)
    return listener


def link_reader(
    reader: Model[Docs, VectorsList],
    layers: Sequence[int],
    width: int,
    *,
    head: str,
    upstream: str,
) -> None:
    """Tell a reader what its component sends, so that shapes are known early.

    layers (Sequence[int]), width (int): The numbers of the layers, and their width.
    head (str), upstream (str): The names of the two components.
    RAISES (ValueError): The head was made for something else; names both.
    """
    listener, mix = listener_of(reader), reader.get_ref("mix")
    if listener.has_dim("nO") and listener.get_dim("nO") != width:
        raise ValueError(
            f"{head!r} was made for ELMo layers of width {listener.get_dim('nO')}, "
            f"but {upstream!r} sends width {width}. Use the component it was trained "
            "with, or train it again; `upstream` of its ElmoListener names one."
        )
    try:
        bind_mix(mix, layers, width)
    except ValueError as error:
        raise ValueError(f"[components.{head}.model]: {error}") from error
    listener.head, listener.sender = repr(head), upstream
    listener.layers_sent = tuple(layers)
    listener.state.sample = None  # spaCy links again when it has initialized.
    listener.set_dim("nO", width)
    reader.set_dim("nO", mix.get_dim("nO"))


def init(
    model: ElmoListener, X: Docs | None = None, Y: LayersList | None = None
) -> None:
    """Remember the sample: these Docs have no layers yet, only their shape matters."""
    if not model.has_dim("nO"):
        raise ValueError(_not_found(model))
    model.state.sample = X


def forward(
    model: ElmoListener, docs: Docs, is_train: bool
) -> tuple[LayersList, Callable[[LayersList], Docs]]:
    batch = model.state.batch
    if is_train and batch is not None and batch.matches(docs):

        def backprop(d_outputs: LayersList) -> Docs:
            batch.report(model.id, d_outputs)
            return []

        return batch.outputs, backprop
    if not model.layers_sent or not model.has_dim("nO"):
        raise ValueError(_not_found(model))
    is_sample = _same_docs(model.state.sample, docs)
    return [_read(model, doc, is_sample) for doc in docs], _no_gradient


def _read(model: ElmoListener, doc: Doc, is_sample: bool) -> Layers:
    shape = (len(model.layers_sent), len(doc), model.get_dim("nO"))
    layers = get_layers(doc, _upstream_on(model, doc))
    if layers is None:
        if is_sample or not len(doc):
            return model.ops.xp.zeros(shape, dtype="f")
        raise ValueError(_not_found(model))
    if layers.shape != shape:
        raise ValueError(
            f"{model.head} expects (layers, tokens, width) {shape}, but the Doc "
            f"holds {layers.shape}. Run this pipeline's own ELMo component on it."
        )
    return layers


def _upstream_on(model: ElmoListener, doc: Doc) -> str:
    if model.upstream_name != ANY_UPSTREAM:
        return model.upstream_name
    names = stored_names(doc)
    if len(names) > 1:
        raise ValueError(_ambiguous(model, names))
    return names[0] if names else ANY_UPSTREAM


def _same_docs(sample: Docs | None, docs: Docs) -> bool:
    if sample is None or len(sample) != len(docs):
        return False
    return all(ours is theirs for ours, theirs in zip(sample, docs))


def _no_gradient(d_outputs: LayersList) -> Docs:
    return []


def _not_found(model: ElmoListener) -> str:
    name = model.upstream_name
    return (
        f"{model.head} listens to the ELMo component {name!r}, which has not seen "
        "these documents. Is it in the pipeline under this name, before the "
        "components that listen to it, and enabled? In training, list it in [training] "
        "annotating_components if it is in frozen_components. The name is set by "
        "`upstream` in the block of the ElmoListener."
    )


def _ambiguous(model: ElmoListener, names: Sequence[str]) -> str:
    return (
        f"{model.head} listens to '*', but several ELMo components have seen these "
        f"documents: {list(names)}. Set `upstream` in the block of its ElmoListener to "
        "one of them."
    )
