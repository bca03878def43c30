"""FMUs packed with --settle: the bed is at rest when an instance starts."""

import csv
import hashlib
import io
import pathlib

import pytest
from fmpy.validation import validate_fmu

from master import ERROR, OK, SMALL, WARNING, Fmu, Slave, motion, vector

G = 9.81


@pytest.fixture(scope="module")
def path(command, tmp_path_factory):
    path = tmp_path_factory.mktemp("settled") / "small.fmu"
    command("pack", SMALL, "-o", path, "--settle")
    assert validate_fmu(str(path)) == []
    return path


@pytest.fixture(scope="module")
def fmu(path):
    return Fmu(path, path.parent / "unpacked")


def warnings(slave):
    return [entry[4] for entry in slave.callbacks.log if entry[2] == WARNING]


def weight(row):
    return -(row["floor.force[3]"] + row["walls.force[3]"])


def test_same_scene_same_bytes(command, path):
    command("pack", SMALL, "-o", path.parent / "again.fmu", "--settle")
    assert len({hashlib.sha256(p.read_bytes()).hexdigest() for p in (path, path.parent / "again.fmu")}) == 1


def test_starts_at_rest_at_any_time(fmu):
    """The walls bear the grains' weight from the first step: 1e-4, where an unsettled bed falls for 0.1 s."""
    slave = Slave(fmu)
    slave.begin(start=3.0)
    mass = slave.get(["info.mass"])["info.mass"]
    for n in range(5):
        assert slave.step(3.0 + 0.005 * n, 0.005) == OK, slave.errors
        assert weight(slave.get(fmu.outputs)) == pytest.approx(mass * G, rel=1e-4)
    assert warnings(slave) == []
    slave.free()


def test_is_what_the_command_runs(fmu, command):
    """`scree run --settle` and the FMU give the same bits."""
    table = csv.DictReader(io.StringIO(command("run", SMALL, "--settle", "--until", 0.05)))
    rows = [{name: float(text) for name, text in row.items()} for row in table]
    slave = Slave(fmu)
    slave.begin()
    names = vector("floor.force") + vector("info.center") + ["info.kineticEnergy"]
    for n in range(10):
        assert slave.step(0.005 * n, 0.005) == OK
        assert slave.get(names) == {name: rows[n + 1][name] for name in names}
    slave.free()


def test_parameters_that_undo_it(fmu):
    for values, says, rests in [({"fill.bed.seed": 8}, "seed of fill bed differs", False),
                                ({"pair.rock.rock.friction": 0.4}, "may move at first", True),
                                (motion("plate", (0, 0, 0.05)), "grains in it", False),
                                ({"solver.substeps": 12}, None, True)]:
        slave = Slave(fmu)
        slave.begin(values=values)
        assert (says is None) == (warnings(slave) == []) and all(says in text for text in warnings(slave))
        assert slave.step(0, 0.005) == OK
        mass = slave.get(["info.mass"])["info.mass"]
        assert (weight(slave.get(fmu.outputs)) > 0.9 * mass * G) == rests
        slave.free()


def test_reset_and_states(fmu):
    slave = Slave(fmu)
    slave.begin()
    first = slave.steps(3)
    state = slave.take()
    later = slave.steps(3, first=3)
    assert slave.restore(state) == OK and slave.steps(3, first=3) == later
    slave.release(state)
    assert slave.call("Reset") == OK
    slave.begin()
    assert slave.steps(3) == first
    slave.free()


def test_damaged_state_is_refused(fmu, path):
    settled = pathlib.Path(path.parent / "unpacked" / "resources" / "settled.bin")
    good = settled.read_bytes()
    try:
        for bad in (good[:-7], good[:100] + b"\xff" + good[101:], b""):
            settled.write_bytes(bad)
            slave = Slave(fmu)
            assert not slave.alive and any("settled.bin" in entry[4] for entry in slave.callbacks.log)
            assert all(entry[2] == ERROR for entry in slave.callbacks.log) and not slave.callbacks.blocks
    finally:
        settled.write_bytes(good)
