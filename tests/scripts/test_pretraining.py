"""Text from dumps and mixes, weights carried in parts, and training in calls."""

import bz2
import gzip
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from spacy_elmo.pretraining.folder import read_language_model, write_language_model
from tests.pretraining.util import (
    make_config,
    make_model,
    make_sentences,
    write_text,
)

SCRIPTS = Path(__file__).parents[2] / "scripts"
LONG = "one two three four five six seven eight nine ten eleven"
WIKITEXT = f"""\
{{{{Infobox|a={{{{b}}}}|c=[[d]]}}}}
'''Ada''' [[File:Ada.jpg|thumb|A [[portrait|picture]] of Ada]] met [[Charles
Babbage|him]].&lt;ref name="x"&gt;A [[note]].&lt;/ref&gt;
'''Ada''' met [[Bab|him]] ({{{{lang|el|}}}}, ) &amp;mdash; {LONG}&lt;ref/&gt;.
== Heading {LONG} ==
* List {LONG}
{{|
| A table {LONG}
|}}
[http://example.org The site] says {LONG}.&lt;!-- hidden {LONG} --&gt;
[[Category:{LONG}]]
"""
PAGES = [("Ada", 0, "", WIKITEXT), ("Bob", 0, "", f"Bob {LONG}.")]
PAGES += [("Talk:Ada", 1, "", f"Talk {LONG}.")]
PAGES += [("Lovelace", 0, '<redirect title="Ada"/>', f"#REDIRECT {LONG}")]


def run(script: str, *arguments: object, **environment: str):
    return subprocess.run(
        [sys.executable, SCRIPTS / script, *map(str, arguments)],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
    )


def write_dump(path: Path) -> Path:
    pages = "".join(
        f"<page><title>{title}</title><ns>{ns}</ns>{redirect}"
        f"<revision><text>{text}</text></revision></page>"
        for title, ns, redirect, text in PAGES
    )
    space = "http://www.mediawiki.org/xml/export-0.10/"
    content = f'<mediawiki xmlns="{space}"><siteinfo/>{pages}</mediawiki>'
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(bz2.compress(content.encode("utf8")))
    return path


def test_a_dump_becomes_paragraphs(tmp_path: Path):
    dump = write_dump(tmp_path / "dump.xml.bz2")
    result = run("extract_wikipedia.py", tmp_path, "--dump", dump, "--dev-every", 2)
    assert result.returncode == 0, result.stderr
    assert (tmp_path / "train.txt").read_text(encoding="utf8") == (
        f"Ada met him — {LONG}.\nThe site says {LONG}.\n\n"
    )
    assert (tmp_path / "dev.txt").read_text(encoding="utf8") == f"Bob {LONG}.\n\n"


def test_the_excerpt_is_found_without_importing_gensim(tmp_path: Path):
    package = tmp_path / "gensim"
    name = "enwiki-latest-pages-articles1.xml-p000000010p000030302-shortened.bz2"
    write_dump(package / "test" / "test_data" / name)
    (package / "__init__.py").write_text("raise RuntimeError('imported')")
    result = run("extract_wikipedia.py", tmp_path / "out", PYTHONPATH=str(tmp_path))
    assert result.returncode == 0, result.stderr
    assert "2 articles" in result.stdout


@pytest.mark.parametrize("has_package", [True, False])
def test_a_missing_excerpt_names_the_extra(tmp_path: Path, has_package: bool):
    (tmp_path / "gensim").mkdir()
    init = tmp_path / "gensim" / "__init__.py"
    init.touch()
    if not has_package:
        if run_find_gensim():
            pytest.skip("gensim is installed here")
        shutil.rmtree(init.parent)
    result = run("extract_wikipedia.py", tmp_path / "out", PYTHONPATH=str(tmp_path))
    assert result.returncode == 1
    assert "pip install '.[pretrain-sample]'" in result.stderr


def run_find_gensim() -> bool:
    code = "import importlib.util as u, sys; sys.exit(u.find_spec('gensim') is None)"
    return subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_a_mix_keeps_whole_documents_spread_over_the_corpus(tmp_path: Path):
    sys.path.insert(0, str(SCRIPTS))
    try:
        from mix_text import mix
    finally:
        sys.path.remove(str(SCRIPTS))
    source, target = tmp_path / "a.txt.gz", tmp_path / "out" / "a.txt"
    documents = [f"document {i}\nits end\n" for i in range(8)]
    source.write_bytes(gzip.compress("\n".join(documents).encode("utf8")))
    assert mix(source, target, 0.5) == 4 * 4
    assert target.read_text() == "".join(f"{documents[i]}\n" for i in (1, 3, 5, 7))


def split_and_join(tmp_path: Path) -> tuple:
    sys.path.insert(0, str(SCRIPTS))
    try:
        from weights_in_parts import join, split
    finally:
        sys.path.remove(str(SCRIPTS))
    write_language_model(make_model(), tmp_path / "model", {"note": "a test"})
    return split(tmp_path / "model", tmp_path / "parts", 2000), join


def test_parts_are_small_and_join_as_float16(tmp_path: Path):
    parts, join = split_and_join(tmp_path)
    assert len(parts) > 2
    assert max(part.stat().st_size for part in parts) <= 2000
    join(tmp_path / "parts", tmp_path / "joined")
    expected = {
        name: tensor.half().float()
        for name, tensor in make_model().state_dict().items()
    }
    joined = read_language_model(tmp_path / "joined")
    assert joined.state_dict().keys() == expected.keys()
    assert all(torch.equal(t, expected[n]) for n, t in joined.state_dict().items())
    assert joined.vocabulary.words == make_model().vocabulary.words
    assert "a test" in (tmp_path / "joined" / "config.json").read_text()


@pytest.mark.parametrize("damage", ["missing", "last missing", "cut", "none"])
def test_a_part_that_is_not_whole_is_named(tmp_path: Path, damage: str):
    parts, join = split_and_join(tmp_path)
    if damage == "missing":
        parts[1].unlink()
    elif damage == "last missing":
        parts[-1].unlink()
    elif damage == "cut":
        parts[1].write_bytes(parts[1].read_bytes()[:-9])
    else:
        for part in parts:
            part.unlink()
    message = {"cut": "damaged", "none": "No parts"}.get(damage, "expected the parts")
    with pytest.raises(SystemExit, match=message):
        join(tmp_path / "parts", tmp_path / "joined")


@pytest.mark.skipif(not shutil.which("timeout"), reason="needs coreutils' timeout")
def test_training_in_calls_leaves_parts(tmp_path: Path):
    """On the CPU, with a tiny config; the second call goes on."""
    text = write_text(tmp_path / "text.txt", make_sentences(30))
    make_config(text, text).to_disk(tmp_path / "tiny.cfg")
    environment = {
        **os.environ,
        "PYTHON": sys.executable,
        "CONFIG": str(tmp_path / "tiny.cfg"),
        "DEVICE": "cpu",
        "PRECISION": "float32",
    }
    output, parts = tmp_path / "out", tmp_path / "parts"
    with (tmp_path / "tiny.cfg").open("a") as file:
        file.write("\n[paths]\ntrain = null\ndev = null\n")
    command = ["bash", SCRIPTS / "pretrain_on_gpu.sh", text, text, output, "60", parts]
    steps = []
    for max_steps in ("6", "8"):
        result = subprocess.run(
            [*map(str, command), "--pretraining_elmo.max_steps", max_steps],
            capture_output=True,
            text=True,
            env=environment,
        )
        assert result.returncode == 0, result.stderr + result.stdout
        steps.append(sorted(p.name for p in (output / "checkpoints").iterdir())[-1])
    assert "Resumed after step 6" in result.stdout
    assert steps == ["step-000000006.pt", "step-000000008.pt"]
    join = run("weights_in_parts.py", "join", parts, tmp_path / "joined")
    assert join.returncode == 0, join.stderr
    assert read_language_model(tmp_path / "joined").score(["the", "cat"]).forward
