"""Packs the scenes of these tests."""

import pytest

from master import PLATE, SMALL, Fmu, Slave


@pytest.fixture(scope="session")
def command(scree):
    """Runs the scree command, which must succeed."""

    def run(*arguments):
        done = scree(*arguments)
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
