"""`python -m spacy elmo embed`."""

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from spacy.cli import app
from spacy.language import Language
from typer.testing import CliRunner, Result

import spacy_elmo.cli  # noqa: F401  (adds the commands)
from spacy_elmo.cli import embed as module
from spacy_elmo.embedding import Progress, Report, load

from ..embedding.util import BAD, TEXTS, assert_close, write_jsonl, write_text
from ..util import GOLDEN, WEIGHTS

FOLDER = GOLDEN / WEIGHTS


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["elmo", "embed", *map(str, arguments)])


def output_of(result: Result) -> str:
    return " ".join(result.output.split())


def test_a_file_becomes_a_folder_of_vectors(elmo_nlp: Language, tmp_path: Path):
    path = write_text(tmp_path / "a.txt", [*TEXTS, "two words"])
    result = run(path, tmp_path / "out", "-w", FOLDER, "-f", "npy")
    assert result.exit_code == 0, result.output
    assert "Wrote 7 rows of 7 documents, 34 words, in 1 files" in output_of(result)
    found = [entry.vectors for entry in load(tmp_path / "out")]
    assert_close(found, [elmo_nlp(text).vector for text in [*TEXTS, "two words"]])


def test_several_layers_are_all_filled(elmo_nlp: Language, tmp_path: Path):
    """ELMoForManyLangs left every file but the first empty."""
    path = write_text(tmp_path / "a.txt")
    flags = ["--layers", "0,1,2,mix", "--level", "token", "--format", "npy"]
    result = run(path, tmp_path / "out", "-w", FOLDER, *flags)
    assert result.exit_code == 0, result.output
    for text, entry in zip(TEXTS, load(tmp_path / "out")):
        doc = elmo_nlp(text)
        assert_close(entry.vectors, np.stack([*doc._.elmo, doc.tensor]))


def test_every_option_reaches_the_run(tmp_path: Path):
    (tmp_path / "vocab.txt").write_text("<S>\t1\n</S>\t1\n<UNK>\t1\nbank\t1\n")
    path = write_jsonl(tmp_path / "a.data")
    flags = {
        "--weights": FOLDER,
        "--lang": "xx",
        "--layers": "top",
        "--level": "sentence",
        "--pooling": "sif",
        "--frequencies": tmp_path / "vocab.txt",
        "--dtype": "float16",
        "--format": "npy",
        "--input-format": "jsonl",
        "--text-field": "text",
        "--id-field": "id",
        "--shard-rows": 4,
    }
    pairs = [x for pair in flags.items() for x in pair]
    result = run(path, tmp_path / "out", *pairs, "--tokenized", "--keep-text")
    assert result.exit_code == 0, result.output
    store = load(tmp_path / "out")
    names = {"--weights", "--lang", "--frequencies"}
    for flag in flags.keys() - names:
        option = flag.removeprefix("--").replace("-", "_")
        assert store.options[option] == flags[flag], flag
    assert store.options["tokenized"] and store.options["keep_text"]
    assert store.options["frequencies"]["name"] == "vocab.txt"
    assert [entry.id for entry in store] == [f"d{i}" for i in range(6)]
    assert store[0].vectors.dtype == np.float16


def test_a_pipeline_and_the_mix_of_its_head(trained_nlp: Language, tmp_path: Path):
    trained_nlp.to_disk(tmp_path / "pipeline")
    path = write_text(tmp_path / "a.txt")
    for name, flags in [("own", []), ("tagger", ["--head", "tagger"])]:
        flags = ["-p", tmp_path / "pipeline", "-f", "npy", *flags]
        result = run(path, tmp_path / name, *flags)
        assert result.exit_code == 0, result.output
    own, tagger = (load(tmp_path / name)[0].vectors for name in ("own", "tagger"))
    assert_close(own, trained_nlp(TEXTS[0]).vector)
    assert np.abs(own - tagger).max() > 0.01


def test_bad_rows_are_told_of(tmp_path: Path):
    (tmp_path / "a.txt").write_bytes(b"ok\n" + BAD)
    arguments = [tmp_path / "a.txt", tmp_path / "out", "-w", FOLDER, "-f", "npy"]
    result = run(*arguments)
    assert result.exit_code == 0
    assert "1 rows have no vector: see" in output_of(result)
    result = run(tmp_path / "a.txt", tmp_path / "strict", *arguments[2:], "--strict")
    assert result.exit_code == 2
    assert "a.txt, line 2: not UTF-8: byte 0xff." in output_of(result)


def test_a_run_is_resumed_or_refused(tmp_path: Path):
    path = write_text(tmp_path / "a.txt")
    arguments = [path, tmp_path / "out", "-w", FOLDER, "-f", "npy"]
    assert run(*arguments).exit_code == 0
    for flags, code, message in [
        ([], 2, "Add --resume to go on with them"),
        (["--resume"], 0, "Wrote 6 rows"),
        (["--resume", "--layers", "top"], 2, "options.layers: was 'mix', is 'top'"),
    ]:
        result = run(*arguments, *flags)
        assert result.exit_code == code
        assert message in output_of(result)


def test_an_empty_file_has_an_empty_output(tmp_path: Path):
    (tmp_path / "a.txt").touch()
    result = run(tmp_path / "a.txt", tmp_path / "out", "-w", FOLDER, "-f", "npy")
    assert result.exit_code == 0, result.output
    assert len(load(tmp_path / "out")) == 0


@pytest.mark.parametrize(
    "arguments, message",
    [
        ([], "Missing argument"),
        (["a.txt", "out", "--layer", "0"], "No such option: --layer"),
        (["a.txt", "out", "--layers"], "requires an argument"),
        (["nowhere/*.txt", "out"], "No files match 'nowhere/*.txt'"),
        (["a.txt", "out", "--level", "word"], "level: expected one of"),
        (["a.txt", "out", "--weights", "nowhere"], "No folder of weights"),
        (["a.txt", "out", "--pipeline", "nowhere"], "Can't find model 'nowhere'"),
        (["a.txt", "out", "-p", "x", "-w", "y"], "--pipeline or --weights, not both"),
        (["a.txt", "out", "--resume"], "No vectors in out"),
    ],
)
def test_what_is_wrong_is_said_and_the_exit_code_is_2(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    message: str,
):
    """ELMoForManyLangs issue 78: a traceback for a missing option."""
    monkeypatch.chdir(tmp_path)
    write_text(tmp_path / "a.txt")
    result = run(*arguments)
    assert result.exit_code == 2
    shown = output_of(result).replace("│ ", "").replace(" │", "")
    assert message in shown and "Traceback" not in shown


def test_workers_make_it_a_ray_job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    asked: dict[str, Any] = {}

    def on_ray(*_: Any, **options: Any) -> Report:
        asked.update(options)
        return Report(6, 6, 6, 0, 1)

    monkeypatch.setattr(module, "embed_on_ray", on_ray)
    flags = ["-w", FOLDER, "--workers", 2, "--strict", "--resume"]
    result = run(tmp_path / "a.parquet", tmp_path / "out", *flags)
    assert result.exit_code == 0, result.output
    assert (asked["n_workers"], asked["strict"], asked["resume"]) == (2, True, True)


def test_an_interrupt_says_how_to_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    def interrupted(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(module, "embed", interrupted)
    path = write_text(tmp_path / "a.txt")
    result = run(path, tmp_path / "out", "-w", FOLDER)
    assert result.exit_code == 130
    assert "Stopped. Go on with --resume into" in output_of(result)


@pytest.mark.parametrize(
    "shares, expected",
    [
        ([0.0, 0.25, 1.0], ["25%", "100%", "<"]),
        ([None, None, None], ["30 documents"]),  # nobody knows how long stdin is
    ],
)
def test_the_bar_shows_rates_and_the_time_left(
    monkeypatch: pytest.MonkeyPatch, shares: list[float | None], expected: list[str]
):
    shown = io.StringIO()
    tqdm = module.tqdm

    def in_a_terminal(**options):
        return tqdm(**{**options, "file": shown, "disable": False, "mininterval": 0})

    monkeypatch.setattr(module, "tqdm", in_a_terminal)
    reporter = module.Reporter()
    for documents, share in zip([0, 10, 20], shares):
        reporter.tell(Progress(documents, 3 * documents, share))
    reporter.close()
    for part in [*expected, "docs/s", "tokens/s", "30 documents"]:
        assert part in shown.getvalue()


def test_without_a_terminal_there_is_no_bar(
    tmp_path: Path, capfd: pytest.CaptureFixture
):
    reporter = module.Reporter()
    reporter.tell(Progress(1, 1, 0.5))
    reporter.close()
    assert capfd.readouterr().err == ""
