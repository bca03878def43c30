"""Steps that end early: fmi2Discard, how far they came, and masters that go on or go back."""

from ctypes import byref, c_double, c_int

import pytest

from master import DISCARD, DO_STEP_STATUS, ERROR, LAST_SUCCESSFUL_TIME, OK, TERMINATED

STRICT = {"solver.tolerance": 3e-3, "solver.strict": 1, "solver.maxSubsteps": 20}


def status_of(slave):
    """What a master asks for after a Discard."""
    step, time, terminated = c_int(), c_double(), c_int(7)
    assert slave.call("GetStatus", DO_STEP_STATUS, byref(step)) == OK
    assert slave.call("GetRealStatus", LAST_SUCCESSFUL_TIME, byref(time)) == OK
    assert slave.call("GetBooleanStatus", TERMINATED, byref(terminated)) == OK
    assert terminated.value == 0
    return step.value, time.value


def test_discarded_step_changes_nothing(slave):
    slave.begin(values=STRICT)
    time, h = 0.0, 0.005
    while True:
        before = slave.snapshot()
        status = slave.step(time, h)
        if status != OK:
            break
        time += h
    assert status == DISCARD and slave.errors == []
    _, name, logged, category, text = slave.callbacks.log[-1]
    assert (logged, category) == (DISCARD, "logStatusDiscard") and "tolerance" in text
    assert status_of(slave) == (DISCARD, pytest.approx(time, abs=1e-12))
    after = bytearray(slave.snapshot())
    assert len(after) == len(before)
    assert sum(a != b for a, b in zip(before[104:], after[104:])) <= 1  # behind the header: the last step's status alone
    assert slave.step(time, h / 16) == OK  # a shorter one is good
    assert status_of(slave) == (OK, pytest.approx(time + h / 16, abs=1e-12))


def test_master_that_adapts_its_step(instantiate):
    """Halves on Discard and doubles on success, all the way; the same bits as a master that knew the steps before."""
    slave = instantiate().begin(values=STRICT)
    time, h, steps, discards = 0.0, 0.005, [], 0
    while time < 0.2:
        if slave.step(time, h) == OK:
            steps.append((time, h))
            time += h
            h = min(2 * h, 0.005)
            row = slave.get(["info.contacts", "info.overlapError"])
            assert row["info.contacts"] == 0 or row["info.overlapError"] <= 3e-3
        else:
            discards += 1
            h /= 2
    assert discards > 3
    other = instantiate().begin(values=STRICT)
    for step in steps:
        assert other.step(*step) == OK
    assert other.get(other.fmu.outputs) == slave.get(slave.fmu.outputs)


def test_time_budget(instantiate):
    """A budget that no frame keeps: a step of ten frames ends after its first, and the master goes on from there."""
    slave = instantiate().begin(values={"solver.timeBudget": 1e-9})
    for n in range(10):
        assert slave.step(n * 0.005, 0.05) == DISCARD and "time budget" in slave.callbacks.log[-1][4]
        assert status_of(slave) == (DISCARD, pytest.approx((n + 1) * 0.005, rel=1e-12))
        assert slave.step(n * 0.005, 0.05) == ERROR  # that time has gone
    straight = instantiate().begin().steps(10)
    assert slave.get(slave.fmu.outputs) == straight[-1]


def test_discard_can_be_taken_back(instantiate):
    slave = instantiate().begin(values={"solver.timeBudget": 1e-9})
    state = slave.take()
    assert slave.step(0, 0.05) == DISCARD
    assert slave.restore(state) == OK and status_of(slave) == (OK, 0.0)
    rows = slave.steps(10)
    slave.release(state)
    assert rows == instantiate().begin().steps(10)
