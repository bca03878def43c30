"""Directional derivatives: against differences of steps that are taken back, and as strongly coupled masters ask for them."""

import numpy
import pytest
from fmpy import extract, read_model_description
from fmpy.fmi2 import FMU2Slave

from master import HERE

STEP = 0.005
TWIST = [f"plate.{name}[{i}]" for name in ("velocity", "angularVelocity") for i in (1, 2, 3)]
WRENCH = [f"plate.{name}[{i}]" for name in ("force", "torque") for i in (1, 2, 3)]
LOAD = [f"block.{name}[{i}]" for name in ("appliedForce", "appliedTorque") for i in (1, 2, 3)]
MOTION = [f"block.{name}[{i}]" for name in ("acceleration", "angularAcceleration") for i in (1, 2, 3)]


@pytest.fixture(scope="module")
def settled(command, tmp_path_factory):
    """An instance that has made 100 steps, and its value references by name."""
    directory = tmp_path_factory.mktemp("derivative")
    command("pack", HERE / "derivative.xml", "-o", directory / "derivative.fmu")
    description = read_model_description(directory / "derivative.fmu")
    fmu = FMU2Slave(guid=description.guid, unzipDirectory=extract(directory / "derivative.fmu", directory / "open"),
                    modelIdentifier=description.coSimulation.modelIdentifier, instanceName="one")
    fmu.instantiate()
    fmu.setupExperiment(startTime=0.0)
    fmu.enterInitializationMode()
    fmu.exitInitializationMode()
    for i in range(100):
        fmu.doStep(i * STEP, STEP)
    yield fmu, {variable.name: variable.valueReference for variable in description.modelVariables}
    fmu.terminate()
    fmu.freeInstance()


def jacobian(fmu, refs, unknowns, knowns):
    columns = []
    for k in range(len(knowns)):
        seed = [float(i == k) for i in range(len(knowns))]
        columns.append(fmu.getDirectionalDerivative([refs[n] for n in unknowns], [refs[n] for n in knowns], seed))
    return numpy.array(columns).T


def by_differences(fmu, refs, unknowns, knowns, changes):
    state = fmu.getFMUstate()
    columns = []
    for name, change in zip(knowns, changes):
        sides = []
        for sign in (1, -1):
            fmu.setFMUstate(state)
            before = fmu.getReal([refs[name]])[0]
            fmu.setReal([refs[name]], [before + sign * change])
            fmu.doStep(100 * STEP, STEP)
            sides.append(numpy.array(fmu.getReal([refs[n] for n in unknowns])))
        columns.append((sides[0] - sides[1]) / (2 * change))
    fmu.setFMUstate(state)
    fmu.freeFMUstate(state)
    return numpy.array(columns).T


SCALE = numpy.array([1, 1, 1, 0.05, 0.05, 0.05])  # m: an arm that makes velocities of angular velocities


def relative(found, expected, rows, columns):
    weigh = rows[:, None] * columns[None, :]
    return numpy.linalg.norm((found - expected) * weigh) / numpy.linalg.norm(expected * weigh)


def test_wrench_by_twist(settled):
    fmu, refs = settled
    found = jacobian(fmu, refs, WRENCH, TWIST)
    expected = by_differences(fmu, refs, WRENCH, TWIST, 1e-6 / SCALE)
    assert relative(found, expected, 1 / SCALE, 1 / SCALE) < 0.01  # sweeps and differences leave some 1e-3
    assert relative(found, found.T, 1 / SCALE, 1 / SCALE) < 0.1  # normal rows weigh 8/9, the others 1
    assert numpy.linalg.eigvalsh(found + found.T).max() < 1e-9 * numpy.abs(found).max()
    z = numpy.array(fmu.getReal([refs[f"plate.Z[{i},{k}]"] for i in range(1, 7) for k in range(1, 7)])).reshape(6, 6)
    assert numpy.allclose(found, -z / STEP, rtol=1e-12, atol=0)


def test_acceleration_by_force(settled):
    """The block touches nothing: its mass matrix alone answers."""
    fmu, refs = settled
    found = jacobian(fmu, refs, MOTION, LOAD)
    d, mass = numpy.array([0.01, 0, 0.005]), 2.0
    cross = numpy.array([[0, -d[2], d[1]], [d[2], 0, -d[0]], [-d[1], d[0], 0]])
    matrix = numpy.block([[mass * numpy.eye(3), -mass * cross],
                          [mass * cross, numpy.diag([0.01, 0.02, 0.025]) - mass * cross @ cross]])
    assert numpy.allclose(found, numpy.linalg.inv(matrix), rtol=1e-9, atol=1e-12)  # it falls without turning


def test_as_strongly_coupled_masters_ask(settled):
    """Try a step, take it back, ask for the derivative, set the force, make the step."""
    fmu, refs = settled
    force, acceleration = refs["block.appliedForce[1]"], refs["block.acceleration[1]"]
    state = fmu.getFMUstate()
    fmu.doStep(100 * STEP, STEP)
    tried = fmu.getReal([acceleration])[0]
    fmu.setFMUstate(state)
    fmu.freeFMUstate(state)
    slope = fmu.getDirectionalDerivative([acceleration], [force], [1.0])[0]
    fmu.setReal([force], [3.0])
    again = fmu.getFMUstate()
    fmu.doStep(100 * STEP, STEP)
    assert fmu.getReal([acceleration])[0] - tried == pytest.approx(3.0 * slope, rel=1e-4)  # it turns a little while pushed
    fmu.setFMUstate(again)
    assert fmu.getReal([force])[0] == 3.0
    fmu.setReal([force], [0.0])
    fmu.freeFMUstate(again)


def test_others_have_none(settled):
    fmu, refs = settled
    with pytest.raises(Exception):
        fmu.getDirectionalDerivative([refs["info.mass"]], [refs["plate.velocity[1]"]], [1.0])
    with pytest.raises(Exception):
        fmu.getDirectionalDerivative([refs["plate.force[1]"]], [refs["plate.position[1]"]], [1.0])
    assert fmu.getDirectionalDerivative([refs["block.acceleration[1]"]], [], []) == [0.0]
