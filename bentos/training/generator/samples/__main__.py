"""Writes the sample collection: `python -m bentos.training.generator.samples FOLDER`."""

from __future__ import annotations

import sys
from pathlib import Path

from bentos.training.generator.samples.collection import make_collection

if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python -m bentos.training.generator.samples FOLDER")
    for name, expected in make_collection(Path(sys.argv[1])).items():
        print(f"{name}: {expected.pages or '-'} pages, {expected.outcome} {expected.code}")
