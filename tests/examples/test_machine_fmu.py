"""Machine models as FMUs: description, protocol, values, state."""

import math

import machine_fmu
import pytest
from fmpy import extract, read_model_description
from fmpy.fmi2 import FMU2Slave
from fmpy.validation import validate_fmu


@pytest.fixture(scope="module")
def path(scree, tmp_path_factory):
    folder = tmp_path_factory.mktemp("machine")
    return machine_fmu.pack(machine_fmu.find("oscillator", scree.program), folder / "oscillator.fmu", stop=1.0, step=0.1)


@pytest.fixture
def slave(path, tmp_path):
    description = read_model_description(str(path))
    made = FMU2Slave(guid=description.guid, unzipDirectory=extract(str(path), unzipdir=str(tmp_path)), instanceName="oscillator",
                     modelIdentifier=description.coSimulation.modelIdentifier)
    made.instantiate()
    made.refs = {v.name: v.valueReference for v in description.modelVariables}
    yield made
    made.freeInstance()


def begin(slave):
    slave.setupExperiment(startTime=0.0)
    slave.enterInitializationMode()
    slave.exitInitializationMode()


def test_description(path):
    assert validate_fmu(str(path)) == []
    description = read_model_description(str(path))
    assert [v.name for v in description.modelVariables] == ["mass", "stiffness", "force[1]", "force[2]", "position", "speed"]
    assert {u.name: (u.baseUnit.kg, u.baseUnit.m, u.baseUnit.s) for u in description.unitDefinitions} == {
        "N": (1, 1, -2), "N/m": (1, 0, -2), "kg": (1, 0, 0), "m": (0, 1, 0), "m/s": (0, 1, -1)}


def test_same_bytes(path, tmp_path, scree):
    again = machine_fmu.pack(machine_fmu.find("oscillator", scree.program), tmp_path / "again.fmu", stop=1.0, step=0.1)
    assert again.read_bytes() == path.read_bytes()


def test_motion_against_closed_form(slave):
    slave.setReal([slave.refs["mass"]], [0.5])  # omega = 4
    begin(slave)
    slave.setReal([slave.refs["force[1]"], slave.refs["force[2]"]], [3.0, 1.0])  # rest at 0.5
    for n in range(10):
        slave.doStep(0.1 * n, 0.1)
    assert slave.getReal([slave.refs["position"]])[0] == pytest.approx(0.5 + 0.5 * math.cos(4.0), abs=1e-12)


def test_states_replay(slave):
    begin(slave)
    slave.doStep(0.0, 0.3)
    state = slave.getFMUstate()
    kept = slave.serializeFMUstate(state)

    def go_on():
        slave.doStep(0.3, 0.2)
        return slave.getReal([slave.refs["position"], slave.refs["speed"]])

    first = go_on()
    slave.setReal([slave.refs["force[1]"]], [100.0])
    slave.setFMUstate(state)
    assert go_on() == first  # inputs are part of it
    copy = slave.deSerializeFMUstate(kept)
    slave.setFMUstate(copy)
    assert go_on() == first
    damaged = bytearray(kept)
    damaged[-1] ^= 1
    with pytest.raises(Exception):
        slave.deSerializeFMUstate(bytes(damaged))
    slave.freeFMUstate(state)
    slave.freeFMUstate(copy)


def test_refused(slave):
    slave.setReal([slave.refs["mass"]], [-1.0])
    slave.setupExperiment(startTime=0.0)
    slave.enterInitializationMode()
    with pytest.raises(Exception):
        slave.exitInitializationMode()
    slave.setReal([slave.refs["mass"]], [1.0])
    slave.exitInitializationMode()
    for call in (lambda: slave.setReal([slave.refs["mass"]], [2.0]), lambda: slave.setReal([slave.refs["position"]], [2.0]),
                 lambda: slave.setReal([slave.refs["force[1]"]], [math.nan]), lambda: slave.getReal([77]),
                 lambda: slave.doStep(0.0, 0.0), lambda: slave.doStep(0.5, 0.1), lambda: slave.getInteger([0])):
        with pytest.raises(Exception):
            call()
    slave.doStep(0.0, 0.1)


def test_wrong_guid_gives_no_instance(path, tmp_path):
    description = read_model_description(str(path))
    made = FMU2Slave(guid="{0}", unzipDirectory=extract(str(path), unzipdir=str(tmp_path)), instanceName="oscillator",
                     modelIdentifier=description.coSimulation.modelIdentifier)
    with pytest.raises(Exception):
        made.instantiate()
