"""A tray of mass m on a spring carries grains of mass m_g: coupled in four ways, against one that lives in Scree alone.

    python added_mass.py --scree PATH/scree [-o DIRECTORY] [--ratios 0.5 5] [--steps 0.005]

The machine model is m z'' = -k (z - z0) - c z' - m g + F with F the force of the grains. Its spring's other end jumps up by
5 mm, and it swings. Ways to exchange motion and force every H:
  explicit   Scree goes on at the velocity of the beginning; then F is the mean force of this step
  damping    the law of examples/adapter as a damping: Scree goes on at the velocity of the beginning, then the machine makes its step
  adapter    the same law as an added mass: the machine makes its step first, Scree follows on the same way
  iterated   as adapter, and the step is taken back and made again until the machine has used what Scree gives
  proxy      Scree has a body of mass m/2 locked to the machine, which keeps the other half
The reference is the tray as a dynamic body in Scree, with the spring's force set every 0.5 ms.
"""

import argparse
import ctypes
import pathlib
import subprocess
import tempfile

import numpy
from fmpy import extract, read_model_description
from fmpy.fmi2 import FMU2Slave

HERE = pathlib.Path(__file__).resolve().parent
G, UNTIL, SETTLE = 9.81, 1.0, 0.6
FREQUENCY, DAMPING = 3.0, 0.05  # Hz of the tray with its load; share of the critical damping


class Fmu:
    """An instance with values by name."""

    def __init__(self, path):
        description = read_model_description(path)
        self.refs = {v.name: v.valueReference for v in description.modelVariables}
        self.slave = FMU2Slave(guid=description.guid, unzipDirectory=extract(path), instanceName="tray",
                               modelIdentifier=description.coSimulation.modelIdentifier)
        self.slave.instantiate()
        self.time = 0.0

    def start(self):
        self.slave.setupExperiment(startTime=0.0)
        self.slave.enterInitializationMode()
        self.slave.exitInitializationMode()

    def set(self, **values):
        self.slave.setReal([self.refs[n] for n in values["names"]], values["values"])

    def get(self, *names):
        return self.slave.getReal([self.refs[n] for n in names])

    def step(self, h):
        self.slave.doStep(self.time, h)
        self.time += h

    def move(self, z, v):
        self.set(names=["tray.position[3]", "tray.velocity[3]"], values=[z, v])

    def follow(self, start, end, h):
        """A step along the cubic from (z, v) at the start to (z, v) at the end, by the derivatives of the velocity."""
        (z, v), (z1, v1) = start, end
        bend = 6.0 * ((z1 - z) / h - 0.5 * (v + v1))  # v(t) = v + (v1 - v) s + bend s (1 - s), s = t/h
        self.move(z, v)
        ref = self.refs["tray.velocity[3]"]
        self.slave.setRealInputDerivatives([ref, ref], [1, 2], [(v1 - v + bend) / h, -2.0 * bend / h**2])
        self.step(h)
        return h * self.get("tray.force[3]")[0]

    def close(self):
        self.slave.terminate()
        self.slave.freeInstance()


def pack(scree, directory, name, change=lambda text: text):
    scene, fmu = directory / f"{name}.xml", directory / f"{name}.fmu"
    scene.write_text(change((HERE / "tray.xml").read_text()))
    subprocess.run([scree, "pack", scene, "-o", fmu], check=True, stdout=subprocess.DEVNULL)
    return fmu


def as_dynamic(mass):
    """The tray as a body of Scree: it moves along z alone."""
    def change(text):
        text = text.replace('kind="driven"', f'kind="dynamic" mass="{mass:.9g}" inertia="1 1 1"')
        return text.replace('<port id="tray" body="tray" impedance="true"/>',
                            '<joint id="guide" kind="slider" b="tray" position="0 0 0" axis="0 0 1"/>\n'
                            '<port id="tray" body="tray" mode="force"/>')
    return change


def as_proxy(mass):
    def change(text):
        text = text.replace('kind="driven"', f'kind="dynamic" mass="{mass:.9g}" inertia="1 1 1"')
        return text.replace('impedance="true"', 'mode="proxy"')
    return change


class Machine:
    """The tray's own mass on its spring: the mean of the exchange over a step is all it knows of the grains."""

    def __init__(self, mass, load):
        self.mass, self.weight = mass, mass * G
        omega = 2 * numpy.pi * FREQUENCY
        self.k, self.c = (mass + load) * omega**2, 2 * DAMPING * (mass + load) * omega
        self.rest = (mass + load) * G / self.k  # the spring is made so that it carries both at z = 0
        self.z, self.v = 0.0, 0.0

    def spring(self, z, v):
        return -self.k * (z - self.rest) - self.c * v - self.weight

    def advance(self, force, h, added=0.0, slope=0.0, parts=20):
        """Over h with the force of the grains force - added dv/dt - slope (v - v_start), implicit; returns the impulse that it has been."""
        start, used, dt = self.v, 0.0, h / parts
        for _ in range(parts):
            before = self.v
            a = self.mass + added + dt * (self.c + slope) + dt * dt * self.k
            self.v += dt * (self.spring(self.z, self.v) + force - slope * (self.v - start) - dt * self.k * self.v) / a
            self.z += dt * self.v
            used += dt * (force - slope * (self.v - start)) - added * (self.v - before)
        return used


def settled(path, lock=None):
    """lock: mass of the machine's side and step, that a proxy's lock must be soft enough for."""
    fmu = Fmu(path)
    if lock:
        mass, h = lock
        fmu.set(names=["port.tray.compliance", "port.tray.damping"], values=[h * h / (0.1 * mass), 2.0 * h])
    fmu.start()
    while fmu.time < SETTLE - 1e-9:
        fmu.step(0.005)
    return fmu


LOAD = 0.0  # kg, of the grains; set by main
JUMP = 0.005  # m: how far the other end of the spring goes at the start
RESPONSE = 0.012  # s, SCREE_ADAPTER_RESPONSE
TRIES = []  # steps that each iterated step took


def run_coupled(path, ratio, h, way, adapter):
    fmu = settled(path, (LOAD / ratio / 2, h) if way == "proxy" else None)
    load = fmu.get("info.mass")[0]
    mass = load / ratio
    machine = Machine(mass, load)
    machine.rest += JUMP
    if way == "proxy":
        machine.mass = mass / 2
    state, impulse, rows = adapter.create(RESPONSE if way == "adapter" else 0.0), -load * G * h, []
    if way == "adapter":
        adapter.update(state, h, 0.0, impulse / h, fmu)
    while fmu.time < SETTLE + UNTIL - 1e-9:
        start = machine.z, machine.v
        if way == "adapter":
            drive, added = adapter.law(state)
            used = machine.advance(drive, h, added=added)
            impulse = fmu.follow(start, (machine.z, machine.v), h)
            adapter.update(state, h, machine.v, impulse / h, fmu)
            adapter.settle(state, used)
        elif way == "iterated":
            impulse = used = iterate(fmu, machine, start, impulse, load, h)
        else:
            fmu.move(*start)
            fmu.step(h)
            impulse = used = h * fmu.get("tray.force[3]")[0]
            if way == "damping":
                adapter.update(state, h, start[1], impulse / h, fmu)
                force, slope = adapter.damped(state, start[1])
                used = machine.advance(force, h, slope=slope)
                adapter.settle(state, used)
            else:
                machine.advance(impulse / h, h)
        rows.append((fmu.time - SETTLE, machine.z, impulse / h, used / h))
        if not numpy.isfinite(machine.v) or abs(machine.v) > 50.0:
            break
    fmu.close()
    return numpy.array(rows)


def iterate(fmu, machine, start, impulse, added, h):
    """The step again and again, by the secant rule, until the machine has used the impulse that Scree gives. The mass `added`, here that of
    all grains, only shapes the force within the step: with it the light tray does not swing on its spring under a constant force."""
    state, time, tried = fmu.slave.getFMUstate(), fmu.time, []
    drive = impulse / h
    for count in range(15):
        if count > 0:
            fmu.slave.setFMUstate(state)
            fmu.time = time
        machine.z, machine.v = start
        used = machine.advance(drive, h, added=added)
        given = fmu.follow(start, (machine.z, machine.v), h)
        gap = (given - used) / h
        tried.append((drive, gap))
        if abs(gap) * h < 1e-5 * (machine.mass + added):
            break
        (a, ga), (b, gb) = tried[-2] if count > 0 else (0.0, 0.0), tried[-1]
        drive = b - gb * (b - a) / (gb - ga) if count > 0 and gb != ga else b + gb
    TRIES.append(count + 1)
    fmu.slave.freeFMUstate(state)
    return given


def run_reference(path, mass, load):
    fmu = Fmu(path)
    fmu.start()
    machine = Machine(mass, load)
    h, rows = 0.0005, []
    machine.weight = 0.0  # is in Scree, as its mass
    jumped = False
    while fmu.time < SETTLE + UNTIL - 1e-9:
        if fmu.time > SETTLE - 1e-9 and not jumped:
            machine.rest += JUMP
            jumped = True
        z, v = fmu.get("tray.position[3]", "tray.velocity[3]")
        extra = 20.0 * machine.c * v if not jumped else 0.0  # calm while the grains settle
        fmu.set(names=["tray.appliedForce[3]"], values=[machine.spring(z, v) - extra])
        fmu.step(h)
        if jumped:
            rows.append((fmu.time - SETTLE, *fmu.get("tray.position[3]", "tray.force[3]")))
    fmu.close()
    return numpy.array(rows)


class State(ctypes.Structure):
    """A scree_adapter."""
    _fields_ = [(name, ctypes.c_double * count) for name, count in (("z", 36), ("base", 6), ("v", 6), ("given", 6), ("carried", 6))] + [
        ("step", ctypes.c_double), ("response", ctypes.c_double), ("one_way", ctypes.c_double * 6), ("started", ctypes.c_int)]


class Adapter:
    """examples/adapter, compiled."""

    def __init__(self, directory):
        library = directory / "adapter.so"
        source = HERE.parent / "adapter" / "scree_adapter.c"
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", source, "-o", library, "-lm"], check=True)
        self.c = ctypes.CDLL(str(library))

    def create(self, response):
        state = State()
        self.c.scree_adapter_init(ctypes.byref(state))
        state.response = response
        return ctypes.byref(state)

    def update(self, state, h, v, force, fmu):
        """After a step of Scree's, at the end of which the machine's velocity is v."""
        z = fmu.get(*[f"tray.Z[{i},{k}]" for i in range(1, 7) for k in range(1, 7)])
        self.c.scree_adapter_update(state, ctypes.c_double(h), along(v), along(force), (ctypes.c_double * 36)(*z))

    def law(self, state):
        """Force without acceleration, and how much less per acceleration."""
        wrench, mass = (ctypes.c_double * 6)(), (ctypes.c_double * 36)()
        self.c.scree_adapter_drive(state, wrench)
        self.c.scree_adapter_mass(state, mass)
        return wrench[2], mass[14]

    def damped(self, state, v):
        """Force at this velocity, and how much less per velocity."""
        wrench, damping = (ctypes.c_double * 6)(), (ctypes.c_double * 36)()
        self.c.scree_adapter_wrench(state, along(v), wrench)
        self.c.scree_adapter_damping(state, damping)
        return wrench[2], damping[14]

    def settle(self, state, used):
        self.c.scree_adapter_settle(state, along(used))


def along(value):
    """Six components, all along z."""
    return (ctypes.c_double * 6)(0, 0, value, 0, 0, 0)


def smooth(rows, width=0.02):
    """The force as a mean over `width`: what a step of that length would have given."""
    ends = numpy.arange(width, UNTIL + 1e-9, width)
    sums = numpy.concatenate([[0.0], numpy.cumsum(numpy.diff(rows[:, 0], prepend=0.0) * rows[:, 2])])
    times = numpy.concatenate([[0.0], rows[:, 0]])
    return ends, numpy.diff(numpy.interp(numpy.concatenate([[0.0], ends]), times, sums)) / width


def compare(rows, reference):
    """Largest difference of the smoothed force, over the reference's largest; infinite when it has run away."""
    if rows[-1, 0] < UNTIL - 0.03 or not numpy.isfinite(rows).all():
        return numpy.inf
    _, mine = smooth(rows)
    _, other = smooth(reference)
    return numpy.abs(mine - other).max() / numpy.abs(other).max()


WAYS = ALL = ("explicit", "damping", "adapter", "iterated", "proxy")


def plot(results, traces, path):
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as pyplot
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(11, 4.2))
    ratios, steps = sorted({key[1] for key in results}), sorted({key[2] for key in results})
    for way, colour in zip(ALL, ("#c1440e", "#8a6fb0", "#2f5d8a", "#6b8e23", "0.5")):
        if way not in WAYS:
            continue
        errors = 100.0 * numpy.array([[min(results[way, r, h], 10.0) for h in steps] for r in ratios])
        left.fill_between(ratios, errors.min(axis=1), errors.max(axis=1), color=colour, alpha=0.2, linewidth=0)
        left.plot(ratios, numpy.median(errors, axis=1), "o-", color=colour, label=way)
        if way in traces:
            times, force = smooth(traces[way])
            right.plot(times, -force, color=colour, linewidth=1.2, label=way)
    left.set(xscale="log", yscale="log", xlabel="mass of the grains over mass of the tray", xticks=ratios,
             ylabel="largest error of the force, % of its peak",
             title=f"Steps of {1e3 * steps[0]:g} to {1e3 * steps[-1]:g} ms: median and range")
    left.set_xticklabels([f"{r:g}" for r in ratios])
    left.minorticks_off()
    left.axhline(5.0, color="grey", linewidth=0.8)
    left.legend(frameon=False)
    if traces:
        times, force = smooth(traces["in one"])
        right.plot(times, -force, color="black", linewidth=2.5, zorder=0, label="in one")
        right.set_ylim(0.0, 2.0 * abs(force).max())
    right.set(xlabel="time, s", ylabel="force on the tray, N", title="Grains five times as heavy as the tray, steps of 10 ms")
    right.legend(frameon=False, ncols=2)
    for axis in (left, right):
        axis.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    figure.savefig(path, dpi=110)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scree", required=True, type=pathlib.Path)
    parser.add_argument("-o", "--out", type=pathlib.Path)
    parser.add_argument("--ways", nargs="+", choices=ALL, default=ALL)
    parser.add_argument("--ratios", nargs="+", type=float, default=(0.5, 1.0, 2.0, 5.0, 20.0), help="mass of the grains over that of the tray")
    parser.add_argument("--steps", nargs="+", type=float, default=(0.001, 0.002, 0.005, 0.01, 0.02), help="communication steps, s")
    arguments = parser.parse_args()
    scree = arguments.scree.resolve()
    global WAYS
    WAYS = tuple(arguments.ways)
    ratios, steps = arguments.ratios, arguments.steps
    results, traces = {}, {}
    with tempfile.TemporaryDirectory() as name:
        directory = pathlib.Path(name)
        adapter = Adapter(directory)
        driven = pack(scree, directory, "driven")
        plain = pack(scree, directory, "plain", lambda text: text.replace(' impedance="true"', ""))  # Z costs more than a step of so few grains
        fmu = settled(plain)
        load = fmu.get("info.mass")[0]
        fmu.close()
        global LOAD
        LOAD = load
        print("ratio  step ms  " + "  ".join(f"{way:>9}" for way in WAYS) + "   largest error of the force, of its peak")
        for ratio in ratios:
            mass = load / ratio
            reference = run_reference(pack(scree, directory, f"dynamic_{ratio}", as_dynamic(mass)), mass, load)
            proxy = pack(scree, directory, f"proxy_{ratio}", as_proxy(mass / 2))
            for h in steps:
                line = []
                for way in WAYS:
                    rows = run_coupled({"proxy": proxy, "adapter": driven, "damping": driven}.get(way, plain), ratio, h, way, adapter)
                    error = compare(rows, reference)
                    results[way, ratio, h] = error
                    line.append("diverged" if not numpy.isfinite(error) else f"{100 * error:.1f} %")
                    if ratio == 5.0 and h == 0.01 and numpy.isfinite(error):
                        traces["in one"] = reference
                        traces[way] = rows
                print(f"{ratio:5g}  {1e3 * h:7g}  " + "  ".join(f"{text:>9}" for text in line), flush=True)
    if arguments.out:
        arguments.out.mkdir(parents=True, exist_ok=True)
        plot(results, traces, arguments.out / "added_mass.png")
    if TRIES:
        print(f"steps made per iterated step: {numpy.mean(TRIES):.1f}, at most {max(TRIES)}")


if __name__ == "__main__":
    main()
