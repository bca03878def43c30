"""What an importer can check of the physics from outside: momentum and weight."""

import numpy as np
import pytest

from master import OK, Fmu, Slave, motion, vector

H = 0.005
PORTS = ("plate", "floor", "walls")


def record(slave, count, move, first=0, h=H):
    """Steps with the plate driven by move(t) → position, velocity; columns of the outputs as arrays."""
    names = [n for port in PORTS for n in vector(f"{port}.force")] + vector("info.momentum") + ["info.mass"]
    rows = []
    for n in range(first, first + count):
        assert slave.set(motion("plate", *move(n * h))) == OK
        assert slave.step(n * h, h) == OK, slave.errors
        rows.append(list(slave.get(names).values()))
    rows = np.array(rows)
    forces = {port: rows[:, 3 * k:3 * k + 3] for k, port in enumerate(PORTS)}
    return forces, rows[:, 9:12], rows[:, 12]


def check_balance(forces, momentum, mass, h=H):
    """Over every interval: change of the grains' momentum = weight - forces on bodies. The ports' forces are impulses
    over a step by its length, so only rounding is left: 1e-9 of the impulse that went through the system."""
    gravity = np.array([0, 0, -9.81])
    impulse = (mass[:, None] * gravity - sum(forces.values())) * h
    throughput = np.cumsum(mass * 9.81 * h + sum(np.abs(f).sum(axis=1) for f in forces.values()) * h)
    path = np.cumsum(impulse, axis=0) - momentum  # the same constant at all times when the balance holds
    for begin in range(0, len(path), 7):
        error = np.abs(path[begin:] - path[begin]).max(axis=1)
        scale = throughput[begin:] - throughput[begin] + mass[0] * 9.81 * h
        assert (error <= 1e-9 * scale).all()


def push(t):
    """Down into the bed and sideways through it."""
    if t < 0.2:
        return (0, 0, 0.3 - 1.2 * t), (0, 0, -1.2)
    return (0.3 * (t - 0.2), 0, 0.06), (0.3, 0, 0)


@pytest.mark.parametrize("h", [0.005, 0.0037, 0.02])
def test_momentum_balance_small(small, h):
    slave = Slave(small)
    slave.begin(values=motion("plate", *push(0)))
    forces, momentum, mass = record(slave, int(0.3 / h), push, h=h)
    slave.free()
    assert np.abs(forces["plate"]).max() > 1.0
    check_balance(forces, momentum, mass, h)


@pytest.fixture(scope="module")
def settled(plate):
    """plate_in_bed after two seconds with the plate above the bed."""
    slave = Slave(plate)
    slave.begin(values={"solver.threads": 0})
    forces, momentum, mass = record(slave, 400, lambda t: ((0, 0, 0.7),))
    yield slave, forces, momentum, mass
    slave.free()


@pytest.mark.long
def test_the_floor_carries_the_weight(settled):
    """The walls have no friction: the mean over the last 0.2 s on the floor alone is the weight, within 0.5 %."""
    slave, forces, momentum, mass = settled
    weight = mass[-1] * 9.81
    last = slice(-int(round(0.2 / H)), None)
    assert forces["floor"][last, 2].mean() == pytest.approx(-weight, rel=0.005)
    assert np.abs(forces["walls"][:, 2]).max() <= 1e-9 * weight
    assert np.abs(forces["plate"]).max() == 0
    check_balance(forces, momentum, mass)


@pytest.mark.long
def test_plate_pushed_into_the_settled_bed(settled):
    """Down to 0.12 m below the surface, then held there: the bed pushes back, and all ports together carry the weight."""
    slave, _, _, mass = settled
    forces, momentum, masses = record(slave, 100, lambda t: ((0, 0, 0.7 - 0.8 * (t - 2.0)), (0, 0, -0.8)), first=400)
    check_balance(forces, momentum, masses)
    assert forces["plate"][-10:, 2].mean() > 0

    forces, momentum, masses = record(slave, 140, lambda t: ((0, 0, 0.3),), first=500)
    check_balance(forces, momentum, masses)
    last = slice(-int(round(0.2 / H)), None)
    total = sum(forces[port][last, 2].mean() for port in PORTS)
    assert total == pytest.approx(-mass[-1] * 9.81, rel=0.005)


def test_mesh_is_in_the_fmu(command, tmp_path):
    """The triangles travel in scene.bin: after packing, the file is not needed, and grains rest on it."""
    obj = tmp_path / "tray.obj"
    obj.write_text("v -1 -1 0\nv 1 -1 0\nv 1 1 0\nv -1 1 0\nf 1 2 3 4\n")
    scene = tmp_path / "tray.xml"
    scene.write_text(
        '''<scene version="1" name="tray" gravity="0 0 -9.81">
  <material id="m" density="2500" youngs="1e7"/><pair a="m" b="m" friction="0.5" rolling="0.1"/>
  <body id="tray" material="m"><mesh file="tray.obj" scale="0.5"/></body>
  <grain material="m" diameter="0.02" position="0.1 0.2 0.01"/><port id="tray" body="tray" mode="wrench"/>
</scene>'''
    )
    command("pack", scene, "-o", tmp_path / "tray.fmu")
    obj.unlink()
    slave = Slave(Fmu(tmp_path / "tray.fmu", tmp_path / "unpacked"))
    slave.begin()
    for n in range(100):
        assert slave.step(n * H, H) == OK, slave.errors
    values = slave.get([*vector("tray.force"), "info.mass"])
    slave.free()
    assert values["tray.force[3]"] == pytest.approx(-9.81 * values["info.mass"], rel=1e-6)


def test_surface_port(command, tmp_path):
    """Speed in, force and power out: a grain that may not roll is carried along, and the belt pays for it."""
    scene = tmp_path / "belt.xml"
    scene.write_text(
        '''<scene version="1" name="belt" gravity="0 0 -9.81">
  <material id="m" density="2500" youngs="1e7"/><pair a="m" b="m" friction="0.5" rolling="2"/>
  <body id="belt" material="m" belt="1 0 0" beltSpeed="0.1"><plane normal="0 0 1"/></body>
  <grain material="m" diameter="0.02" position="0 0 0.01"/><port id="belt" body="belt" mode="surface"/>
</scene>'''
    )
    command("pack", scene, "-o", tmp_path / "belt.fmu")
    slave = Slave(Fmu(tmp_path / "belt.fmu", tmp_path / "unpacked"))
    slave.begin()
    impulse = 0
    for n in range(100):
        speed = 0.1 if n < 50 else 0.4
        assert slave.set({"belt.speed": speed}) == OK
        assert slave.step(n * H, H) == OK, slave.errors
        values = slave.get(["belt.beltForce", "belt.power", "info.momentum[1]", "info.mass"])
        impulse -= H * values["belt.beltForce"]
        assert values["belt.power"] == pytest.approx(-speed * values["belt.beltForce"], abs=1e-12)
    slave.free()
    assert values["info.momentum[1]"] == pytest.approx(0.4 * values["info.mass"], rel=1e-3)
    assert impulse == pytest.approx(values["info.momentum[1]"], rel=1e-9)
