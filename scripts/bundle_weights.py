"""Write a folder of weights as the float16 files that the package carries.

    python scripts/bundle_weights.py SOURCE spacy_elmo/data/NAME \
        --golden tests/golden/bundled.npz

The golden file keeps the layers of a few sentences, with the weights as they were
trained and as they are written.
"""

import argparse
from pathlib import Path

import numpy as np
import torch

from spacy_elmo.bilm import Weights
from spacy_elmo.weights.detect import read_weights
from spacy_elmo.weights.native import read_native, write_native

SENTENCES = [
    "He sat on the bank of the river and watched the boats .",
    "The bank lent her 3,000 dollars at 4.5 % in 1998 .",
    "Zürich 's trams don't stop at floccinaucinihilipilification street :-)",
    "Why ?",
]


def main() -> None:
    """Convert SOURCE (any readable form) to TARGET."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", type=Path, help="folder of weights")
    parser.add_argument("target", type=Path, help="folder to write")
    parser.add_argument("--golden", type=Path, help="npz file to write")
    arguments = parser.parse_args()
    trained = read_weights(arguments.source)
    write_native(trained, arguments.target, torch.float16)
    if arguments.golden:
        np.savez_compressed(
            arguments.golden,
            sentences=np.asarray(SENTENCES),
            trained=layers(trained),
            written=layers(read_native(arguments.target)),
        )


def layers(weights: Weights) -> np.ndarray:
    """RETURNS (ndarray): (1 + n_layers, N, 2 P), boundaries left out."""
    bilm = weights.to_model()
    batch = bilm.collate([sentence.split() for sentence in SENTENCES])
    with torch.no_grad():
        outputs, _ = bilm(batch)
    rows: np.ndarray = outputs.numpy()[:, batch.inner]
    return rows


if __name__ == "__main__":
    main()
