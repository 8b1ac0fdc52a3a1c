"""Write a folder of weights as the float16 files that the package carries.

python scripts/bundle_weights.py SOURCE spacy_elmo/data/NAME
"""

import argparse
from pathlib import Path

import torch

from spacy_elmo.weights.detect import read_weights
from spacy_elmo.weights.native import write_native


def main() -> None:
    """Convert SOURCE (any readable form) to TARGET."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", type=Path, help="folder of weights")
    parser.add_argument("target", type=Path, help="folder to write")
    arguments = parser.parse_args()
    write_native(read_weights(arguments.source), arguments.target, torch.float16)


if __name__ == "__main__":
    main()
