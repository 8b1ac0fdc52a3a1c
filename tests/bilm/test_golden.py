"""Equal to AllenNLP and bilm-tf: layers, states, stateful batches, mixes, gradients."""

from functools import cache

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose

from spacy_elmo.bilm import BiLM, BiLMState, SentenceBatch
from spacy_elmo.bilm.mix import batch_layer_norm, mix_layers
from spacy_elmo.weights.allennlp_layout import from_datasets
from tests.golden_elmo import MODELS, SENTENCES, STATEFUL_BATCHES, GoldenModel

SCALARS = [0.3, -0.5, 1.2, 0.1]
GAMMA = 1.7

#: The state in the files that is the one after batch j. "stateful_0" was taken as a
#: view that the next call wrote over, so it holds the state after batch 1.
STATE_AFTER = {1: 0, 3: 3}

#: Times a gradient's largest absolute value. In `clip` the files themselves are 1.2e-5
#: away from the gradients in float64.
GRADIENT_TOLERANCES = {"relu_hw2": 1e-5, "clip": 2e-5}


@cache
def golden(name: str) -> GoldenModel:
    return GoldenModel(name)


def having(*keys: str) -> list[tuple[str, str]]:
    """The models whose files hold a key, with that key."""
    found = []
    for name in MODELS:
        with np.load(golden(name).folder / "expected.npz") as arrays:
            found += [(name, key) for key in keys if key in arrays.files]
    return found


@pytest.fixture(params=MODELS)
def model(request: pytest.FixtureRequest) -> GoldenModel:
    return golden(request.param)


def run(
    bilm: BiLM, sentences: list[list[str]], state: BiLMState | None = None
) -> tuple[SentenceBatch, torch.Tensor, BiLMState]:
    batch = bilm.collate(sentences)
    with torch.no_grad():
        layers, end = bilm(batch, state=state)
    return batch, layers, end


def by_sentence(batch: SentenceBatch, rows: torch.Tensor) -> list[np.ndarray]:
    """Cut (..., N, D) into sentences."""
    return [part.numpy() for part in rows.split(batch.lengths.tolist(), dim=-2)]


def test_all_twelve_models_are_here() -> None:
    assert len(MODELS) == 12
    assert len(having("mix_ln0")) == 12
    assert len(having("batch_state_h")) == 8


def test_single_sentences(model: GoldenModel) -> None:
    bilm = model.bilm()
    names = [key for key in model.expected if key.startswith("single_")]
    assert len(names) >= 9
    for key in names:
        _, layers, _ = run(bilm, [SENTENCES[int(key.removeprefix("single_"))]])
        ours = model.rows(layers.numpy())
        assert ours.shape == model.expected[key].shape
        assert_allclose(ours, model.expected[key], rtol=0, atol=model.tolerance)


def test_batch(model: GoldenModel) -> None:
    batch, layers, _ = run(model.bilm(), SENTENCES)
    expected = model.expected["batch_layers"]
    for i, ours in enumerate(by_sentence(batch, layers)):
        ours = model.rows(ours)
        theirs = expected[:, i, : ours.shape[1]]
        assert_allclose(ours, theirs, rtol=0, atol=model.tolerance)


@pytest.mark.parametrize("name, key", having("batch_state_h"))
def test_final_states(name: str, key: str) -> None:
    model = golden(name)
    _, _, state = run(model.bilm(), SENTENCES)
    for i, name in enumerate(("batch_state_h", "batch_state_c")):
        theirs = model.expected[name]
        assert_allclose(joined(state, i), theirs, rtol=0, atol=model.tolerance)


def test_stateful_batches(model: GoldenModel) -> None:
    """Row k of a batch goes on from row k's last state, as in AllenNLP."""
    bilm, kept = model.bilm(), None
    for j, indices in enumerate(STATEFUL_BATCHES):
        if f"stateful_{j}" not in model.expected:
            break
        sentences = [SENTENCES[i] for i in indices]
        kept = grown(kept, bilm, len(sentences))
        start = first_rows(kept, len(sentences))
        batch, layers, end = run(bilm, sentences, start)
        kept = overwritten(kept, end)
        expected = model.expected[f"stateful_{j}"]
        for i, ours in enumerate(by_sentence(batch, layers)):
            ours = model.rows(ours)
            theirs = expected[:, i, : ours.shape[1]]
            assert_allclose(ours, theirs, rtol=0, atol=model.tolerance)
        for i, name in enumerate(("h", "c")):
            theirs = model.expected.get(f"stateful_{STATE_AFTER.get(j)}_state_{name}")
            if theirs is not None:
                assert_allclose(joined(kept, i), theirs, rtol=0, atol=model.tolerance)
    assert j >= 1


@pytest.mark.parametrize(
    "name, key", having("mix_ln0", "mix_ln1", "mix_ln1_keep", "bilm_mix_ln1")
)
def test_mixes(name: str, key: str) -> None:
    model = golden(name)
    batch, layers, _ = run(model.bilm(), SENTENCES)
    keep = key == "mix_ln1_keep"
    inner = torch.from_numpy(batch.inner)
    if key == "bilm_mix_ln1":
        layers[:, inner] = batch_layer_norm(layers[:, inner], epsilon=1e-12)
    elif key != "mix_ln0":
        layers = batch_layer_norm(layers)
    mixed = mix_layers(layers, SCALARS[: len(layers)], GAMMA)
    for i, ours in enumerate(by_sentence(batch, mixed)):
        ours = ours if keep else ours[1:-1]
        theirs = model.expected[key][i, : len(ours)]
        assert_allclose(ours, theirs, rtol=0, atol=model.tolerance)


@pytest.mark.parametrize("name", GRADIENT_TOLERANCES)
def test_gradients(name: str) -> None:
    model = golden(name)
    bilm, expected = model.bilm(), model.expected
    batch = bilm.collate([SENTENCES[i] for i in (0, 1, 2, 7, 13)])
    scalars = torch.tensor(SCALARS[:3], requires_grad=True)
    gamma = torch.tensor([GAMMA], requires_grad=True)
    layers, _ = bilm(batch)
    weights = torch.softmax(scalars, dim=0)
    mixed = gamma * torch.einsum("l,lnd->nd", weights, layers)
    lengths = batch.lengths - 2
    size = (len(lengths), int(lengths.max()), mixed.shape[1])
    R = np.random.RandomState(99).standard_normal(size).astype("f")
    wanted = torch.from_numpy(np.concatenate([R[i, :n] for i, n in enumerate(lengths)]))
    loss = (mixed[torch.from_numpy(batch.inner)] * wanted).sum()
    loss.backward()
    tolerance = GRADIENT_TOLERANCES[name]
    assert_allclose(loss.item(), expected["grad/loss"], rtol=1e-5)
    close(gamma.grad, expected["grad/gamma"], tolerance)
    close(scalars.grad, expected["grad/scalar_parameters"], tolerance)
    for key, parameter in bilm.named_parameters():
        close(parameter.grad, converted(model, key), tolerance)


def converted(model: GoldenModel, parameter: str) -> np.ndarray:
    """The expected gradient of one of our parameters."""
    gradients = {
        name.removeprefix("grad/"): torch.from_numpy(array)
        for name, array in model.expected.items()
        if name.startswith("grad/")
    }
    return from_datasets(gradients, model.weights.config)[parameter].numpy()


def close(ours: torch.Tensor | None, theirs: np.ndarray, tolerance: float) -> None:
    assert ours is not None
    largest = float(np.abs(theirs).max())
    assert_allclose(ours.numpy(), theirs, rtol=0, atol=tolerance * largest)


def joined(state: BiLMState, which: int) -> np.ndarray:
    """Both directions side by side: (L, S, 2 D). 0 is the output h, 1 the cell c."""
    pairs = zip(*state)
    return np.stack([torch.cat([f[which], b[which]], 1).numpy() for f, b in pairs])


def grown(kept: BiLMState | None, bilm: BiLM, n_rows: int) -> BiLMState:
    """A kept state of at least `n_rows` rows; new rows are zero."""
    config = bilm.config
    widths = (config.projection_dim, config.cell_dim)
    result = []
    for direction in range(2):
        layers = []
        for k in range(config.n_layers):
            old = (
                kept[direction][k] if kept else tuple(torch.zeros(0, w) for w in widths)
            )
            layers.append(
                tuple(
                    torch.cat([s, s.new_zeros(max(0, n_rows - len(s)), s.shape[1])])
                    for s in old
                )
            )
        result.append(layers)
    return result[0], result[1]  # type: ignore[return-value]


def first_rows(state: BiLMState, n_rows: int) -> BiLMState:
    cut = [[(h[:n_rows], c[:n_rows]) for h, c in layers] for layers in state]
    return cut[0], cut[1]


def overwritten(kept: BiLMState, end: BiLMState) -> BiLMState:
    """The rows of a batch replaced by where it ended, the others as they were."""
    result = [
        [
            tuple(torch.cat([new, old[len(new) :]]) for old, new in zip(k, e))
            for k, e in zip(kept_layers, end_layers)
        ]
        for kept_layers, end_layers in zip(kept, end)
    ]
    return result[0], result[1]  # type: ignore[return-value]
