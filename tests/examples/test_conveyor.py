"""The conveyor's drive against closed forms; its scene and its package."""

import importlib.util
import pathlib

import numpy
import pytest
import ssp
from fmpy.validation import validate_fmu

HERE = pathlib.Path(__file__).resolve().parents[2] / "examples" / "conveyor"
spec = importlib.util.spec_from_file_location("conveyor", HERE / "run.py")
conveyor = importlib.util.module_from_spec(spec)
spec.loader.exec_module(conveyor)


@pytest.fixture(scope="module")
def built(scree, tmp_path_factory):
    return conveyor.build(scree.program, tmp_path_factory.mktemp("conveyor"))


def test_drive_is_a_valid_fmu(built):
    assert validate_fmu(str(built[1])) == []


def run_drive(path, load, until=3.0, **parameters):
    drive = ssp.Instance(path, "drive")
    drive.set(list(parameters), list(parameters.values()))
    drive.start()
    drive.set(["load.force"], [0.0])
    drive.started()
    rows = []
    for n in range(int(until / 0.01)):
        drive.set(["load.force"], [load if n >= 150 else 0.0])
        drive.step(0.01 * n, 0.01)
        rows.append(drive.get(conveyor.DRIVE))
    drive.close()
    return {name: numpy.array([row[i] for row in rows]) for i, name in enumerate(conveyor.DRIVE)}


@pytest.mark.parametrize("load", (0.0, -600.0, 600.0))
def test_drive_against_kloss(built, load):
    """At rest the motor's torque is what gear, belt and load ask for, and its slip that of Kloss' formula."""
    rows = run_drive(built[1], load)
    v, torque, lever = rows["belt.speed"][-1], rows["motor.torque"][-1], 15.2 / 0.2
    asked = (120.0 + 20.0 * v - load) / lever
    assert torque == pytest.approx(asked / 0.96 if asked > 0.0 else asked * 0.96, rel=1e-6)
    x = (2.0 * lever - rows["motor.speed"][-1]) / 21.0
    assert 2.0 * 90.0 * x / (1.0 + x * x) == pytest.approx(torque, rel=1e-6)


def test_drive_keeps_energy(built):
    """shaft = gear + friction + load + change of kinetic energy, over every step."""
    rows = run_drive(built[1], -600.0)
    rest = rows["motor.shaftPower"] - rows["gear.lossPower"] - rows["belt.frictionPower"] - rows["load.power"]
    change = numpy.diff(rows["drive.kineticEnergy"], prepend=0.0) / 0.01
    assert numpy.abs(rest - change).max() < 1e-9 * rows["motor.shaftPower"].max()


def test_wrong_parameters_are_refused(built):
    drive = ssp.Instance(built[1], "drive")
    drive.set(["gear.efficiency"], [1.5])
    drive.start()
    with pytest.raises(Exception):
        drive.started()
    drive.slave.freeInstance()


def test_package_runs(built):
    """The belts run up without load; then the first grains are on the first belt, and its motor feels them."""
    watch = [("drive1", "belt.speed"), ("drive1", "motor.shaftPower"), ("drive2", "motor.shaftPower"), ("grains", "belt1.power"),
             ("grains", "on1.mass")]
    rows = ssp.simulate(built[2], until=1.6, watch=watch)
    assert rows["grains.on1.mass"][-1] == pytest.approx(60.0 * 0.6, rel=0.02)
    assert 1.97 < rows["drive1.belt.speed"][-1] < 2.0
    late = rows["time"] > 1.4
    assert rows["grains.belt1.power"][late].mean() > 100.0
    # the second drive has half of the first one's resistance and a higher speed, and carries nothing yet
    assert rows["drive1.motor.shaftPower"][late].mean() > rows["drive2.motor.shaftPower"][late].mean() + 100.0
