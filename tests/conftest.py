"""What the Python tests share: the `scree` command. SCREE names the program; default: the release build."""

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PROGRAM = Path(os.environ.get("SCREE", ROOT / "build/release/bin/scree")).resolve()


@pytest.fixture(scope="session")
def root():
    return ROOT


@pytest.fixture(scope="session")
def scree():
    """scree("run", scene, …): runs the command; returns code, stdout and stderr as text."""

    def call(*arguments, cwd=None, env=None, text=True, timeout=300):
        return subprocess.run(
            [str(PROGRAM), *map(str, arguments)],
            cwd=cwd,
            env={**os.environ, **(env or {})},
            capture_output=True,
            text=text,
            encoding="utf-8" if text else None,
            timeout=timeout,
        )

    call.program = PROGRAM
    return call
