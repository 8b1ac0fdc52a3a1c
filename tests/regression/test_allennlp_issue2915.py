"""allenai/allennlp#2915: after a few hundred sentences a stream had taken 12 GB."""

from tests.util import run_python

# Words come again and again, and each document has one that never came before.
CODE = """
import re
from collections.abc import Iterator
from pathlib import Path
from tests.util import TEXTS, make_nlp

def resident():
    status = Path("/proc/self/status").read_text()
    return int(re.search(r"VmRSS:\\s+(\\d+)", status)[1]) / 1024

nlp = make_nlp(heads=(), word_cache=100)
texts = (f"{TEXTS[i % 3]} word{i}" for i in range(2_500))
for i, doc in enumerate(nlp.pipe(texts)):
    assert doc._.elmo.shape[1] == len(doc)
    if i == 300:
        early = resident()
print(resident() - early)
"""


def test_a_stream_of_docs_leaves_nothing_behind() -> None:
    """Kept, the documents and their layers would take 12 MB more."""
    assert float(run_python(CODE)) < 12
