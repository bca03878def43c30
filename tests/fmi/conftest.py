"""Packs the scenes of these tests with the `scree` command that the environment variable SCREE names."""

import os
import pathlib
import subprocess

import pytest

from master import Fmu, Slave

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
SMALL = HERE / "small.xml"
PLATE = ROOT / "examples" / "plate_in_bed" / "scene.xml"


@pytest.fixture(scope="session")
def command():
    """Runs the scree command; fails the test when the command fails."""
    path = os.environ.get("SCREE", str(ROOT / "build" / "release" / "bin" / "scree"))

    def run(*arguments):
        done = subprocess.run([path, *map(str, arguments)], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


@pytest.fixture(scope="session")
def small_path(command, tmp_path_factory):
    path = tmp_path_factory.mktemp("fmu") / "small.fmu"
    command("pack", SMALL, "-o", path)
    return path


@pytest.fixture(scope="session")
def plate_path(command, tmp_path_factory):
    path = tmp_path_factory.mktemp("fmu") / "plate_in_bed.fmu"
    command("pack", PLATE, "-o", path)
    return path


@pytest.fixture(scope="session", params=["small", "plate_in_bed"])
def any_path(request, small_path, plate_path):
    return {"small": small_path, "plate_in_bed": plate_path}[request.param]


@pytest.fixture(scope="session")
def small(small_path, tmp_path_factory):
    return Fmu(small_path, tmp_path_factory.mktemp("small"))


@pytest.fixture(scope="session")
def plate(plate_path, tmp_path_factory):
    return Fmu(plate_path, tmp_path_factory.mktemp("plate"))


@pytest.fixture
def instantiate(small):
    """Makes instances of the small scene, frees them at the end, and checks that all memory came back."""
    slaves = []

    def make(fmu=small, **arguments):
        slave = Slave(fmu, **arguments)
        slaves.append(slave)
        return slave

    yield make
    for slave in slaves:
        slave.free()
        assert not slave.callbacks.blocks and slave.callbacks.bad_frees == 0


@pytest.fixture
def slave(instantiate):
    made = instantiate()
    assert made.alive, made.errors
    return made
