"""Recording inside an importer: the parameters record.directory and record.interval."""

import ctypes
import json
import locale
import os
from ctypes import byref, c_char_p, c_size_t, c_void_p

import fmpy
import numpy as np
import pytest
from recordings import Recording

from master import ERROR, OK, SMALL, WARNING, Slave

H = 0.005


def record(slave, place, interval=0.0, **arguments):
    """To the first communication point, recording."""
    return slave.begin(values={"record.directory": str(place), "record.interval": interval}, **arguments)


def same(a, b, without=("wall",)):
    return len(a.frames) == len(b.frames) and all(
        np.array_equal(one[key], other[key]) for one, other in zip(a.frames, b.frames) for key in one if key not in without)


def test_same_recording_as_the_command(command, small_path, tmp_path):
    """With an independent importer; but for the wall-clock times, to the bit."""
    command("run", SMALL, "--until", 0.2, "--step", H, "--record", tmp_path / "c", "--record-every", 0.02)
    fmpy.simulate_fmu(str(small_path), stop_time=0.2, output_interval=H,
                      start_values={"record.directory": str(tmp_path / "f"), "record.interval": 0.02})
    a, b = Recording(tmp_path / "c"), Recording(tmp_path / "f")
    assert len(a.frames) == 11 and a.done and b.done and same(a, b)
    assert (tmp_path / "c" / "head.json").read_bytes() == (tmp_path / "f" / "head.json").read_bytes()


def test_off_by_default(slave, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    slave.begin().steps(3)
    assert os.listdir(tmp_path) == []


def test_ends(instantiate, tmp_path):
    """Terminated: whole, with the last point whatever the interval. Freed without: what was there, but not done."""
    for place, terminate, frames in (("a", True, [0, 0.02, 0.025]), ("b", False, [0, 0.02])):
        slave = record(instantiate(), tmp_path / place, 0.02)
        slave.steps(5)
        if terminate:
            assert slave.call("Terminate") == OK
        slave.free()
        recording = Recording(tmp_path / place)
        assert recording.done == terminate
        assert [frame["time"] for frame in recording.frames] == pytest.approx(frames)


def test_reset_ends_it(slave, tmp_path):
    record(slave, tmp_path / "r").steps(3)
    assert slave.call("Reset") == OK
    slave.begin().steps(2)
    assert slave.get(["record.directory", "record.interval"]) == {"record.directory": "", "record.interval": 0.02}
    assert len(Recording(tmp_path / "r").frames) == 4


def test_iterating_master_leaves_no_trace(instantiate, tmp_path):
    """Every step three times, with a try that differs: the recording is that of the steps that counted."""
    straight = record(instantiate(), tmp_path / "a")
    straight.steps(12)
    straight.free()
    slave = record(instantiate(), tmp_path / "b")
    for n in range(12):
        state = slave.take()
        for factor in (0.7, 1.2):
            assert slave.step(n * H, factor * H) == OK
            assert slave.restore(state) == OK
        assert slave.step(n * H, H) == OK
        slave.release(state)
    slave.free()
    a, b = Recording(tmp_path / "a"), Recording(tmp_path / "b")
    assert same(a, b)
    assert (tmp_path / "a" / "frames.bin").stat().st_size == (tmp_path / "b" / "frames.bin").stat().st_size


def test_far_back_and_another_way(slave, tmp_path):
    """From 30 steps back to the 10th, then steps of another length: times rise, and no frame of the old way is left."""
    record(slave, tmp_path / "r").steps(10)
    state = slave.take()
    slave.steps(20, first=10)
    assert slave.restore(state) == OK
    for n in range(3):
        assert slave.step(10 * H + n * 2.5 * H, 2.5 * H) == OK
    slave.release(state)
    now = slave.get(slave.fmu.outputs)
    slave.free()
    recording = Recording(tmp_path / "r")
    assert [f["time"] for f in recording.frames] == pytest.approx([n * H for n in range(11)] + [10 * H + n * 2.5 * H for n in (1, 2, 3)])
    assert recording.frames[-1]["signals"] == now


def test_state_of_another_instance(instantiate, tmp_path):
    """A fresh instance that is put into the middle of a run records from there."""
    first = instantiate().begin()
    first.steps(10)
    content = first.snapshot()
    slave, state = instantiate(), c_void_p()
    assert slave.set({"record.directory": str(tmp_path / "r"), "record.interval": 0.0}) == OK
    assert slave.deserialize(content, state) == OK and slave.restore(state) == OK
    slave.steps(2, first=10)
    slave.release(state)
    slave.free()
    assert [f["time"] for f in Recording(tmp_path / "r").frames] == pytest.approx([10 * H, 11 * H, 12 * H])


def test_recording_is_no_part_of_the_state(instantiate, tmp_path):
    plain, recording = instantiate().begin(), record(instantiate(), tmp_path / "r")
    plain.steps(5), recording.steps(5)
    assert plain.snapshot() == recording.snapshot()


@pytest.mark.parametrize("values, words", [({"record.directory": "/proc/nowhere"}, "cannot be made"),
                                           ({"record.directory": "."}, "other things")])
def test_no_place(slave, tmp_path, monkeypatch, values, words):
    """Refused before the first step; the importer may choose another one and go on."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "thesis.tex").write_text("precious")
    slave.setup()
    assert slave.set(values) == OK
    assert slave.call("EnterInitializationMode") == OK
    assert slave.call("ExitInitializationMode") == ERROR and words in slave.errors[-1] and "record.directory" in slave.errors[-1]
    assert slave.set({"record.directory": "r"}) == OK
    assert slave.call("ExitInitializationMode") == OK
    slave.steps(2)
    assert sorted(os.listdir(tmp_path)) == ["r", "thesis.tex"]


def test_two_instances_one_directory(instantiate, tmp_path):
    record(instantiate(), tmp_path / "r")
    second = instantiate()
    second.setup()
    second.set({"record.directory": str(tmp_path / "r")})
    second.call("EnterInitializationMode")
    assert second.call("ExitInitializationMode") == ERROR and "another run" in second.errors[-1]


def test_full_disk_does_not_stop_the_simulation(slave, tmp_path):
    import resource
    import signal

    record(slave, tmp_path / "r")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (9000, before[1]))
    try:
        statuses = [slave.step(n * H, H) for n in range(40)]
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)
    assert statuses.count(WARNING) == 1 and statuses.count(OK) == 39
    assert any("recording ends at t" in entry[4] for entry in slave.callbacks.log)
    frames = Recording(tmp_path / "r").frames
    assert 2 < len(frames) <= statuses.index(WARNING) + 1


def test_every_allocation_of_the_recording_may_fail(small, tmp_path):
    """The importer gets an error or, once the run goes on, a warning; nothing leaks."""
    fails = 0
    for fail_at in range(1, 1000):
        slave = Slave(small)
        assert slave.setup() == OK and slave.call("EnterInitializationMode") == OK
        slave.get(slave.fmu.outputs)  # starts the world: what it needs is there
        slave.callbacks.fail_at = slave.callbacks.allocations + fail_at
        done = slave.set({"record.directory": str(tmp_path / "r")}) == OK
        done = done and slave.call("ExitInitializationMode") == OK and slave.call("Terminate") == OK
        slave.callbacks.fail_at = None
        slave.free()
        assert not slave.callbacks.blocks and slave.callbacks.bad_frees == 0
        if done:
            break
        fails += 1
    assert done and fails > 10


def test_importer_with_a_decimal_comma(slave, tmp_path):
    try:
        locale.setlocale(locale.LC_NUMERIC, "de_DE.UTF-8")
    except locale.Error:
        pytest.skip("this machine has no such locale")
    try:
        record(slave, tmp_path / "r").steps(1)
    finally:
        locale.setlocale(locale.LC_NUMERIC, "C")
    head = json.loads((tmp_path / "r" / "head.json").read_text(encoding="utf-8"))
    assert head["scene"]["gravity"][2] == -9.81


def test_wrong_strings(slave):
    place = slave.fmu.references(["record.directory"])
    assert slave.call("SetString", place, c_size_t(1), (c_char_p * 1)(None)) == ERROR and "NULL" in slave.errors[-1]
    assert slave.call("SetString", slave.fmu.references(["gravity[1]"]), c_size_t(1), (c_char_p * 1)(b"x")) == ERROR
    assert "type Real, not String" in slave.errors[-1]
    assert slave.call("GetReal", place, c_size_t(1), byref(ctypes.c_double())) == ERROR
    slave.begin()
    assert slave.set({"record.directory": "late"}) == ERROR and "until initialization" in slave.errors[-1]
