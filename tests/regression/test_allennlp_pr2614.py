"""allenai/allennlp PR #2614, bilm-tf#152, #225: text was read as the locale says.

The documents of `embed` are tested in tests/embedding/test_job.py.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

from spacy_elmo.pretraining.vocabulary import read_vocabulary
from tests.pretraining.util import make_config

CODE = """
import sys
from pathlib import Path
from spacy.cli import app
import spacy_elmo.cli

folder = Path(sys.argv[1])
text, output = folder / "text.txt", folder / "out"
for command in (
    ["vocab", text, folder / "vocab.txt", "--tokenized"],
    ["pretrain", folder / "config.cfg", output],
    ["evaluate", output / "model-last", text, "-t", "-o", folder / "figures.json"],
):
    app(["elmo", *map(str, command)], standalone_mode=False)
"""


def test_the_commands_read_utf8_in_every_locale(tmp_path: Path) -> None:
    text = tmp_path / "text.txt"
    text.write_bytes("\ufeffnaïve 河 🙂\r\nnaïve\r\n".encode())
    vocabulary = {"path": str(tmp_path / "vocab.txt")}
    config = make_config(str(text), vocabulary=vocabulary, max_steps=1)
    config.to_disk(tmp_path / "config.cfg")
    plain = {"PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "LC_ALL": "C"}
    subprocess.run(
        [sys.executable, "-c", CODE, tmp_path],
        env={**os.environ, **plain},
        stdout=subprocess.DEVNULL,
        check=True,
    )
    written = read_vocabulary(tmp_path / "out" / "model-last" / "vocab.txt")
    assert written.words == ["<S>", "</S>", "<UNK>", "naïve", "河", "🙂"]
    assert written.counts == [2, 2, 0, 2, 1, 1]
    figures = json.loads((tmp_path / "figures.json").read_text(encoding="utf8"))
    assert (figures["n_tokens"], figures["oov_rate"]) == (4, 0)
