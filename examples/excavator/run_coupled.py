"""Dig with a machine model of its own: the excavator as an FMU with linkage and hydraulics, coupled to Scree's bucket.

    python run_coupled.py [--ways one adapter iterated explicit] [--steps 0.005 0.01] [--seeds 1] [--until 15] [--out out/excavator_coupled]

Two FMUs: `excavator_machine` (machine/, built by CMake) and the bucket in its trench (bucket.xml), exchanged every step H:
  adapter    grains first, with the bucket's twist; then the machine, with their wrench and impedance (examples/adapter)
  iterated   the same step is taken back and made again by both, until the mean twist is the one that the wrench belongs to
  explicit   as adapter, but the wrench is held over the machine's step
  one        for comparison: the mechanism inside Scree, driven by strokes (run.py); no hydraulics
Each run leaves a table <way>_<ms>ms_<seed>.csv, which is not made again when it is there; at the end come a comparison, plots, and the
pair of FMUs as an SSP package.
"""

import argparse
import csv
import pathlib
import shutil
import subprocess
import sys
import time

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "common"))
import machine_fmu
import ssp

WAYS = ("one", "adapter", "iterated", "explicit")
ACTUATORS = ("boomCylinder", "stickCylinder", "bucketCylinder", "swingMotor")
IN_SCENE = ("boom_cylinder", "stick_cylinder", "bucket_cylinder", "swing_motor")


def vector(name, count=3):
    return [f"{name}[{i + 1}]" for i in range(count)]


POSE = vector("bucket.position") + vector("bucket.orientation", 4)
TWIST = vector("bucket.velocity") + vector("bucket.angularVelocity")
WRENCH = vector("bucket.force") + vector("bucket.torque")
Z = [f"bucket.Z[{i + 1},{k + 1}]" for i in range(6) for k in range(6)]
WATCH = [f"{a}.{what}" for a in ACTUATORS for what in ("stroke", "target", "force", "power", "work", "pressureA", "pressureB")]
WATCH += ["pump.pressure", "pump.flow", "pump.power", "pump.work", "energy.kinetic", "energy.potential"]
COLUMNS = ["time", "payload", *WRENCH, *WATCH, "work.machine", "work.grains", "tries"]


def progress(done, total, began, what):
    if sys.stderr.isatty():
        left = (time.monotonic() - began) / max(done, 1) * (total - done)
        print(f"\r{what:16} [{'#' * (30 * done // total):<30}] {left:4.0f} s left ", end="\n" if done == total else "", file=sys.stderr)


# ---- rotations: quaternions w x y z

def multiply(p, q):
    w, v, u, x = p[0], p[1:], q[0], q[1:]
    return np.concatenate([[w * u - v @ x], w * x + u * v + np.cross(v, x)])


def turned(orientation, by):
    """After the rotation vector `by`, in the world."""
    angle = np.linalg.norm(by)
    half = np.concatenate([[np.cos(angle / 2)], by * (np.sin(angle / 2) / angle if angle > 1e-12 else 0.5)])
    return multiply(half, orientation)


def between(a, b):
    """The rotation vector from a to b, in the world."""
    d = multiply(b, a * np.array([1, -1, -1, -1]))
    d = d if d[0] >= 0.0 else -d
    s = np.linalg.norm(d[1:])
    return d[1:] * (2.0 * np.arctan2(s, d[0]) / s if s > 1e-15 else 2.0)


# ---- the pair

class Pair:
    """Both FMUs, and where Scree has the bucket."""

    def __init__(self, files, seed, adapter, record=None, parameters=None):
        self.grains, self.machine = ssp.Instance(files["grains"], "grains"), ssp.Instance(files["machine"], "machine")
        self.grains.set(["fill.soil.seed"], [seed])
        if record:
            self.grains.set(["record.directory", "record.interval"], [str(record), 0.04])
        self.machine.set(["adapter"], [1.0 if adapter else 0.0])
        for name, value in (parameters or {}).items():
            self.machine.set([name], [value])
        for fmu in (self.machine, self.grains):
            fmu.start()
        self.grains.set(POSE + TWIST, self.machine.get(POSE + TWIST))
        for fmu in (self.machine, self.grains):
            fmu.started()
        self.pose = np.array(self.machine.get(POSE))
        self.work, self.time = 0.0, 0.0

    def step_grains(self, h, pose, twist):
        """From where the bucket is to pose + twist h; gives the wrench and what it has done on the bucket."""
        self.grains.set(POSE + TWIST, [*pose, *twist])
        self.grains.step(self.time, h)
        wrench = np.array(self.grains.get(WRENCH))
        to = np.concatenate([pose[:3] + h * twist[:3], turned(pose[3:], h * twist[3:])])
        moved = np.concatenate([to[:3] - self.pose[:3], between(self.pose[3:], to[3:])])
        return wrench, to, wrench @ moved

    def row(self, wrench, tries):
        payload = self.grains.get(["payload.mass"])[0]
        return [self.time, payload, *wrench, *self.machine.get(WATCH), self.machine.get(["bucket.work"])[0], self.work, tries]

    def close(self):
        self.grains.close()
        self.machine.close()


def run_pair(files, way, h, until, seed, record=None):
    """The loop of a master with fixed steps."""
    pair = Pair(files, seed, way == "adapter", record)
    quasi_newton = QuasiNewton() if way == "iterated" else None
    rows, began, total = [], time.monotonic(), round(until / h)
    for n in range(total):
        pair.time = n * h
        if quasi_newton:
            wrench, tries = iterate(pair, h, quasi_newton)
        else:
            motion = np.array(pair.machine.get(POSE + TWIST))
            wrench, pair.pose, work = pair.step_grains(h, motion[:7], motion[7:])
            pair.work += work
            pair.machine.set(WRENCH, wrench)
            if way == "adapter":
                pair.machine.set(Z, pair.grains.get(Z))
            pair.machine.step(pair.time, h)
            tries = 1
        pair.time = (n + 1) * h
        rows.append(pair.row(wrench, tries))
        progress(n + 1, total, began, f"{way} {1e3 * h:g} ms")
    pair.close()
    return np.array(rows), time.monotonic() - began


class QuasiNewton:
    """Interface quasi-Newton with the differences of the last tries, least squares: for x = G(x) with few unknowns.

    x: twist that the grains' step is made with; G(x): the mean twist that the machine answers their wrench with. Lengths of 1 m stand
    beside angles of 1 rad. What was learnt is kept for a few steps.
    """

    keep, tolerance, most = 8, 2e-4, 8  # tries; m/s and rad/s; tries per step

    def __init__(self):
        self.dx, self.dr, self.last = [], [], None

    def next(self, x, answer):
        r = answer - x
        if self.last is not None:
            self.dx.append(answer - self.last[0])
            self.dr.append(r - self.last[1])
            self.dx, self.dr = self.dx[-self.keep:], self.dr[-self.keep:]
        self.last = (answer, r)
        if not self.dr:
            return x + 0.1 * r
        # newest first: an old difference that newer ones already explain is no news
        v, w, basis = [], [], []
        for a, b in zip(reversed(self.dr), reversed(self.dx)):
            rest = a - sum((q @ a) * q for q in basis)
            if np.linalg.norm(rest) > 0.05 * np.linalg.norm(a) and np.linalg.norm(a) > 1e-9:
                basis.append(rest / np.linalg.norm(rest))
                v.append(a)
                w.append(b)
        c = np.linalg.lstsq(np.array(v).T, -r, rcond=None)[0]
        return answer + np.array(w).T @ c

    def new_step(self):
        self.last = None


def iterate(pair, h, newton):
    """Both steps again and again, from the same states."""
    states = pair.grains.slave.getFMUstate(), pair.machine.slave.getFMUstate()
    newton.new_step()
    x = np.array(pair.machine.get(TWIST))
    place = np.array(pair.machine.get(POSE))
    best = None
    for tries in range(1, newton.most + 1):
        if tries > 1:
            pair.grains.slave.setFMUstate(states[0])
            pair.machine.slave.setFMUstate(states[1])
        wrench, to, work = pair.step_grains(h, pair.pose, x)
        pair.machine.set(WRENCH, wrench)
        pair.machine.step(pair.time, h)
        end = np.array(pair.machine.get(POSE))
        answer = np.concatenate([end[:3] - pair.pose[:3], between(pair.pose[3:], end[3:])]) / h
        gap = np.linalg.norm(answer - x)
        if gap < newton.tolerance or tries == newton.most:
            break
        x = newton.next(x, answer)
    pair.pose, pair.work = to, pair.work + work
    for fmu, state in zip((pair.grains, pair.machine), states):
        fmu.slave.freeFMUstate(state)
    return wrench, tries


def run_one(files, h, until, seed, record=None):
    """The mechanism inside Scree, its cylinders driven by the strokes of strokes.csv."""
    with open(HERE / "strokes.csv", newline="") as file:
        lines = list(csv.reader(file))
    names, strokes = lines[0][1:], np.array(lines[1:], dtype=float)
    fmu = ssp.Instance(files["one"], "one")
    fmu.set(["fill.soil.seed"], [seed])
    if record:
        fmu.set(["record.directory", "record.interval"], [str(record), 0.04])
    fmu.start()
    fmu.set(names, strokes[0, 1:])
    fmu.started()
    out = [f"{a}.{what}" for a in IN_SCENE for what in ("position", "targetPosition", "force", "power")]
    rows, work, began, total = [], np.zeros(4), time.monotonic(), round(until / h)
    for n in range(total):
        here = np.array([np.interp(n * h, strokes[:, 0], c) for c in strokes[:, 1:].T])
        ahead = np.array([np.interp((n + 1) * h, strokes[:, 0], c) for c in strokes[:, 1:].T])
        here[1::2] = (ahead[::2] - here[::2]) / h
        fmu.set(names, here)
        fmu.step(n * h, h)
        values = np.array(fmu.get(out)).reshape(4, 4)
        work = work + h * values[:, 3]
        table = [x for i in range(4) for x in (values[i, 0], ahead[2 * i], values[i, 2], values[i, 3], work[i], 0.0, 0.0)]
        rows.append([(n + 1) * h, fmu.get(["payload.mass"])[0], *fmu.get(vector("bucket.force")), *fmu.get(vector("bucket.torque")), *table,
                     *[0.0] * 6, 0.0, 0.0, 1])
        progress(n + 1, total, began, "one")
    fmu.close()
    return np.array(rows), time.monotonic() - began


# ---- files

def prepare(out, scree):
    """The FMUs, and both of the pair as an SSP package."""
    files = {"grains": out / "excavator_bucket.fmu", "one": out / "excavator.fmu"}
    subprocess.run([scree, "pack", HERE / "bucket.xml", "-o", files["grains"]], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    subprocess.run([scree, "pack", HERE / "scene.xml", "-o", files["one"]], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    files["machine"] = machine_fmu.pack(machine_fmu.find("excavator_machine", scree), out / "excavator_machine.fmu", stop=15.0, step=0.005)
    files["ssp"] = write_ssp(out / "excavator.ssp", files)
    return files


def write_ssp(path, files, step=0.005):
    connections = []
    for what, count in (("position", 3), ("orientation", 4), ("velocity", 3), ("angularVelocity", 3)):
        connections += ssp.wires("machine", f"bucket.{what}", "grains", f"bucket.{what}", count)
    for what, shape in (("force", 3), ("torque", 3), ("Z", (6, 6))):
        connections += ssp.wires("grains", f"bucket.{what}", "machine", f"bucket.{what}", shape)
    outputs = [("machine", f"{a}.force") for a in ACTUATORS] + [("machine", "pump.power"), ("grains", "payload.mass")]
    return ssp.write(path, "excavator", {"grains": files["grains"], "machine": files["machine"]}, connections,
                     parameters={"machine": {"pump.maxPressure": 34.3e6, "pump.maxPower": 270e3, "pump.maxFlow": 0.0145, "adapter": 1.0},
                                 "grains": {"fill.soil.seed": 1.0, "pair.rock.rock.friction": 0.6, "pair.rock.steel.friction": 0.4}},
                     outputs=outputs, stop=15.0, step=step,
                     description="An excavator (linkage, hydraulics, operator) digs in a trench of grains; adapter law, grains stepped first")


class Table:
    def __init__(self, path):
        self.rows = np.loadtxt(path, delimiter=",", skiprows=1)

    def __getitem__(self, name):
        return self.rows[:, COLUMNS.index(name)]


def smooth(t, x, width):
    """Means over `width` around each time."""
    h = t[1] - t[0]
    sums = np.concatenate([[0.0], np.cumsum(x)]) * h
    times = np.concatenate([[0.0], t])
    ends = np.clip(t - h / 2 + width / 2, 0.0, t[-1]), np.clip(t - h / 2 - width / 2, 0.0, t[-1])
    return (np.interp(ends[0], times, sums) - np.interp(ends[1], times, sums)) / (ends[0] - ends[1])


CARRY = (9.0, 10.0)  # s: the bucket is out of the trench and not yet swung
MEAN = 0.2            # s: forces are compared as means of this length, about a period of arm and oil, which pass shorter ones by


def measure(table):
    """Figures of a run."""
    t = table["time"]
    carry = (t > CARRY[0]) & (t < CARRY[1])
    result = {"payload": table["payload"][carry].mean() if carry.any() else np.nan, "most": table["payload"].max()}
    for a in ACTUATORS[:3]:
        result[a] = np.abs(smooth(t, table[f"{a}.force"], MEAN)).max()
        result[a + ".raw"] = np.abs(table[f"{a}.force"]).max()
    dig = np.abs(np.diff(table["work.grains"], prepend=0.0)).sum()
    gain = table["work.machine"] - table["work.grains"]
    result["interface"], result["interface.most"] = (gain[-1] / dig, gain.max() / dig) if dig else (np.nan, np.nan)
    result["lag"] = max(np.abs(table[f"{a}.stroke"] - table[f"{a}.target"]).max() for a in ACTUATORS[:3])
    return result


def compare(out):
    """Every table in `out` beside the others; returns {(way, ms): [figures by seed]}."""
    found = {}
    for path in sorted(out.glob("*_*ms_*.csv")):
        way, ms, seed = path.stem.split("_")
        found.setdefault((way, float(ms[:-2])), []).append((int(seed), measure(Table(path))))
    print(f"{'way':>9} {'step':>6} {'seed':>4}  payload t  {'  '.join(f'{a:>14}' for a in ACTUATORS[:3])}   interface   lag mm"
          "    peaks of 0.2 s means and raw, kN; energy that coupling has made, of the work of digging")
    for (way, ms), runs in sorted(found.items()):
        for seed, m in runs:
            forces = "  ".join(f"{m[a] / 1e3:6.0f} ({m[a + '.raw'] / 1e3:5.0f})" for a in ACTUATORS[:3])
            print(f"{way:>9} {ms:4g} ms {seed:4d}  {m['payload'] / 1e3:9.3f}  {forces}   {100 * m['interface']:7.2f} %  {1e3 * m['lag']:6.1f}")
    return found


COLOURS = {"one": "0.2", "adapter": "#c1440e", "iterated": "#2f5d8a", "explicit": "#6b8e23"}


def plot(out, path):
    import matplotlib  # here alone: nothing else needs it

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    tables = {p.stem: Table(p) for p in sorted(out.glob("*_*ms_1.csv"))}
    figure, axes = plt.subplots(3, 2, figsize=(12, 9.5), sharex=True)
    for stem, table in tables.items():
        way, ms, _ = stem.split("_")
        style = dict(color=COLOURS[way], lw=1.1, ls="--" if ms == "10ms" and way != "one" else "-",
                     label="mechanism in Scree" if way == "one" else f"machine FMU, {way}, {ms[:-2]} ms")
        t = table["time"]
        for axis, a in zip((axes[0, 0], axes[0, 1], axes[1, 0]), ACTUATORS[:3]):
            axis.plot(t, smooth(t, table[f"{a}.force"], MEAN) / 1e3, **style)
            axis.set_ylabel(f"{a[:-8]} cylinder / kN")
        axes[1, 1].plot(t, table["payload"] / 1e3, **style)
        if way != "one":
            axes[2, 0].plot(t, (table["work.machine"] - table["work.grains"]) / 1e3, **style)
            axes[2, 1].plot(t, table["pump.work"] / 1e3, **{**style, "label": f"pump, {way}, {ms}"})
        axes[2, 1].plot(t, sum(table[f"{a}.work"] for a in ACTUATORS) / 1e3, **{**style, "alpha": 0.5, "label": None})
    axes[1, 1].set_ylabel("grains in the bucket / t")
    axes[2, 0].set_ylabel("made by the coupling / kJ")
    axes[2, 1].set_ylabel("work of pump (pale: actuators) / kJ")
    axes[0, 0].legend(frameon=False, fontsize=8)
    for axis in axes.flat:
        axis.axhline(0.0, color="0.8", lw=0.8, zorder=0)
        axis.spines[["top", "right"]].set_visible(False)
    for axis in axes[2]:
        axis.set_xlabel("time / s")
    figure.tight_layout()
    figure.savefig(path, dpi=110)
    plt.close(figure)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scree", default="build/release/bin/scree", help="the scree command")
    parser.add_argument("--out", default="out/excavator_coupled", type=pathlib.Path, help="folder for the results")
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=("one", "adapter"))
    parser.add_argument("--steps", nargs="+", type=float, default=(0.005, 0.01), help="communication steps, s")
    parser.add_argument("--seeds", nargs="+", type=int, default=(1,), help="seeds of the trench's filling")
    parser.add_argument("--until", default=15.0, type=float, help="s, of the 15 s of the dig cycle")
    parser.add_argument("--record", action="store_true", help="record each run, and make pages that replay them")
    arguments = parser.parse_args()
    out = arguments.out
    out.mkdir(parents=True, exist_ok=True)
    files = prepare(out, arguments.scree)
    for seed in arguments.seeds:
        for way in arguments.ways:
            for h in (0.01,) if way == "one" else arguments.steps:
                path = out / f"{way}_{1e3 * h:g}ms_{seed}.csv"
                if path.exists():
                    continue
                record = (out / path.stem).resolve() if arguments.record else None
                if record:
                    shutil.rmtree(record, ignore_errors=True)
                rows, seconds = (run_one(files, h, arguments.until, seed, record) if way == "one" else
                                 run_pair(files, way, h, arguments.until, seed, record))
                np.savetxt(path, rows, delimiter=",", header=",".join(COLUMNS), comments="", fmt="%.9g")
                print(f"{path}: {arguments.until:g} s in {seconds:.0f} s", flush=True)
                if record:
                    subprocess.run([arguments.scree, "view", record, "-o", out / f"{path.stem}.html"], check=True)
    compare(out)
    plot(out, out / "coupled.png")
    print(out / "coupled.png", files["ssp"], sep="\n")


if __name__ == "__main__":
    main()
