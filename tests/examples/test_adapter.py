"""The adapter law of examples/adapter against loads whose answer is known."""

import ctypes
import importlib.util
import math
import pathlib

import pytest

HERE = pathlib.Path(__file__).resolve().parents[2] / "examples" / "coupling"
spec = importlib.util.spec_from_file_location("added_mass", HERE / "added_mass.py")
added_mass = importlib.util.module_from_spec(spec)
spec.loader.exec_module(added_mass)
G = 9.81


class Port:
    """What the adapter asks of an FMU: its impedance, here of the z direction alone."""

    def __init__(self, z):
        self.z = z

    def get(self, *names):
        return [self.z if name == "tray.Z[3,3]" else 0.0 for name in names]


@pytest.fixture(scope="module")
def adapter(tmp_path_factory):
    return added_mass.Adapter(tmp_path_factory.mktemp("adapter"))


def swing(adapter, ratio, h, impedance, response, answer, until=1.0):
    """The tray of added_mass.py with a load whose impulse over a step is answer(start, end); positions over time."""
    machine = added_mass.Machine(1.0 / ratio, 1.0)
    machine.rest += added_mass.JUMP
    state, port, rows = adapter.create(response), Port(impedance), []
    adapter.update(state, h, 0.0, -G, port)
    given = taken = 0.0
    for _ in range(round(until / h)):
        start = machine.z, machine.v
        drive, added = adapter.law(state)
        used = machine.advance(drive, h, added=added)
        impulse = answer(start, (machine.z, machine.v), h)
        adapter.update(state, h, machine.v, impulse / h, port)
        adapter.settle(state, used)
        given, taken = given + impulse, taken + used
        rows.append(machine.z)
    carried = ctypes.cast(state, ctypes.POINTER(added_mass.State)).contents.carried[2]
    assert given - taken == pytest.approx(carried, abs=1e-9 * abs(given))  # no momentum is lost
    return rows


def rigid(start, end, h):
    """A load of 1 kg that lies on the tray."""
    return -(end[1] - start[1]) - G * h


@pytest.mark.parametrize("ratio", (0.5, 2.0, 20.0))
@pytest.mark.parametrize("h", (0.001, 0.02))
def test_rigid_load_with_its_own_impedance_is_the_monolithic_step(adapter, ratio, h):
    rows = swing(adapter, ratio, h, 1.0, 0.0, rigid)
    whole = added_mass.Machine(1.0 / ratio + 1.0, 0.0)
    whole.k, whole.c = (m := added_mass.Machine(1.0 / ratio, 1.0)).k, m.c
    whole.rest = m.rest + added_mass.JUMP
    for z in rows:
        whole.advance(0.0, h)
        assert z == pytest.approx(whole.z, abs=1e-12)


def test_the_least_impedance(adapter):
    """Stable for Z > (3 m_g - m)/4, here 0.7125 kg, and not below: docs/coupling.md."""
    assert max(map(abs, swing(adapter, 20.0, 0.001, 0.75, 0.0, rigid))) < 0.02
    with pytest.raises((AssertionError, OverflowError)):
        assert max(map(abs, swing(adapter, 20.0, 0.001, 0.65, 0.0, rigid))) < 0.02


class Elastic:
    """A load of 1 kg on a spring and a damper, 100 Hz, 0.3 of the critical damping, in fine implicit steps."""

    def __init__(self):
        self.k = (2 * math.pi * 100.0) ** 2
        self.c = 2 * 0.3 * math.sqrt(self.k)
        self.z, self.v = -G / self.k, 0.0

    def __call__(self, start, end, h, parts=20):
        dt, before = h / parts, self.v
        for i in range(parts):
            s = (i + 1) / parts
            tray = start[0] + s * (end[0] - start[0]), start[1] + s * (end[1] - start[1])
            self.v = (self.v + dt * (self.k * (tray[0] - self.z) + self.c * tray[1] - G)) / (1.0 + dt * self.c + dt * dt * self.k)
            self.z += dt * self.v
        return -(self.v - before) - G * h


@pytest.mark.parametrize("h", (0.001, 0.002, 0.005, 0.02))
def test_an_elastic_load_needs_the_response(adapter, h):
    """A light tray under a load that answers in milliseconds: holds with the response at every step; at 1 ms it does not without."""
    assert max(map(abs, swing(adapter, 20.0, h, 1.0, added_mass.RESPONSE, Elastic()))) < 0.02
    if h == 0.001:
        with pytest.raises((AssertionError, OverflowError)):
            assert max(map(abs, swing(adapter, 20.0, h, 1.0, 0.0, Elastic()))) < 0.02
