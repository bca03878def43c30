"""Derivatives of inputs and outputs, and the frames that a port speaks in."""

import math
from ctypes import c_double, c_int, c_size_t

import fmpy
import numpy as np
import pytest

from master import DISCARD, ERROR, OK, SMALL, WARNING, Fmu, Slave, motion, vector

NAN = float("nan")
H = 0.005


def derivatives(slave, function, names, orders, values):
    ints = (c_int * len(orders))(*orders)
    reals = (c_double * len(values))(*values)
    status = slave.call(function, slave.fmu.references(names), c_size_t(len(names)), ints, reals)
    return status, list(reals)


def set_rates(slave, rates, order=1):
    return derivatives(slave, "SetRealInputDerivatives", list(rates), [order] * len(rates), list(rates.values()))[0]


# ---- inputs

def plate_at(t):
    """Accelerated down into the bed and turning ever faster: inputs and their first derivatives."""
    a, alpha = -3.0, 40.0
    height, angle = 0.2 + 0.5 * a * t * t, 0.5 * alpha * t * t
    values = motion("plate", (0, 0, height), (0, 0, a * t), (math.cos(angle / 2), 0, 0, math.sin(angle / 2)),
                    (0, 0, alpha * t))
    return values, {"plate.velocity[3]": a, "plate.angularVelocity[3]": alpha}


def drive(slave, h, stop=0.3, bent=True):
    """Mean wrench over every tenth of a second."""
    names = vector("plate.force") + vector("plate.torque")
    rows = []
    for n in range(round(stop / h)):
        values, rates = plate_at(n * h)
        assert slave.set(values) == OK
        if bent:
            assert set_rates(slave, rates) == OK
        assert slave.step(n * h, h) == OK, slave.errors
        rows.append(list(slave.get(names).values()))
    return np.array(rows).reshape(3, -1, 6).mean(axis=1)


def test_long_steps_follow_the_acceleration(instantiate):
    """With derivatives a step of 0.05 s drives the plate as steps of a frame do: the same motion in every substep but
    for rounding, which the bed makes larger: from 1e-13 to 1e-4 in 0.2 s. Without them it goes another way."""
    start = plate_at(0)[0]
    fine = drive(instantiate().begin(values=start), H)
    bent = drive(instantiate().begin(values=start), 0.05)
    straight = drive(instantiate().begin(values=start), 0.05, bent=False)
    scale = np.abs(fine).max(axis=1)
    assert (scale > 0.1).all()  # N and N m; the first tenth goes through the room that the grains leave at the start
    assert (np.abs(bent - fine).max(axis=1) < (1e-9, 1e-6, 1e-2) * scale).all()
    assert (np.abs(straight - fine).max(axis=1) > 0.01 * scale).all()


def test_derivatives_hold_for_one_step_and_are_state(instantiate):
    """Taken back with the state, gone after the step."""
    slave, other = instantiate(), instantiate()
    values, rates = plate_at(0.2)
    for s in (slave, other):
        s.begin(values=values)
        s.steps(20)
        assert s.set(values) == OK and set_rates(s, rates) == OK
    state = slave.take()
    slave.steps(3, first=20)
    assert slave.restore(state) == OK
    slave.release(state)
    assert slave.steps(2, first=20) == other.steps(2, first=20)
    plain = instantiate().begin(values=values)
    plain.steps(20)
    assert plain.set(values) == OK
    assert plain.steps(1, first=20) != other.steps(1, first=22)


@pytest.mark.parametrize("names, orders, values, word", [
    (["plate.velocity[1]"], [0], [1], "order 0"), (["plate.velocity[1]"], [-1], [1], "order -1"),
    (["plate.velocity[1]"], [1], [NAN], "finite"), (["plate.force[1]"], [1], [1], "only real inputs"),
    (["gravity[1]"], [1], [1], "only real inputs"), (["solver.substeps"], [1], [1], "type Integer"),
    (["plate.velocity[1]", "plate.force[1]"], [1, 1], [1, 1], "only real inputs")])
def test_bad_input_derivatives(slave, names, orders, values, word):
    slave.begin()
    before = slave.snapshot()
    status, _ = derivatives(slave, "SetRealInputDerivatives", names, orders, values)
    assert status == ERROR and word in slave.errors[-1]
    assert slave.snapshot() == before


def test_high_orders_are_a_warning(slave):
    slave.begin()
    assert set_rates(slave, {"plate.velocity[1]": 1.0}, order=3) == WARNING
    assert "no effect" in slave.callbacks.log[-1][4] and slave.errors == []


def test_null_lists(slave):
    slave.begin()
    one, real, order = slave.fmu.references(["plate.velocity[1]"]), (c_double * 1)(), (c_int * 1)(1)
    for arguments in ((None, c_size_t(1), order, real), (one, c_size_t(1), None, real), (one, c_size_t(1), order, None)):
        for function in ("SetRealInputDerivatives", "GetRealOutputDerivatives"):
            assert slave.call(function, *arguments) == ERROR and "NULL" in slave.errors[-1]
    assert slave.call("SetRealInputDerivatives", None, c_size_t(0), None, None) == OK
    assert slave.call("GetRealOutputDerivatives", None, c_size_t(0), None, None) == OK


def test_fmpy_sets_derivatives(small_path):
    """FMPy gives the slope of every input, at a row of the table the one before it: the plate goes on that way. The same
    without derivatives are velocities that say so. (FMPy 0.3.32 has room for nine derivatives, no more and no fewer.)"""
    parts = ("position", "velocity", "angularVelocity")
    names = [name for part in parts for name in vector(f"plate.{part}")]
    times = np.arange(0, 0.351, 0.05)

    def run(derivatives, speed):
        rows = [(t, 0, 0, 0.2 - 1.5 * t * t, 0, 0, speed(t), 0, 0, 0) for t in times]
        table = np.array(rows, dtype=[("time", float)] + [(name, float) for name in names])
        return fmpy.simulate_fmu(str(small_path), stop_time=0.25, output_interval=0.05, input=table,
                                 output=["plate.force[3]"], set_input_derivatives=derivatives)["plate.force[3]"]

    told, plain = run(True, lambda t: -3 * t), run(False, lambda t: -3 * t)
    slope = run(False, lambda t: 0.075 - 3 * t if t > 0 else 0)
    scale = np.abs(told).max()
    assert scale > 1
    assert np.abs(told - slope).max() < 1e-4 * scale  # rounding, through the bed
    assert np.abs(told - plain).max() > 0.01 * scale


# ---- outputs

def test_filtered_wrench(instantiate):
    """T y' = F - y in every substep: over a step whose substeps are one frame's, the filter's own recursion from the
    instantaneous wrench, which a step of one substep shows in full."""
    slave = instantiate().begin(values={"solver.substeps": 1, "port.floor.filterTime": 0.03})
    y = 0.0
    for n in range(100):
        row = slave.steps(1, first=n)[0]
        force = row["floor.instantForce[3]"]
        y = force + (y - force) * math.exp(-H / 0.03)
        assert row["floor.filteredForce[3]"] == pytest.approx(y, rel=1e-12, abs=1e-12)
        assert row["floor.force[3]"] == pytest.approx(force, rel=1e-12, abs=1e-12)
        status, values = derivatives(slave, "GetRealOutputDerivatives", ["floor.filteredForce[3]"], [1], [7.0])
        assert status == OK and values[0] == pytest.approx((force - y) / 0.03, rel=1e-12, abs=1e-9)
    assert y < -1


def test_filter_does_not_see_the_steps(instantiate):
    """The same frames in steps of one and of five: the same filtered force but for rounding."""
    ends = [instantiate().begin().steps(round(0.3 / h), h=h)[-1] for h in (H, 5 * H)]
    assert ends[0]["floor.filteredForce[3]"] == pytest.approx(ends[1]["floor.filteredForce[3]"], rel=1e-9)
    assert ends[0]["floor.force[3]"] != pytest.approx(ends[1]["floor.force[3]"], rel=1e-9)


def test_no_filter(instantiate):
    slave = instantiate().begin(values={"port.floor.filterTime": 0.0})
    row = slave.steps(60)[-1]
    assert row["floor.filteredForce[3]"] == row["floor.instantForce[3]"] < 0
    status, values = derivatives(slave, "GetRealOutputDerivatives", ["floor.filteredForce[3]"], [1], [7.0])
    assert status == DISCARD and values == [0.0]


def test_outputs_without_derivative(slave):
    """They give zero and Discard, those with one still their value; a wrong order or variable is an error."""
    slave.begin().steps(60)
    names = ["floor.force[3]", "floor.filteredForce[3]", "info.mass"]
    status, values = derivatives(slave, "GetRealOutputDerivatives", names, [1, 1, 1], [7.0] * 3)
    assert status == DISCARD and values[0] == values[2] == 0.0 != values[1]
    assert slave.callbacks.log[-1][3] == "logStatusDiscard" and slave.errors == []
    for name, order in (("floor.filteredForce[3]", 2), ("floor.filteredForce[3]", 0), ("plate.velocity[1]", 1),
                        ("gravity[1]", 1), ("info.contacts", 1)):
        assert derivatives(slave, "GetRealOutputDerivatives", [name], [order], [0.0])[0] == ERROR, name


# ---- frames

@pytest.fixture(scope="module")
def framed(command, tmp_path_factory):
    """The small scene with a port that speaks in the body frame and in matrices."""
    folder = tmp_path_factory.mktemp("framed")
    scene = SMALL.read_text().replace('<port id="plate" body="blade" mode="motion"/>',
                                      '<port id="plate" body="blade" mode="motion" resolveInFrame="body" '
                                      'orientation="matrix"/>')
    (folder / "framed.xml").write_text(scene)
    command("pack", folder / "framed.xml", "-o", folder / "framed.fmu")
    return Fmu(folder / "framed.fmu", folder / "unpacked")


MATRIX = [f"plate.orientation[{i},{j}]" for i in (1, 2, 3) for j in (1, 2, 3)]


def turn_about_z(angle):
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])


def test_matrix_names(framed):
    assert framed.inputs == (vector("plate.position") + MATRIX + vector("plate.velocity") +
                             vector("plate.angularVelocity"))
    start = [float(framed.variables[name].start) for name in MATRIX]
    assert start == pytest.approx(turn_about_z(0.5).ravel(), abs=1e-15)
    assert "body frame" in framed.variables["plate.force[1]"].description


def test_body_frame_and_matrix(small, framed):
    """The same plate, said in two ways. A velocity that stands still in the world turns in the body frame: its
    derivatives there are vb' = -w x vb and vb'' = w x (w x vb). With them both plates go the same straight way but for
    rounding, which the bed makes larger."""
    w, speed = np.array((0, 0, 5.0)), np.array((0.1, 0.05, -0.8))
    plain, slave = Slave(small), Slave(framed)
    rows = []
    for n in range(40):
        t = n * H
        angle = 0.5 + w[2] * t
        turn, position = turn_about_z(angle), np.array((0, 0, 0.3)) + speed * t
        inputs = motion("plate", position, speed, (math.cos(angle / 2), 0, 0, math.sin(angle / 2)), w)
        inside = turn.T @ speed
        framed_inputs = {**dict(zip(vector("plate.position"), position)), **dict(zip(MATRIX, turn.ravel())),
                         **dict(zip(vector("plate.velocity"), inside)), **dict(zip(vector("plate.angularVelocity"), w))}
        if n == 0:
            plain.begin(values=inputs)
            slave.begin(values=framed_inputs)
        assert plain.set(inputs) == OK and slave.set(framed_inputs) == OK
        assert set_rates(slave, dict(zip(vector("plate.velocity"), -np.cross(w, inside)))) == OK
        assert set_rates(slave, dict(zip(vector("plate.velocity"), np.cross(w, np.cross(w, inside)))), order=2) == OK
        force, other = (np.array(list(s.steps(1, first=n, columns=vector("plate.force"))[0].values()))
                        for s in (plain, slave))
        rows.append([force, turn_about_z(angle + w[2] * H) @ other])
    rows = np.array(rows)
    error, scale = np.abs(rows[:, 0] - rows[:, 1]).max(axis=1), np.abs(rows).max()
    assert scale > 10 and error[:10].max() < 1e-9 * scale and error.max() < 1e-3 * scale
    for s in (plain, slave):
        s.free()


def test_no_rotation_is_refused(framed):
    slave = Slave(framed).begin()
    assert slave.set({MATRIX[0]: 3.0}) == OK  # one at a time: it may become a rotation yet
    assert slave.step(0, H) == ERROR and "no rotation" in slave.errors[-1]
    assert slave.set(dict(zip(MATRIX, np.eye(3).ravel()))) == OK and slave.step(0, H) == OK
    slave.free()
