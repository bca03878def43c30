"""A small FMI 2.0 master on bare ctypes: every call gives its status, nothing is checked on the way, and what the FMU
logs, allocates and frees is kept. FMPy is the independent importer of these tests; this is the one that misbehaves."""

import ctypes
import pathlib
from ctypes import byref, c_char_p, c_double, c_int, c_size_t, c_uint, c_void_p

from fmpy.fmi2 import (fmi2CallbackAllocateMemoryTYPE, fmi2CallbackFreeMemoryTYPE, fmi2CallbackFunctions,
                       fmi2CallbackLoggerTYPE)

HERE = pathlib.Path(__file__).resolve().parent
SMALL = HERE / "small.xml"
PLATE = HERE.parents[1] / "examples" / "plate_in_bed" / "scene.xml"

OK, WARNING, DISCARD, ERROR, FATAL, PENDING = range(6)
MODEL_EXCHANGE, CO_SIMULATION = range(2)
DO_STEP_STATUS, PENDING_STATUS, LAST_SUCCESSFUL_TIME, TERMINATED = range(4)

libc = ctypes.CDLL(None)
libc.calloc.restype = c_void_p
libc.calloc.argtypes = [c_size_t, c_size_t]
libc.free.argtypes = [c_void_p]


class Callbacks:
    """What the importer gives: a log as a list, and memory that is counted; allocation number `fail_at` fails."""

    def __init__(self, memory=True, logger=True, fail_at=None, environment=None):
        self.log = []  # (environment, instance name, status, category, text)
        self.blocks = set()
        self.allocations = 0
        self.bad_frees = 0
        self.fail_at = fail_at
        self.struct = fmi2CallbackFunctions()
        if logger:
            self.struct.logger = fmi2CallbackLoggerTYPE(self._write)
        if memory:
            self.struct.allocateMemory = fmi2CallbackAllocateMemoryTYPE(self._allocate)
            self.struct.freeMemory = fmi2CallbackFreeMemoryTYPE(self._free)
        self.struct.componentEnvironment = environment

    def _write(self, environment, name, status, category, text):
        self.log.append((environment, name.decode(), status, category.decode(), text.decode()))

    def _allocate(self, count, size):
        self.allocations += 1
        if self.fail_at is not None and self.allocations >= self.fail_at:
            return None
        block = libc.calloc(count, size)
        self.blocks.add(block)
        return block

    def _free(self, block):
        if block in self.blocks:
            self.blocks.remove(block)
            libc.free(block)
        elif block:
            self.bad_frees += 1


class Slave:
    """An instance. `call` adds the prefix fmi2 and the component; values go by variable name."""

    def __init__(self, fmu, name="slave", guid=None, location=None, callbacks=None, kind=CO_SIMULATION, logging=True):
        self.fmu = fmu
        self.callbacks = callbacks or Callbacks()
        guid = fmu.guid if guid is None else guid
        location = fmu.location if location is None else location
        instantiate = fmu.library.fmi2Instantiate
        instantiate.restype = c_void_p
        self.component = c_void_p(instantiate(
            c_char_p(name.encode()) if name is not None else None, kind, c_char_p(guid.encode()),
            c_char_p(location.encode()) if location != "" else None, byref(self.callbacks.struct), 0, int(logging)))
        self.alive = bool(self.component)

    @property
    def errors(self):
        return [entry[4] for entry in self.callbacks.log if entry[2] == ERROR]

    def call(self, function, *arguments):
        return getattr(self.fmu.library, "fmi2" + function)(self.component, *arguments)

    def free(self):
        if self.alive:
            self.fmu.library.fmi2FreeInstance.restype = None
            self.fmu.library.fmi2FreeInstance(self.component)
            self.alive = False

    def setup(self, start=0.0, stop=None):
        return self.call("SetupExperiment", 0, c_double(0), c_double(start), int(stop is not None), c_double(stop or 0))

    def begin(self, start=0.0, stop=None, values=None):
        """To the first communication point."""
        assert self.setup(start, stop) == OK
        assert self.set(values or {}) == OK
        assert self.call("EnterInitializationMode") == OK
        assert self.call("ExitInitializationMode") == OK
        return self

    def step(self, time, h):
        return self.call("DoStep", c_double(time), c_double(h), 1)

    def steps(self, count, h=0.005, first=0, columns=None):
        """count steps; the outputs after each."""
        rows = []
        for n in range(first, first + count):
            assert self.step(n * h, h) == OK, self.errors
            rows.append(self.get(columns or self.fmu.outputs))
        return rows

    def take(self, state=None):
        """fmi2GetFMUstate into a new state, or over an old one."""
        state = c_void_p() if state is None else state
        assert self.call("GetFMUstate", byref(state)) == OK, self.errors
        return state

    def restore(self, state):
        return self.call("SetFMUstate", state)

    def release(self, *states):
        for state in states:
            assert self.call("FreeFMUstate", byref(state)) == OK and not state, self.errors

    def serialize(self, state):
        size = c_size_t()
        assert self.call("SerializedFMUstateSize", state, byref(size)) == OK, self.errors
        room = ctypes.create_string_buffer(size.value)
        assert self.call("SerializeFMUstate", state, room, size) == OK, self.errors
        return room.raw

    def deserialize(self, content, state):
        return self.call("DeSerializeFMUstate", content, c_size_t(len(content)), byref(state))

    def snapshot(self):
        """All of the present state as bytes."""
        state = self.take()
        content = self.serialize(state)
        self.release(state)
        return content

    def _split(self, names):
        return [(t, c, [n for n in names if self.fmu.types[n] == t])
                for t, c in (("Real", c_double), ("Integer", c_int), ("String", c_char_p))]

    def get(self, names):
        """The values as a dict; an assertion fails when the call does."""
        result = {}
        for kind, ctype, part in self._split(names):
            values = (ctype * len(part))()
            assert self.call("Get" + kind, self.fmu.references(part), c_size_t(len(part)), values) == OK, self.errors
            result.update(zip(part, [v.decode() for v in values] if kind == "String" else values))
        return {name: result[name] for name in names}

    def set(self, values):
        """The worst status of setting a dict of values, one call a type."""
        worst = OK
        for kind, ctype, part in self._split(values):
            if part:
                array = (ctype * len(part))(*[
                    values[n].encode() if kind == "String" else values[n] for n in part])
                worst = max(worst, self.call("Set" + kind, self.fmu.references(part), c_size_t(len(part)), array))
        return worst


class Fmu:
    """An unpacked FMU, loaded."""

    def __init__(self, path, folder):
        import fmpy

        self.path = str(path)
        self.folder = pathlib.Path(fmpy.extract(self.path, unzipdir=str(folder)))
        self.description = fmpy.read_model_description(str(self.folder), validate=True)
        self.guid = self.description.guid
        self.location = (self.folder / "resources").as_uri()
        self.variables = {v.name: v for v in self.description.modelVariables}
        self.types = {v.name: v.type for v in self.description.modelVariables}
        self.parameters, self.inputs, self.outputs = (
            [v.name for v in self.description.modelVariables if v.causality == c]
            for c in ("parameter", "input", "output"))
        identifier = self.description.coSimulation.modelIdentifier
        self.binary = self.folder / "binaries" / "linux64" / f"{identifier}.so"
        self.library = ctypes.CDLL(str(self.binary))

    def references(self, names):
        return (c_uint * len(names))(*[self.variables[n].valueReference for n in names])


def vector(name, count=3):
    return [f"{name}[{i + 1}]" for i in range(count)]


def motion(port, position, velocity=(0, 0, 0), orientation=(1, 0, 0, 0), angular_velocity=(0, 0, 0)):
    """The inputs of a motion port."""
    values = {}
    for name, part in (("position", position), ("orientation", orientation), ("velocity", velocity),
                       ("angularVelocity", angular_velocity)):
        values.update(zip(vector(f"{port}.{name}", len(part)), part))
    return values
