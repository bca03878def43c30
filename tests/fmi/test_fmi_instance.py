"""Instantiation: where the scene comes from, whose memory is used, what is logged."""

import ctypes
import os
import shutil
import types
from ctypes import byref, c_char_p, c_int, c_size_t, c_void_p

import pytest

from master import CO_SIMULATION, ERROR, MODEL_EXCHANGE, OK, Callbacks, Slave


def refused(fmu, **arguments):
    """The one message of an instantiation that must fail."""
    slave = Slave(fmu, **arguments)
    assert not slave.alive
    assert not slave.callbacks.blocks and slave.callbacks.bad_frees == 0
    assert len(slave.errors) == 1 and slave.errors[0].startswith("fmi2Instantiate: ")
    return slave.errors[0]


# ---- arguments

def test_wrong_guid(small):
    assert small.guid in refused(small, guid="{00000000-0000-0000-0000-000000000000}")
    assert "100(percent)s(percent)n" in refused(small, guid="100%s%n")


def test_wrong_type(small):
    assert "co-simulation" in refused(small, kind=MODEL_EXCHANGE)


@pytest.mark.parametrize("name", [None, ""])
def test_no_name(small, name):
    assert "name" in refused(small, name=name)


def test_null_arguments(small):
    instantiate = small.library.fmi2Instantiate
    instantiate.restype = c_void_p
    callbacks = Callbacks()
    assert not instantiate(c_char_p(b"a"), CO_SIMULATION, None, None, byref(callbacks.struct), 0, 0)
    assert "GUID" in callbacks.log[0][4]
    assert not instantiate(c_char_p(b"a"), CO_SIMULATION, c_char_p(small.guid.encode()), None, None, 0, 0)
    small.library.fmi2FreeInstance.restype = None
    small.library.fmi2FreeInstance(None)
    assert small.library.fmi2DoStep(None) == ERROR


# ---- resourceLocation

def test_locations(small, tmp_path):
    """All the ways in which importers write the same folder, with a name that needs encoding."""
    folder = tmp_path / "a b%41 ä#"
    shutil.copytree(small.folder / "resources", folder)
    encoded = folder.as_uri()[len("file://"):]
    assert "%20" in encoded and "%25" in encoded
    for location in (f"file://{encoded}", f"file:{encoded}", f"file://localhost{encoded}", f"file://{encoded}/",
                     f"FILE://{encoded}", str(folder), "file://" + encoded.replace("%20", " ").replace("%C3%A4", "ä")):
        slave = Slave(small, location=location)
        assert slave.alive, (location, slave.errors)
        slave.free()


@pytest.mark.parametrize("location, word", [
    ("file:///nowhere/at/all", "/nowhere/at/all/scene.bin: No such file"),
    ("file://server/share/resources", "another machine"), ("file:resources", "absolute"),
    ("http://example.org/resources", "file URI"), ("resources", "absolute"), ("file:///a%zz", "hexadecimal"),
    ("file:///a%0", "hexadecimal"), ("file:///a%00b", "hexadecimal"), ("file:///" + "x" * 5000, "longer"),
    ("/" + "x" * 5000, "longer"), ("file:", "absolute")])
def test_bad_locations(small, location, word):
    assert word in refused(small, location=location)


def test_no_location(small, tmp_path):
    """Some importers give none: the resources are found beside the shared object, when it is where the package has it."""
    slave = Slave(small, location="")
    assert slave.alive and slave.begin().steps(1)
    slave.free()
    shutil.copy(small.binary, tmp_path / "lost.so")
    lost = types.SimpleNamespace(**vars(small))
    lost.library = ctypes.CDLL(str(tmp_path / "lost.so"))
    assert "resourceLocation: missing" in refused(lost, location="")


def test_bad_resources(small, tmp_path):
    scene = (small.folder / "resources" / "scene.bin").read_bytes()
    for content in (b"", b"no scene", scene[:-1], scene[:len(scene) // 2], scene + b"x"):
        (tmp_path / "scene.bin").write_bytes(content)
        assert "scene.bin: " in refused(small, location=tmp_path.as_uri())
    os.remove(tmp_path / "scene.bin")
    (tmp_path / "scene.bin").mkdir()
    assert "scene.bin: " in refused(small, location=tmp_path.as_uri())


# ---- memory

def test_memory_is_the_importers_and_balanced(small):
    callbacks = Callbacks()
    slave = Slave(small, callbacks=callbacks)
    assert slave.begin().steps(20)
    assert slave.call("Reset") == OK
    assert slave.begin().steps(2)
    assert len(callbacks.blocks) > 10
    slave.free()
    assert not callbacks.blocks and callbacks.bad_frees == 0


def test_memory_without_callbacks(small):
    callbacks = Callbacks(memory=False)
    slave = Slave(small, callbacks=callbacks)
    assert slave.begin().steps(2)
    slave.free()
    assert callbacks.allocations == 0


def test_every_allocation_may_fail(small):
    """Instantiation, start and a step, with the n-th and all later allocations failing, for every n."""
    whole = Callbacks()
    slave = Slave(small, callbacks=whole)
    slave.begin().steps(1)
    needed = whole.allocations
    slave.free()
    for n in range(1, needed + 1):
        callbacks = Callbacks(fail_at=n)
        slave = Slave(small, callbacks=callbacks)
        if slave.alive:
            assert slave.setup() == OK and slave.call("EnterInitializationMode") == OK
            failed = slave.call("ExitInitializationMode") == ERROR or slave.step(0, 0.005) == ERROR
            assert failed, n
        assert slave.errors and "memory" in slave.errors[-1], (n, slave.errors)
        slave.free()
        assert not callbacks.blocks and callbacks.bad_frees == 0


# ---- log

def test_log_names_instance_environment_and_category(small):
    callbacks = Callbacks(environment=4711)
    slave = Slave(small, name="Grube ä", callbacks=callbacks)
    assert slave.step(0, 1) == ERROR
    environment, name, status, category, text = callbacks.log[-1]
    assert (environment, name, status, category) == (4711, "Grube ä", ERROR, "logStatusError")
    assert text.startswith("fmi2DoStep: ")
    slave.free()


def test_log_has_no_percent_sign(small):
    assert "(percent)s" in refused(small, location="file:///nowhere%25s%25n")


def test_no_logger(small):
    slave = Slave(small, callbacks=Callbacks(logger=False))
    assert slave.step(0, 1) == ERROR
    slave.free()
    assert not Slave(small, guid="wrong", callbacks=Callbacks(logger=False)).alive


def test_debug_logging(slave):
    def choose(on, *categories):
        array = (c_char_p * len(categories))(*categories)
        return slave.call("SetDebugLogging", on, c_size_t(len(categories)), array)

    def discards():
        return sum(entry[3] == "logStatusDiscard" for entry in slave.callbacks.log)

    slave.begin()
    for arguments, heard in (((1, b"logStatusDiscard"), 1), ((0,), 0), ((1,), 1), ((1, b"logStatusError"), 0),
                             ((1, b"logAll"), 1), ((0, b"logStatusDiscard"), 0), ((1, None), 1), ((0, None), 0),
                             ((1, None, b"logStatusError"), 0), ((1, None, b"logStatusDiscard"), 1)):
        assert choose(*arguments) == OK
        before = discards()
        slave.call("GetIntegerStatus", 0, byref(c_int()))
        assert discards() - before == heard, arguments
    assert choose(1, b"logEverything") == ERROR and "logEverything" in slave.errors[-1]
    assert slave.call("SetDebugLogging", 1, c_size_t(3), None) == ERROR
    assert slave.call("SetDebugLogging", 1, c_size_t(0), None) == OK
