"""Sensors as an importer sees them."""

import math

import pytest
from fmpy.validation import validate_fmu

from master import HERE, OK, Fmu, Slave, motion, vector

MASS = 2500 * math.pi / 6 * 0.02**3
OUTPUTS = {
    "payload": ["mass", "count", *vector("center"), *vector("velocity"), "kineticEnergy", "meanSpeed"],
    "falling": ["massFlow", "passed"],
    "surface": ["max", "mean", *(f"height[{i},{j}]" for i in (1, 2) for j in (1, 2, 3))],
    "floor": [*vector("force"), "normalForce", *vector("tangentialForce"), "torque", "power", "pressure"],
}
NAMES = [f"{sensor}.{item}" for sensor, items in OUTPUTS.items() for item in items]


@pytest.fixture(scope="module")
def fmu(command, tmp_path_factory):
    folder = tmp_path_factory.mktemp("sensors")
    command("pack", HERE / "sensors.xml", "-o", folder / "sensors.fmu")
    assert validate_fmu(str(folder / "sensors.fmu")) == []
    return Fmu(folder / "sensors.fmu", folder / "unpacked")


def test_description(fmu):
    assert [name for name in fmu.outputs if name.split(".")[0] in OUTPUTS] == NAMES
    unit = {name: fmu.variables[name].unit for name in NAMES}
    assert unit["falling.massFlow"] == "kg/s" and unit["floor.power"] == "W" and unit["surface.height[2,3]"] == "m"
    initial = {u.variable.name: {d.name for d in u.dependencies} for u in fmu.description.initialUnknowns}
    pose = set(vector("bucket.position") + vector("bucket.orientation", 4))
    grains = {"material.rock.density", *(f"fill.bed.{name}" for name in ("count", "seed", "mass"))}
    assert initial["payload.mass"] == initial["surface.max"] == pose | grains  # grains are put around bodies
    assert initial["floor.power"] == set()


def test_values(fmu):
    slave = Slave(fmu)
    slave.begin(values=motion("bucket", (0, 0, 0.05)))
    first = slave.get(NAMES)
    inside = first["payload.count"]
    assert 0 < inside < 60 and first["payload.mass"] == pytest.approx(inside * MASS, rel=1e-14)
    assert first["falling.massFlow"] == first["floor.normalForce"] == 0
    assert first["surface.max"] == max(first[name] for name in NAMES if ".height" in name) > 0.02
    passed = 0
    for n in range(40):
        # the bucket goes up, out of the bed
        assert slave.set(motion("bucket", (0, 0, 0.05 + 0.01 * n), (0, 0, 1))) == OK
        assert slave.step(0.01 * n, 0.01) == OK, slave.errors
        passed += 0.01 * slave.get(["falling.massFlow"])["falling.massFlow"]
    last = slave.get(NAMES)
    assert last["payload.count"] == 0 and last["payload.mass"] == 0
    assert last["payload.center[3]"] == pytest.approx(0.45)  # nothing in it: its own place
    assert last["falling.passed"] == pytest.approx(passed, rel=1e-12) and passed > 0
    assert last["floor.pressure"] * math.pi * 0.03**2 == pytest.approx(last["floor.normalForce"], rel=1e-12)
    assert 0 < last["floor.normalForce"] and last["surface.max"] < first["surface.max"]
    slave.free()


def test_rollback(fmu):
    slave = Slave(fmu)
    slave.begin(values={})
    for n in range(5):
        assert slave.step(0.01 * n, 0.01) == OK
    state, then = slave.take(), slave.get(NAMES)
    assert slave.step(0.05, 0.02) == OK
    later = slave.get(NAMES)
    assert later != then
    assert slave.restore(state) == OK
    assert slave.get(NAMES) == then
    assert slave.step(0.05, 0.02) == OK
    assert slave.get(NAMES) == later
    slave.release(state)
    slave.free()
