"""The state machine: every function in every state."""

from ctypes import byref, c_char_p, c_double, c_int, c_size_t, c_void_p, create_string_buffer

import pytest

from master import (DISCARD, DO_STEP_STATUS, ERROR, LAST_SUCCESSFUL_TIME, OK, PENDING_STATUS, TERMINATED, motion)

NAN = float("nan")


def break_down(slave):
    """A step that fails half-way, here for want of memory for the contacts of falling grains; the time it began at."""
    h = 0.005
    slave.callbacks.fail_at = 0
    n = next(n for n in range(200) if slave.step(n * h, h) != OK)
    slave.callbacks.fail_at = None
    return n * h


class Kept:
    """A state of the instance as it is now, for the calls that need one."""

    def __init__(self, slave):
        self.state, self.other = slave.take(), c_void_p()
        self.content = slave.serialize(self.state)
        self.size = c_size_t(len(self.content))
        self.room = create_string_buffer(len(self.content))


REACH = {
    "instantiated": lambda slave: None,
    "initialization mode": lambda slave: (slave.setup(), slave.call("EnterInitializationMode")),
    "step complete": lambda slave: slave.begin().steps(1),
    "terminated": lambda slave: (slave.begin().steps(1), slave.call("Terminate")),
    "error": lambda slave: (slave.begin(), break_down(slave), slave.callbacks.log.clear()),
}
STATES = list(REACH)

none = c_size_t(0)
# function: arguments (those that need a state: made of a Kept one), states in which it succeeds
CALLS = {
    "SetDebugLogging": ((1, none, None), STATES),
    "SetupExperiment": ((0, c_double(0), c_double(0), 0, c_double(0)), STATES[:1]),
    "EnterInitializationMode": ((), STATES[:1]),
    "ExitInitializationMode": ((), STATES[1:2]),
    "Terminate": ((), STATES[2:3]),
    "Reset": ((), STATES),
    **{f"Get{t}": ((None, none, None), STATES[1:]) for t in ("Real", "Integer", "Boolean", "String")},
    **{f"Set{t}": ((None, none, None), STATES[:3]) for t in ("Real", "Integer", "Boolean", "String")},
    "DoStep": ((c_double(0.005), c_double(0.005), 1), STATES[2:3]),
    "GetStatus": ((DO_STEP_STATUS, byref(c_int())), STATES[2:]),
    "GetRealStatus": ((LAST_SUCCESSFUL_TIME, byref(c_double())), STATES[2:]),
    "GetBooleanStatus": ((TERMINATED, byref(c_int())), STATES[2:]),
    "GetStringStatus": ((PENDING_STATUS, byref(c_char_p())), STATES[2:]),
    "SetRealInputDerivatives": ((None, none, None, None), STATES[:3]),
    "GetRealOutputDerivatives": ((None, none, None, None), STATES[2:]),
    "GetDirectionalDerivative": ((None, none, None, none, None, None), STATES[2:]),
    "GetFMUstate": (lambda kept: (byref(kept.other),), STATES),
    "SetFMUstate": (lambda kept: (kept.state,), STATES),
    "FreeFMUstate": (lambda kept: (byref(kept.state),), STATES),
    "SerializedFMUstateSize": (lambda kept: (kept.state, byref(c_size_t())), STATES),
    "SerializeFMUstate": (lambda kept: (kept.state, kept.room, kept.size), STATES),
    "DeSerializeFMUstate": (lambda kept: (kept.content, kept.size, byref(kept.other)), STATES),
    # exported, and never available
    "CancelStep": ((), []),
    "EnterEventMode": ((), []),
    "NewDiscreteStates": ((None,), []),
    "EnterContinuousTimeMode": ((), []),
    "CompletedIntegratorStep": ((0, None, None), []),
    "SetTime": ((c_double(0),), []),
    "SetContinuousStates": ((None, none), []),
    "GetDerivatives": ((None, none), []),
    "GetEventIndicators": ((None, none), []),
    "GetContinuousStates": ((None, none), []),
    "GetNominalsOfContinuousStates": ((None, none), []),
}


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("function", CALLS)
def test_matrix(slave, function, state):
    arguments, allowed = CALLS[function]
    REACH[state](slave)
    assert slave.errors == []
    kept = Kept(slave)
    status = slave.call(function, *(arguments(kept) if callable(arguments) else arguments))
    if state in allowed:
        assert status == OK, slave.errors
        assert slave.errors == []
    else:
        assert status == ERROR
        assert len(slave.errors) == 1 and slave.errors[0].startswith(f"fmi2{function}: ")
    slave.release(kept.state, kept.other)


def test_refused_calls_change_nothing(slave):
    """All illegal calls of a state, then the legal ones go on as ever."""
    for state in STATES[:3]:
        for function, (arguments, allowed) in CALLS.items():
            if state not in allowed:
                assert slave.call(function, *arguments) == ERROR, function
        if state == "instantiated":
            assert slave.setup() == OK and slave.call("EnterInitializationMode") == OK
        elif state == "initialization mode":
            assert slave.call("ExitInitializationMode") == OK
    assert slave.steps(3)


def test_error_state(slave):
    """Nothing but a state taken before (test_fmi_state.py) and fmi2Reset lead out of it."""
    began = break_down(slave.begin())
    assert "memory" in slave.errors[-1] and "fmi2SetFMUstate or fmi2Reset" in slave.errors[-1]
    assert slave.step(began, 0.005) == ERROR and 'state "error"' in slave.errors[-1]
    assert slave.set({"plate.velocity[1]": 0.0}) == ERROR
    value, time = c_int(), c_double()
    assert slave.call("GetStatus", DO_STEP_STATUS, byref(value)) == OK and value.value == ERROR
    assert slave.call("GetRealStatus", LAST_SUCCESSFUL_TIME, byref(time)) == OK
    assert time.value == pytest.approx(began, rel=1e-12)
    slave.callbacks.fail_at = 0
    assert slave.call("Reset") == ERROR  # still no memory
    slave.callbacks.fail_at = None
    assert slave.call("Reset") == OK
    assert slave.begin().steps(1)


# ---- times

@pytest.mark.parametrize("time, h, word", [
    (0.0, 0.0, "above 0"), (0.0, -0.005, "above 0"), (0.0, NAN, "finite"), (NAN, 0.005, "finite"),
    (0.0, float("inf"), "finite"), (0.005, 0.005, "the last step ended at 0 s"), (-0.005, 0.005, "the last step ended"),
    (0.0, 0.2, "past stopTime")])
def test_bad_steps(slave, time, h, word):
    slave.begin(stop=0.1)
    assert slave.step(time, h) == ERROR
    assert word in slave.errors[-1]
    assert slave.step(0.0, 0.005) == OK


def test_times_of_a_summing_master(slave):
    """A master that adds up steps, and one that stops where the last step rounds past the end."""
    slave.begin(start=1000.0, stop=1000.3)
    time, h = 1000.0, 0.1
    for _ in range(3):
        assert slave.step(time, h) == OK, slave.errors
        time += h
    value = c_double()
    assert slave.call("GetRealStatus", LAST_SUCCESSFUL_TIME, byref(value)) == OK and value.value == time
    assert slave.step(time, h) == ERROR


@pytest.mark.parametrize("start, stop", [(NAN, None), (float("inf"), None), (0.0, NAN), (1.0, 0.5), (1.0, 1.0)])
def test_bad_experiments(slave, start, stop):
    assert slave.setup(start, stop) == ERROR and slave.errors
    assert slave.begin().steps(1)


def test_variable_steps(slave):
    slave.begin()
    time = 0.0
    for h in (0.005, 0.001, 0.0123, 1e-6, 0.05):
        assert slave.step(time, h) == OK, slave.errors
        time += h


# ---- status

def test_status_of_other_kinds(slave):
    slave.begin().steps(1)
    for function, kind, ctype in (("GetStatus", TERMINATED, c_int), ("GetRealStatus", DO_STEP_STATUS, c_double),
                                  ("GetIntegerStatus", DO_STEP_STATUS, c_int), ("GetBooleanStatus", 17, c_int),
                                  ("GetStringStatus", LAST_SUCCESSFUL_TIME, c_char_p)):
        assert slave.call(function, kind, byref(ctype())) == DISCARD
        assert slave.callbacks.log[-1][3] == "logStatusDiscard"
    assert slave.errors == []


def test_outputs_during_initialization(slave):
    """They follow parameters and inputs as they are now, and reading them changes nothing."""
    slave.setup()
    slave.call("EnterInitializationMode")
    assert slave.get(["info.particles", "floor.force[3]"]) == {"info.particles": 300, "floor.force[3]": 0}
    assert slave.set({"fill.bed.count": 100}) == OK
    assert slave.get(["info.particles"]) == {"info.particles": 100}
    assert slave.set(motion("plate", (0, 0, 0.5))) == OK
    assert slave.get(["info.particles", "plate.position[3]"]) == {"info.particles": 100, "plate.position[3]": 0.5}
    assert slave.call("ExitInitializationMode") == OK
    assert slave.steps(1)[0]["info.particles"] == 100
