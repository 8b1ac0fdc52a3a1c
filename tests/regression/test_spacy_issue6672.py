"""explosion/spaCy#6672, spacy-transformers PR #258: `doc.to_bytes()` raised.

Ours are plain arrays: they are read by processes that never imported spacy_elmo.
"""

from pathlib import Path

import numpy as np
import pytest
from spacy.language import Language

from tests.util import TEXTS, WIDTH, run_python

CODE = """
import sys
from pathlib import Path
from spacy.tokens import Doc
from spacy.vocab import Vocab
doc = Doc(Vocab()).from_bytes(Path(sys.argv[1]).read_bytes())
array = doc.user_data["._.", "elmo_layers:elmo", None, None]
Path(sys.argv[2]).write_bytes(array.tobytes())
print(type(array).__module__, array.dtype, array.shape)
print("spacy_elmo" in sys.modules)
"""


@pytest.mark.filterwarnings("ignore:.*W109")
def test_a_stranger_reads_the_array(elmo_nlp: Language, tmp_path: Path) -> None:
    doc = elmo_nlp(TEXTS[0])
    (tmp_path / "doc").write_bytes(doc.to_bytes())
    printed = run_python(CODE, tmp_path / "doc", tmp_path / "array")
    assert printed == f"numpy float32 (3, {len(doc)}, {WIDTH})\nFalse"
    array = np.frombuffer((tmp_path / "array").read_bytes(), "f").reshape(3, -1, WIDTH)
    np.testing.assert_array_equal(array, doc._.elmo)
