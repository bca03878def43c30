"""Examples are scripts in folders, not a package: their modules are found by path."""

import pathlib
import sys

for folder in ("common", "excavator"):
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "examples" / folder))
