"""Tags and entities of the same sentences in another order are joined by words."""

import gzip
import subprocess
import sys
from pathlib import Path

import pytest
import spacy
from spacy.tokens import Doc, DocBin

SCRIPT = Path(__file__).parents[2] / "scripts" / "convert_ewt.py"

CONLLU = """\
# sent_id = 1
# text = Go, Ada!
1\tGo\tgo\tVERB\tVB\t_\t0\troot\t_\tSpaceAfter=No
2\t,\t,\tPUNCT\t,\t_\t1\tpunct\t_\t_
3\tAda\tAda\tPROPN\tNNP\t_\t1\tvocative\t_\tSpaceAfter=No
4\t!\t!\tPUNCT\t.\t_\t1\tpunct\t_\tSpaceAfter=No

# sent_id = 2
1-2\tdon't\t_\t_\t_\t_\t_\t_\t_\t_
1\tdo\tdo\tAUX\tVB\t_\t0\troot\t_\t_
2\tn't\tnot\tPART\tRB\t_\t1\tadvmod\t_\t_
2.1\tgone\tgo\tVERB\tVBN\t_\t_\t_\t1:conj\t_

1\tMay\tmay\tAUX\tMD\t_\t0\troot\t_\t_

1\tMay\tMay\tPROPN\tNNP\t_\t0\troot\t_\t_
"""
PLAIN = "May\tO\n\ndo\tO\nn't\tO\n\nGo\tO\n,\tO\nAda\tB-PER\n!\tO\n\nMay\tB-PER\n"
IOB2 = """\
# sent_id = 3
# text = May
1\tMay\tO\t-\t-

1\tdo\tO\t-\t-
2\tn't\tO\t-\t-

1\tGo\tO\t-\t-
2\t,\tO\t-\t-
3\tAda\tB-PER\t-\t-
4\t!\tO\t-\t-

1\tMay\tB-PER\t-\t-
"""


def convert(
    folder: Path, entities: str, ending: str, *, compress: bool
) -> tuple[list[Doc], str]:
    for name, text in ((".conllu", CONLLU), (ending, entities)):
        for split in ("train", "dev", "test"):
            path = folder / f"en_ewt-ud-{split}{name}{'.gz' if compress else ''}"
            data = text.encode()
            path.write_bytes(gzip.compress(data) if compress else data)
    command = [sys.executable, SCRIPT, folder, folder, folder / "out"]
    process = subprocess.run(command, capture_output=True, text=True)
    if process.returncode:
        raise ValueError(process.stderr)
    bin_ = DocBin().from_disk(folder / "out" / "train.spacy")
    return list(bin_.get_docs(spacy.blank("en").vocab)), process.stdout


FORMS = [(PLAIN, ".conll"), (IOB2, ".iob2")]


@pytest.mark.parametrize("entities, ending", FORMS, ids=["conll", "iob2"])
@pytest.mark.parametrize("compress", [False, True], ids=["text", "gz"])
def test_join(tmp_path: Path, entities: str, ending: str, compress: bool) -> None:
    docs, report = convert(tmp_path, entities, ending, compress=compress)
    assert [doc.text for doc in docs] == ["Go, Ada!", "do n't ", "May ", "May "]
    assert [[token.tag_ for token in doc] for doc in docs] == [
        ["VB", ",", "NNP", "."],
        ["VB", "RB"],
        ["MD"],
        ["NNP"],
    ]
    ents = [[(ent.text, ent.label_) for ent in doc.ents] for doc in docs]
    assert ents == [[("Ada", "PER")], [], [], [("May", "PER")]]
    assert "4 sentences joined (100.00%)" in report


def test_files_that_do_not_belong_together(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="at least 99%"):
        convert(tmp_path, PLAIN.replace("Ada", "Eve"), ".conll", compress=False)
    assert not list((tmp_path / "out").iterdir())


def test_missing_files(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"expected one file named \*train.iob2"):
        convert(tmp_path, "", ".txt", compress=False)
