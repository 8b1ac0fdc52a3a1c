"""`python -m spacy elmo ...`."""

from pathlib import Path

import pytest
import spacy
import srsly
from spacy.cli import app
from typer.testing import CliRunner, Result

import spacy_elmo.cli  # noqa: F401  (adds the commands)
from spacy_elmo.pretraining.corpus import Corpus
from spacy_elmo.pretraining.folder import write_language_model
from spacy_elmo.pretraining.vocabulary import read_vocabulary

from ..pretraining.util import make_config, make_model, make_sentences, write_text

CONFIGS = Path(__file__).parents[2] / "configs"


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["elmo", *map(str, arguments)])


@pytest.fixture
def text(tmp_path: Path) -> str:
    return write_text(tmp_path / "text.txt", make_sentences(40))


def test_the_commands_are_listed():
    result = run("--help")
    assert result.exit_code == 0
    for command in ("pretrain", "vocab", "evaluate", "tokenize"):
        assert command in result.output


def test_vocab_writes_a_vocabulary(tmp_path: Path, text: str):
    result = run("vocab", text, tmp_path / "vocab.txt", "--max-size", 8, "--tokenized")
    assert result.exit_code == 0, result.output
    assert len(read_vocabulary(tmp_path / "vocab.txt")) == 8
    for line in ("tokens outside", "words over the character limit", "with Adam"):
        assert line in result.output


def test_tokenize_writes_a_file_that_is_read(tmp_path: Path, text: str):
    tokens = tmp_path / "text.tokens.npz"
    result = run("tokenize", text, tokens, "-t")
    assert result.exit_code == 0, result.output
    corpus = Corpus([str(tokens)], spacy.blank("en"))
    assert list(corpus.sentences()) == make_sentences(40)


def test_tokenize_mixes_files(tmp_path: Path):
    """What reads the file in its order meets no file as a whole before another."""
    texts = [[[word]] * 300 for word in ("cat", "dog")]
    for number, sentences in enumerate(texts):
        write_text(tmp_path / f"{number}.txt", sentences)
    tokens = tmp_path / "text.tokens.npz"
    result = run("tokenize", tmp_path / "*.txt", tokens, "-t")
    assert result.exit_code == 0, result.output
    found = list(Corpus([str(tokens)], spacy.blank("en")).sentences())
    assert sorted(found) == texts[0] + texts[1]
    assert 100 < found[:300].count(["cat"]) < 200


def test_evaluate_prints_and_writes_the_figures(tmp_path: Path, text: str):
    write_language_model(make_model(), tmp_path / "model")
    output = tmp_path / "figures.json"
    result = run("evaluate", tmp_path / "model", text, "-t", "--output", output)
    assert result.exit_code == 0, result.output
    figures = srsly.read_json(output)
    assert f"{figures['average']:.2f}" in result.output
    assert figures["n_tokens"] == sum(map(len, make_sentences(40)))


def test_pretrain_trains_resumes_and_takes_overrides(tmp_path: Path, text: str):
    config = tmp_path / "config.cfg"
    make_config(text, text).to_disk(config)
    output = tmp_path / "out"
    result = run("pretrain", config, output, "--pretraining_elmo.max_steps", 5)
    assert result.exit_code == 0, result.output
    assert f"Training text: {text}" in result.output
    assert "perplexity: forward" in result.output
    again = run("pretrain", config, output, "--resume")
    assert again.exit_code == 0, again.output
    assert "Resumed after step 5." in again.output
    assert run("evaluate", output / "model-best", text, "-t").exit_code == 0


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["vocab", "nowhere/*.txt", "out.txt"], "No files match"),
        (["evaluate", "nowhere", "text.txt"], "No folder of weights"),
    ],
)
def test_what_is_wrong_is_said_and_the_exit_code_is_2(arguments: list, message: str):
    """bilm-tf issues 128, 188."""
    result = run(*arguments)
    assert result.exit_code == 2
    assert message in " ".join(result.output.split())


def test_a_wrong_setting_is_named(tmp_path: Path, text: str):
    make_config(text).to_disk(tmp_path / "config.cfg")
    result = run(
        "pretrain",
        tmp_path / "config.cfg",
        tmp_path / "out",
        "--pretraining_elmo.sead",
        1,
    )
    assert result.exit_code == 2
    assert "pretraining_elmo.sead" in result.output


@pytest.mark.parametrize("name", sorted(p.name for p in CONFIGS.glob("pretrain*")))
def test_shipped_configs_train(tmp_path: Path, name: str):
    """As they stand, but for the sizes."""
    train = write_text(tmp_path / "train.txt", make_sentences(30))
    arguments = {
        "paths.train": train,
        "paths.dev": train,
        "pretraining_elmo.max_steps": 2,
        "pretraining_elmo.model.cell_dim": 12,
        "pretraining_elmo.softmax.n_samples": 5,
    }
    flags = [str(x) for name, value in arguments.items() for x in (f"--{name}", value)]
    result = run("pretrain", CONFIGS / name, tmp_path / "out", *flags)
    assert result.exit_code == 0, result.output
