"""A whole training: what it writes, when it stops, what it goes on from."""

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest
import srsly
import torch

from spacy_elmo.pretraining.folder import read_language_model, write_language_model
from spacy_elmo.pretraining.session import pretrain
from spacy_elmo.pretraining.trainer import NonFiniteLossError
from spacy_elmo.weights.detect import read_weights

from .util import Recorder, make_config, make_model, make_sentences, write_text

ADAGRAD = {"kind": "adagrad", "loss_scale": 5.0}
WINDOWS = {"kind": "windows", "n_streams": 3, "unroll": 5}
TIED = {"kind": "sampled", "n_samples": 5, "tied": True}
ADAPTIVE = {"kind": "adaptive", "cutoffs": [6]}


@pytest.fixture
def texts(tmp_path: Path) -> tuple[str, str]:
    """A training and a dev text."""
    train = write_text(tmp_path / "train.txt", make_sentences(120))
    return train, write_text(tmp_path / "dev.txt", make_sentences(30, seed=1))


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"softmax": {"kind": "full"}},
        {"softmax": ADAPTIVE},
        {"batches": WINDOWS, "optimizer": ADAGRAD},
        {"model": {"cell_clip": 3.0, "projection_clip": 3.0}},
        {"model": {"characters": "none", "word_dim": 5}},
        {"model": {"characters": "none", "word_dim": 8}, "softmax": TIED},
    ],
    ids=["default", "full", "adaptive", "reference", "clips", "words", "tied"],
)
def test_perplexity_falls(
    tmp_path: Path, texts: tuple[str, str], changes: dict[str, Any]
):
    """A text of one sentence is soon known."""
    write_text(Path(texts[0]), [["the", "cat", "sat", "on", "a", "mat"]] * 60)
    write_text(Path(texts[1]), [["the", "cat", "sat", "on", "a", "mat"]])
    recorder = Recorder()
    config = make_config(*texts, max_epochs=6, dropout=0.0, **changes)
    assert pretrain(config, tmp_path / "out", observer=recorder)
    first, *_, last = [e.average for e in recorder.evaluations]
    assert last < 4 < first


def test_the_folder_holds_what_is_promised(tmp_path: Path, texts: tuple[str, str]):
    pretrain(make_config(*texts), tmp_path / "out")
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names == {
        "checkpoints",
        "config.cfg",
        "metrics.jsonl",
        "model-best",
        "model-last",
        "run.json",
        "vocab.txt",
    }
    weights = read_weights(tmp_path / "out" / "model-last")
    provenance = weights.provenance
    assert provenance["text"] == ["train.txt"]
    assert provenance["pretraining"]["optimizer"]["learn_rate"] == 0.01
    assert str(tmp_path) not in json.dumps(provenance)


def test_the_best_model_is_the_one_with_the_lowest_perplexity(
    tmp_path: Path, texts: tuple[str, str]
):
    recorder = Recorder()
    pretrain(make_config(*texts), tmp_path / "out", observer=recorder)
    assert any("it is no perplexity" in note for note in recorder.notes)
    best = min(e.average for e in recorder.evaluations)
    header = srsly.read_json(tmp_path / "out" / "model-best" / "config.json")
    training = header["provenance"]["training"]
    assert training["evaluation"]["average"] == best


def test_metrics_are_written(tmp_path: Path, texts: tuple[str, str]):
    recorder = Recorder()
    pretrain(make_config(*texts), tmp_path / "out", observer=recorder)
    rows = list(srsly.read_jsonl(tmp_path / "out" / "metrics.jsonl"))
    training = [row for row in rows if row["kind"] == "training"]
    assert [row["step"] for row in training] == [s.step for s in recorder.steps]
    evaluations = [row for row in rows if row["kind"] == "evaluation"]
    assert len(evaluations) == len(recorder.evaluations) > 2


def test_an_epoch_predicts_every_word_once(tmp_path: Path, texts: tuple[str, str]):
    recorder = Recorder()
    pretrain(make_config(texts[0]), tmp_path / "out", observer=recorder)
    expected = 2 * sum(len(sentence) + 1 for sentence in make_sentences(120))
    assert sum(step.n_tokens for step in recorder.steps) == expected
    assert recorder.steps[-1].progress == 1.0


def test_max_steps_ends_the_training(tmp_path: Path, texts: tuple[str, str]):
    recorder = Recorder()
    config = make_config(texts[0], max_epochs=None, max_steps=50)
    pretrain(config, tmp_path / "out", observer=recorder)
    assert recorder.steps[-1].step == 50


def test_a_training_is_not_overwritten(tmp_path: Path, texts: tuple[str, str]):
    config = make_config(texts[0], max_steps=2)
    pretrain(config, tmp_path / "out")
    with pytest.raises(ValueError, match="holds a training already: --resume"):
        pretrain(config, tmp_path / "out")


def test_a_loss_that_is_not_finite_stops(tmp_path: Path, texts: tuple[str, str]):
    optimizer = {"kind": "adam", "learn_rate": 1e38, "grad_clip": None}
    config = make_config(texts[0], optimizer=optimizer, checkpoints={"every_steps": 1})
    with pytest.raises(NonFiniteLossError, match="is the last good checkpoint"):
        pretrain(config, tmp_path / "out")
    newest = sorted((tmp_path / "out" / "checkpoints").glob("*.pt"))[-1]
    state = torch.load(newest, weights_only=True)["model"]
    assert all(tensor.isfinite().all() for tensor in state.values())


def test_a_wish_to_stop_ends_with_a_checkpoint(tmp_path: Path, texts: tuple[str, str]):
    recorder = Recorder()

    def should_stop() -> bool:
        return len(recorder.steps) == 2

    config = make_config(texts[0])
    assert not pretrain(
        config, tmp_path / "out", observer=recorder, should_stop=should_stop
    )
    assert (tmp_path / "out" / "checkpoints" / "step-000000003.pt").is_file()


def test_a_text_without_sentences_is_refused(tmp_path: Path, texts: tuple[str, str]):
    vocabulary = tmp_path / "vocab.txt"
    vocabulary.write_text("<S>\n</S>\n<UNK>\nthe\n")
    Path(texts[0]).write_text("\n\n")
    config = make_config(texts[0], vocabulary={"path": str(vocabulary)})
    with pytest.raises(ValueError, match="No sentences"):
        pretrain(config, tmp_path / "out")


@pytest.mark.parametrize("with_sizes", [True, False])
def test_training_goes_on_from_weights_and_their_softmax(
    tmp_path: Path, texts: tuple[str, str], with_sizes: bool
):
    model = make_model()
    write_language_model(model, tmp_path / "old")
    recorder = Recorder()
    config = make_config(
        *texts, initial_weights=str(tmp_path / "old"), max_steps=1, vocabulary={}
    )
    if not with_sizes:
        del config["pretraining_elmo"]["model"]
    config["pretraining_elmo"]["optimizer"]["learn_rate"] = 1e-20
    pretrain(config, tmp_path / "out", observer=recorder)
    trained = read_language_model(tmp_path / "out" / "model-last")
    for name, tensor in model.state_dict().items():
        assert torch.allclose(trained.state_dict()[name], tensor, atol=1e-15)
    assert "The softmax goes on from that of the initial weights." in recorder.notes


def test_a_new_vocabulary_starts_the_softmax_anew_and_says_so(
    tmp_path: Path, texts: tuple[str, str]
):
    """bilm-tf issue 197: another vocabulary ended in an index error."""
    model = make_model()
    write_language_model(model, tmp_path / "old")
    (tmp_path / "new.txt").write_text("<S>\n</S>\n<UNK>\nthe\na\n")
    recorder = Recorder()
    config = make_config(
        *texts,
        initial_weights=str(tmp_path / "old"),
        max_steps=1,
        vocabulary={"path": str(tmp_path / "new.txt")},
    )
    pretrain(config, tmp_path / "out", observer=recorder)
    trained = read_language_model(tmp_path / "out" / "model-last")
    assert len(trained.vocabulary) == 5
    assert any("The softmax starts anew" in note for note in recorder.notes)


def test_weights_of_other_sizes_are_refused(tmp_path: Path, texts: tuple[str, str]):
    write_language_model(make_model(cell_dim=20), tmp_path / "old")
    config = make_config(texts[0], initial_weights=str(tmp_path / "old"))
    with pytest.raises(ValueError, match="cell_dim: 12, 20"):
        pretrain(config, tmp_path / "out")


def test_a_tied_softmax_stays_one_with_the_word_table(
    tmp_path: Path, texts: tuple[str, str]
):
    model = {"characters": "none", "word_dim": 8}
    config = make_config(*texts, model=model, softmax=TIED)
    pretrain(config, tmp_path / "out")
    trained = read_language_model(tmp_path / "out" / "model-last")
    table = trained.bilm.token_encoder.word_embedding.weight
    assert torch.equal(trained.softmax.weight, table)


def test_a_bilm_of_words_goes_on_with_its_own_words_alone(
    tmp_path: Path, texts: tuple[str, str]
):
    model = {"characters": "none", "word_dim": 8}
    pretrain(make_config(*texts, model=model, max_steps=1), tmp_path / "old")
    old = str(tmp_path / "old" / "model-last")
    config = make_config(*texts, initial_weights=old, max_steps=1)
    del config["pretraining_elmo"]["model"]
    assert pretrain(config, tmp_path / "out")
    (tmp_path / "new.txt").write_text("<S>\n</S>\n<UNK>\nthe\n")
    config["pretraining_elmo"]["vocabulary"]["path"] = str(tmp_path / "new.txt")
    with pytest.raises(ValueError, match="can only be trained further with that"):
        pretrain(config, tmp_path / "new")


@pytest.mark.parametrize("name", ["clip", "relu_hw2"])
def test_training_goes_on_from_allennlp_weights(
    tmp_path: Path, texts: tuple[str, str], name: str
):
    golden = Path(__file__).parent.parent / "golden" / "elmo" / name
    config = make_config(*texts, initial_weights=str(golden), max_steps=3)
    del config["pretraining_elmo"]["model"]
    recorder = Recorder()
    assert pretrain(config, tmp_path / "out", observer=recorder)
    assert any("The softmax starts anew" in note for note in recorder.notes)


def test_the_standard_input_is_trained_on(
    tmp_path: Path, texts: tuple[str, str], monkeypatch: pytest.MonkeyPatch
):
    vocabulary = tmp_path / "vocab.txt"
    vocabulary.write_text("<S>\n</S>\n<UNK>\nthe\n")
    stdin = io.TextIOWrapper(io.BytesIO(Path(texts[0]).read_bytes()))
    monkeypatch.setattr(sys, "stdin", stdin)
    config = make_config(
        "-", max_epochs=1, max_steps=10, vocabulary={"path": str(vocabulary)}
    )
    recorder = Recorder()
    assert pretrain(config, tmp_path / "out", observer=recorder)
    progress = [step.progress for step in recorder.steps]
    assert progress == pytest.approx([i / 10 for i in range(1, 11)])


def test_a_training_from_the_standard_input_is_not_resumed(
    tmp_path: Path, texts: tuple[str, str]
):
    vocabulary = tmp_path / "vocab.txt"
    vocabulary.write_text("<S>\n</S>\n<UNK>\nthe\n")
    config = make_config(
        "-", max_epochs=1, max_steps=3, vocabulary={"path": str(vocabulary)}
    )
    with pytest.raises(ValueError, match="--resume with the standard input"):
        pretrain(config, tmp_path / "out", resume=True)
