"""Get, set and serialise the state: going back is as if one had never strayed. All comparisons are of bits."""

import ctypes
import json
import pathlib
import random
import statistics
import struct
import subprocess
import sys
import time
from ctypes import byref, c_double, c_size_t, c_void_p

import pytest

from master import ERROR, LAST_SUCCESSFUL_TIME, OK, SMALL, Callbacks, Fmu, Slave, motion
from test_fmi_states import REACH, STATES, break_down

H = 0.005
HEADER = 88  # bytes before the content of a serialised state; a state in memory has another header


def inputs_of(n):
    """The plate goes down into the falling grains, turns, and comes up again, twice in 200 steps."""
    phase = (n % 100) / 100
    height, speed = (0.3 - 0.5 * phase, -1.0) if phase < 0.5 else (0.05 + 0.5 * (phase - 0.5), 1.0)
    return motion("plate", (0, 0, height), (0, 0, speed), (1, 0, 0, 0.1 * phase), (0, 0, 0.4))


def advance(slave, n):
    assert slave.set(inputs_of(n)) == OK
    return slave.steps(1, H, n)[0]


def run(slave, count, first=0):
    return [advance(slave, n) for n in range(first, first + count)]


def stray(slave, n, chance):
    """A step from the same time with other inputs and another length."""
    place = [chance.uniform(-0.05, 0.05), 0.0, chance.uniform(0.02, 0.3)]
    assert slave.set(motion("plate", place, (chance.uniform(-3, 3), 0, 0), (1, chance.uniform(-1, 1), 0, 0))) == OK
    assert slave.step(n * H, chance.choice([H, 0.3 * H, 2 * H])) == OK


@pytest.fixture(scope="module")
def straight(small):
    """The outputs of 100 steps of an instance that never strays."""
    slave = Slave(small)
    rows = run(slave.begin(), 100)
    slave.free()
    assert any(row["plate.force[3]"] != 0 for row in rows[:60])  # the plate has met the grains
    return rows


# ---- rollback

@pytest.mark.parametrize("at", [0, 1, 30, 60])
def test_rollback(slave, straight, at):
    chance = random.Random(at)
    assert run(slave.begin(stop=100 * H), at) == straight[:at]
    inputs = slave.get(slave.fmu.inputs)
    state = slave.take()
    stray(slave, at, chance)
    for n in (1, 2):
        moment = c_double()
        assert slave.call("GetRealStatus", LAST_SUCCESSFUL_TIME, byref(moment)) == OK and moment.value > at * H
        assert slave.step(moment.value, n * 0.7 * H) == OK
    assert slave.restore(state) == OK
    assert slave.get(slave.fmu.inputs) == inputs
    assert slave.call("GetRealStatus", LAST_SUCCESSFUL_TIME, byref(moment)) == OK and moment.value == at * H
    if at:
        assert slave.get(slave.fmu.outputs) == straight[at - 1]
    assert run(slave, 100 - at, at) == straight[at:]
    assert slave.step(100 * H, H) == ERROR and "stopTime" in slave.errors[-1]  # the end came back too
    slave.release(state)


def test_master_that_iterates(slave, straight):
    """Every step is tried three times from the same state, which is taken into the same memory each time."""
    chance, state = random.Random(1), c_void_p()
    slave.begin()
    for n in range(60):
        slave.take(state)
        for _ in range(2):
            stray(slave, n, chance)
            assert slave.restore(state) == OK
        assert advance(slave, n) == straight[n]
    slave.release(state)


def test_random_interleavings(small, straight):
    """100 random orders of stepping, straying, taking, restoring and freeing, over three instances that hand states to
    each other and have memory of their own."""
    slaves = [Slave(small, name=f"s{k}").begin() for k in range(3)]
    begun = slaves[0].take()
    restored = 0
    for seed in range(100):
        chance = random.Random(seed)
        at = [0, 0, 0]  # next step of each instance; None: it has strayed
        kept = []  # [state, next step]
        for slave in slaves:
            assert slave.restore(begun) == OK
        for _ in range(20):
            k = chance.randrange(3)
            slave, action = slaves[k], chance.choice(["step", "step", "step", "stray", "take", "restore", "free"])
            if action == "step" and at[k] is not None:
                assert advance(slave, at[k]) == straight[at[k]], seed
                at[k] += 1
            elif action == "stray" and at[k] is not None:
                stray(slave, at[k], chance)
                at[k] = None
            elif action == "take" and at[k] is not None:
                old = kept.pop(chance.randrange(len(kept)))[0] if kept and chance.random() < 0.3 else None
                kept.append([slave.take(old), at[k]])
            elif action == "restore" and kept:
                state, at[k] = chance.choice(kept)
                assert slave.restore(state) == OK
                restored += 1
            elif action == "free" and kept:
                slave.release(kept.pop(chance.randrange(len(kept)))[0])
        for slave, n in zip(slaves, at):
            if n is not None:
                assert advance(slave, n) == straight[n], seed
        slaves[2].release(*[state for state, _ in kept])
    assert restored > 100
    slaves[1].release(begun)
    for slave in slaves:
        slave.free()
        assert not slave.callbacks.blocks and slave.callbacks.bad_frees == 0


@pytest.mark.parametrize("now", STATES)
@pytest.mark.parametrize("taken", STATES)
def test_from_any_state_to_any_state(instantiate, taken, now):
    """The restored instance is the one that was, bit for bit and in its state of the state machine."""
    origin, slave = instantiate(), instantiate()
    REACH[taken](origin)
    REACH[now](slave)
    slave.callbacks.log.clear()
    state = origin.take()
    assert slave.restore(state) == OK and slave.errors == []
    assert slave.snapshot() == origin.serialize(state)
    origin.release(state)
    legal = {"instantiated": "EnterInitializationMode", "initialization mode": "ExitInitializationMode",
             "step complete": "Terminate"}
    for function in legal.values():
        assert slave.call(function) == origin.call(function)
    assert slave.snapshot() == origin.snapshot()


def test_parameters_before_the_start(slave, straight):
    """Parameters, start time and the outputs of the initialization come back."""
    slave.setup(start=0.0)
    fresh = slave.take()
    assert slave.set({"solver.substeps": 3, "fill.bed.count": 50}) == OK
    assert slave.setup(start=7.0, stop=8.0) == OK and slave.call("EnterInitializationMode") == OK
    assert slave.get(["info.particles"]) == {"info.particles": 50}
    other = slave.take()
    assert slave.restore(fresh) == OK
    assert slave.call("EnterInitializationMode") == OK
    assert slave.get(["info.particles", "solver.substeps"]) == {"info.particles": 300, "solver.substeps": 10}
    assert slave.call("ExitInitializationMode") == OK
    assert run(slave, 30) == straight[:30]
    assert slave.restore(other) == OK  # back into initialization mode, where parameters are settable
    assert slave.get(["info.particles", "solver.substeps"]) == {"info.particles": 50, "solver.substeps": 3}
    assert slave.set({"fill.bed.count": 60}) == OK and slave.get(["info.particles"]) == {"info.particles": 60}
    assert slave.call("ExitInitializationMode") == OK
    assert slave.step(7.0, H) == OK and slave.step(7.0 + H, 1.0) == ERROR
    slave.release(fresh, other)


# ---- after a failed step

def test_recovers_from_want_of_memory(slave, straight):
    slave.begin()
    state = slave.take()
    n = round(break_down(slave) / H)
    slave.callbacks.fail_at = 0
    assert slave.restore(state) == ERROR and "memory" in slave.errors[-1]  # there is still none
    assert slave.step(n * H, H) == ERROR and 'state "error"' in slave.errors[-1]
    slave.callbacks.fail_at = None
    assert slave.restore(state) == OK
    assert run(slave, 60) == straight[:60]
    slave.release(state)


def test_recovers_from_divergence(slave, straight):
    run(slave.begin(), 40)
    state = slave.take()
    assert slave.set(motion("plate", (0, 0, 0.05), (1e160, 0, 0))) == OK
    assert slave.step(40 * H, H) == ERROR and "finite" in slave.errors[-1]
    broken = slave.take()  # for a look at it only: restoring it is refused, or leads to the error state
    slave.restore(broken)
    assert slave.step(40 * H, H) == ERROR and 'state "error"' in slave.errors[-1]
    assert slave.restore(state) == OK
    assert run(slave, 20, 40) == straight[40:60]
    slave.release(state, broken)


# ---- serialised

def test_another_process_continues(slave, small, tmp_path):
    """200 steps, from the fall of the grains on; the other process imports with FMPy and takes wrong steps back."""
    names = [name for name in small.outputs if small.types[name] == "Real"]
    run(slave.begin(), 50)
    (tmp_path / "state").write_bytes(slave.snapshot())
    steps = range(50, 250)
    job = {"folder": str(small.folder), "state": str(tmp_path / "state"), "outputs": names,
           "steps": [(n * H, H, inputs_of(n)) for n in steps]}
    script = pathlib.Path(__file__).with_name("resume.py")
    done = subprocess.run([sys.executable, str(script)], input=json.dumps(job), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    here = [[row[name] for name in names] for row in run(slave, len(steps), steps[0])]
    assert json.loads(done.stdout) == here


def test_serialising_is_a_copy(slave):
    run(slave.begin(), 30)
    state, copy = slave.take(), c_void_p()
    content = slave.serialize(state)
    assert slave.serialize(state) == content  # same state, same bytes
    assert slave.deserialize(content, copy) == OK
    slave.release(state)
    run(slave, 5, 30)
    assert slave.restore(copy) == OK and slave.snapshot() == content
    slave.release(copy)


def test_room_may_be_larger(slave):
    """Some importers ask for the size once and keep a larger buffer."""
    run(slave.begin(), 20)
    state, copy = slave.take(), c_void_p()
    content = slave.serialize(state)
    room = ctypes.create_string_buffer(b"\x5a" * (len(content) + 100), len(content) + 100)
    assert slave.call("SerializeFMUstate", state, room, c_size_t(len(room))) == OK
    assert room.raw == content + b"\x5a" * 100
    assert slave.deserialize(room.raw, copy) == OK and slave.serialize(copy) == content
    assert slave.call("SerializeFMUstate", state, room, c_size_t(len(content) - 1)) == ERROR
    assert "does not fit" in slave.errors[-1]
    slave.release(state, copy)


# ---- what is refused

def refuse(slave, function, *arguments):
    """The one message of a call that must fail."""
    before = len(slave.errors)
    assert slave.call(function, *arguments) == ERROR
    assert len(slave.errors) == before + 1 and slave.errors[-1].startswith(f"fmi2{function}: ")
    return slave.errors[-1]


def refuse_content(slave, content):
    state = c_void_p()
    message = refuse(slave, "DeSerializeFMUstate", content, c_size_t(len(content)), byref(state))
    assert not state
    return message


def test_bad_bytes(slave, straight):
    run(slave.begin(), 30)
    content = slave.snapshot()
    assert "too few" in refuse_content(slave, b"")
    for cut in [*range(0, 200, 7), *range(200, len(content), 1 + len(content) // 50), len(content) - 1]:
        refuse_content(slave, content[:cut])
    chance = random.Random(2)
    for at in [*range(150), *(chance.randrange(len(content)) for _ in range(150)), len(content) - 1]:
        damaged = bytearray(content)
        damaged[at] ^= 1 << chance.randrange(8)
        refuse_content(slave, bytes(damaged))
    assert "no state" in refuse_content(slave, bytes(len(content)))
    assert slave.snapshot() == content
    assert run(slave, 10, 30) == straight[30:40]


def test_other_scenes(command, slave, plate, straight, tmp_path):
    """One that differs by a single number, and one that differs in everything; as bytes and as a state in memory."""
    (tmp_path / "other.xml").write_text(SMALL.read_text().replace('seed="7"', 'seed="8"'))
    command("pack", tmp_path / "other.xml", "-o", tmp_path / "other.fmu")
    run(slave.begin(), 30)
    content = slave.snapshot()
    for fmu in (Fmu(tmp_path / "other.fmu", tmp_path / "other"), plate):
        stranger = Slave(fmu)
        state = stranger.begin().take()
        assert "another FMU" in refuse_content(slave, stranger.serialize(state))
        assert "another scene" in refuse(slave, "SetFMUstate", state)
        stranger.release(state)
        stranger.free()
    assert slave.snapshot() == content
    assert run(slave, 10, 30) == straight[30:40]


def test_bad_arguments(slave):
    run(slave.begin(), 10)
    state, size = slave.take(), c_size_t()
    content = slave.serialize(state)
    junk = ctypes.create_string_buffer(4096)
    pointer = c_void_p(ctypes.addressof(junk))
    assert "NULL" in refuse(slave, "GetFMUstate", None)
    assert "NULL" in refuse(slave, "SetFMUstate", None)
    assert "NULL" in refuse(slave, "SerializedFMUstateSize", None, byref(size))
    assert "NULL" in refuse(slave, "SerializedFMUstateSize", state, None)
    assert "NULL" in refuse(slave, "SerializeFMUstate", None, junk, c_size_t(len(junk)))
    assert "NULL" in refuse(slave, "SerializeFMUstate", state, None, c_size_t(len(content)))
    assert "NULL" in refuse(slave, "DeSerializeFMUstate", content, c_size_t(len(content)), None)
    refuse(slave, "DeSerializeFMUstate", None, c_size_t(len(content)), byref(c_void_p()))
    for function, arguments in (("GetFMUstate", (byref(pointer),)), ("SetFMUstate", (pointer,)),
                                ("FreeFMUstate", (byref(pointer),)), ("SerializedFMUstateSize", (pointer, byref(size))),
                                ("SerializeFMUstate", (pointer, junk, c_size_t(len(junk)))),
                                ("DeSerializeFMUstate", (content, c_size_t(len(content)), byref(pointer)))):
        assert "no state" in refuse(slave, function, *arguments)
    assert slave.call("FreeFMUstate", None) == OK
    assert slave.call("FreeFMUstate", byref(c_void_p())) == OK
    assert slave.snapshot() == content
    slave.release(state)
    slave.release(state)  # it is NULL now


def test_damage_in_memory(slave, straight):
    """A state that the importer has written over is refused when it is set: by the values of the instance's part, and
    by the checksum of the world's."""
    run(slave.begin(), 30)
    state = slave.take()
    content = slave.serialize(state)
    begin = ctypes.string_at(state, len(content)).index(content[HEADER:])
    part = struct.Struct("=dddIIII")  # time, start, stop, state, last step, has stop, stale
    whole = part.unpack(content[HEADER:HEADER + part.size])
    nan = float("nan")
    for field, value in ((0, nan), (1, float("inf")), (2, nan), (3, 0), (3, 3), (3, 32), (4, 6), (5, 2), (6, 7)):
        changed = list(whole)
        changed[field] = value
        ctypes.memmove(state.value + begin, part.pack(*changed), part.size)
        assert "values" in refuse(slave, "SetFMUstate", state)
    ctypes.memmove(state.value + begin, part.pack(*whole), part.size)
    chance = random.Random(3)
    for _ in range(100):
        at = chance.randrange(part.size, len(content) - HEADER)
        byte = ctypes.c_ubyte.from_address(state.value + begin + at)
        byte.value ^= 16
        refuse(slave, "SetFMUstate", state)
        byte.value ^= 16
    assert slave.snapshot() == content
    assert slave.restore(state) == OK
    assert run(slave, 10, 30) == straight[30:40]
    slave.release(state)


# ---- memory

def test_states_belong_to_no_instance(small, straight):
    """Twenty at once; they outlive the instance that took them, and go back to its memory, not to another's."""
    first, second = Slave(small, name="first"), Slave(small, name="second")
    first.begin()
    states = []
    for n in range(20):
        states.append(first.take())
        advance(first, n)
    first.free()
    assert len(first.callbacks.blocks) == len(states)
    for n in (13, 4, 19):
        assert second.restore(states[n]) == OK
        assert run(second, 5, n) == straight[n:n + 5]
    second.release(*states)
    assert not first.callbacks.blocks and first.callbacks.bad_frees == 0
    second.free()
    assert not second.callbacks.blocks and second.callbacks.bad_frees == 0


def test_memory_is_used_again(slave):
    run(slave.begin(), 60)
    state = slave.take()
    content = slave.serialize(state)
    before, where = slave.callbacks.allocations, state.value
    assert slave.take(state).value == where
    assert slave.deserialize(content, state) == OK and state.value == where
    assert slave.callbacks.allocations == before
    slave.release(state)


def test_memory_without_callbacks(small, straight):
    slave = Slave(small, callbacks=Callbacks(memory=False))
    state = slave.begin().take()
    run(slave, 5)
    assert slave.restore(state) == OK and run(slave, 5) == straight[:5]
    slave.release(state)
    slave.free()
    assert slave.callbacks.allocations == 0


def test_every_allocation_may_fail(slave, straight):
    """A call that runs out of memory at its n-th allocation, for every n, has changed nothing."""
    early = slave.begin().take()
    run(slave, 40)
    content = slave.snapshot()
    copy = c_void_p()
    for attempt in (lambda: slave.call("GetFMUstate", byref(copy)), lambda: slave.deserialize(content, copy),
                    lambda: slave.call("GetFMUstate", byref(early)),  # its memory is too small by now
                    lambda: slave.restore(early)):
        held = early.value, copy.value
        for n in range(1, 100):
            slave.callbacks.fail_at = slave.callbacks.allocations + n
            status = attempt()
            slave.callbacks.fail_at = None
            if status == OK:
                break
            assert "memory" in slave.errors[-1] and (early.value, copy.value) == held
            assert slave.snapshot() == content
        assert status == OK and n > 1
        slave.release(copy)
    assert run(slave, 10, 40) == straight[40:50]
    slave.release(early)


# ---- cost

@pytest.mark.long
def test_cost(plate):
    """Taking and restoring together cost at most as much as two frames, which is what a master that tries every step
    twice can bear. Both are measured in turn in one run, so that the machine's speed and load cancel, and the medians
    leave out interruptions. The bed has come to rest, with all its contacts."""
    slave = Slave(plate, callbacks=Callbacks(memory=False))  # no Python in the allocations
    slave.begin()
    for n in range(120):
        assert slave.step(n * H, H) == OK
    state = slave.take()
    frames, keeping = [], []
    for n in range(120, 160):
        begin = time.perf_counter()
        slave.take(state)
        assert slave.restore(state) == OK
        middle = time.perf_counter()
        assert slave.step(n * H, H) == OK  # one frame
        keeping.append(middle - begin)
        frames.append(time.perf_counter() - middle)
    ratio = statistics.median(keeping) / statistics.median(frames)
    print(f"get and set: {ratio:.2f} frames, state of {len(slave.serialize(state)) / 1e6:.1f} MB")
    slave.release(state)
    slave.free()
    assert ratio <= 2.0
