"""Push a plate into a bed of 5000 grains through the FMU, drag it, and plot what the grains do to it.

Packs the scene, co-simulates the FMU with FMPy step by step as a master would, runs the same motion once more through
`scree run` for pictures of the grains and a page that replays it, and checks that both gave the same forces to the last bit.
"""

import argparse
import csv
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from fmpy import extract, read_model_description
from fmpy.fmi2 import FMU2Slave

HERE = pathlib.Path(__file__).resolve().parent
STEP = 0.005  # s, communication step
STOP = 3.0  # s
# The plate's plan: (until, velocity x, velocity z). It waits for the bed to settle, goes down, rests, and is dragged.
PLAN = [(0.8, 0.0, 0.0), (1.65, 0.0, -0.45), (1.8, 0.0, 0.0), (2.8, 0.12, 0.0), (STOP, 0.0, 0.0)]
INPUTS = [f"plate.position[{i}]" for i in (1, 2, 3)] + [f"plate.velocity[{i}]" for i in (1, 2, 3)]


def plate_motion(start):
    """Position and velocity of the plate at every communication point; the position is the integral of the velocity."""
    rows, position = [], np.array(start)
    for n in range(round(STOP / STEP) + 1):
        t = n * STEP
        _, vx, vz = next((leg for leg in PLAN if t < leg[0] - 1e-9), PLAN[-1])
        velocity = np.array([vx, 0.0, vz])
        rows.append(np.concatenate([[t], position, velocity]))
        position = position + STEP * velocity
    return np.array(rows)


def progress(done, total, began):
    if not sys.stderr.isatty():
        return
    spent = time.monotonic() - began
    left = spent / max(done, 1) * (total - done)
    bar = "#" * (30 * done // total)
    print(f"\r[{bar:<30}] {100 * done // total:3d} %  {left:4.0f} s left ", end="\n" if done == total else "", file=sys.stderr)


def cosimulate(fmu, motion, outputs):
    """The loop of a co-simulation master: set inputs, step, get outputs."""
    description = read_model_description(str(fmu))
    variable = {v.name: v for v in description.modelVariables}
    vr_in = [variable[name].valueReference for name in INPUTS]
    vr_out = {kind: [variable[name].valueReference for name in outputs if variable[name].type == kind] for kind in ("Real", "Integer")}
    unzipped = extract(str(fmu))
    slave = FMU2Slave(guid=description.guid, unzipDirectory=unzipped,
                      modelIdentifier=description.coSimulation.modelIdentifier, instanceName="bed")
    slave.instantiate()
    slave.setupExperiment(startTime=0.0, stopTime=STOP)
    slave.enterInitializationMode()
    slave.setReal(vr_in, motion[0, 1:].tolist())
    slave.exitInitializationMode()

    def sample(t):
        values = dict(zip(vr_out["Real"], slave.getReal(vr_out["Real"])))
        values.update(zip(vr_out["Integer"], slave.getInteger(vr_out["Integer"])))
        return [t] + [values[variable[name].valueReference] for name in outputs]

    rows, began = [sample(0.0)], time.monotonic()
    total = len(motion) - 1
    for n in range(total):
        slave.setReal(vr_in, motion[n, 1:].tolist())
        slave.doStep(currentCommunicationPoint=motion[n, 0], communicationStepSize=motion[n + 1, 0] - motion[n, 0])
        rows.append(sample(motion[n + 1, 0]))
        progress(n + 1, total, began)
    seconds = time.monotonic() - began
    slave.terminate()
    slave.freeInstance()
    shutil.rmtree(unzipped, ignore_errors=True)
    return np.array(rows), seconds


def write_csv(path, header, rows):
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(header)
        writer.writerows([[repr(float(x)) for x in row] for row in rows])


def plot_forces(path, outputs, rows, motion):
    t = rows[:, 0]
    figure, (top, bottom) = plt.subplots(2, 1, figsize=(8, 5.5), sharex=True, height_ratios=[3, 1])
    for name, label, colour in (("plate.force[1]", "along the drag, $F_x$", "#c1440e"),
                                ("plate.force[3]", "vertical, $F_z$", "#2f5d8a")):
        top.plot(t, rows[:, 1 + outputs.index(name)], color=colour, lw=1.2, label=label)
    top.set_ylabel("force of the grains on the plate / N")
    top.legend(frameon=False)
    top.axhline(0.0, color="0.6", lw=0.8)
    bottom.plot(motion[:, 0], motion[:, 3], color="0.3", label="height of the plate's centre / m")
    bottom.plot(motion[:, 0], motion[:, 1], color="#c1440e", label="its place along the drag, x / m")
    bottom.legend(frameon=False)
    bottom.set_xlabel("time / s")
    for axis in (top, bottom):
        axis.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    figure.savefig(path, dpi=130)
    plt.close(figure)


def draw_bed(path, grains, plate_centre, plate_size):
    """A shaded picture of the grains in front of the plate's middle plane removed: what the plate does inside."""
    data = np.genfromtxt(grains, delimiter=",", names=True)
    keep = data["y"] > 0.0  # cut the bed open along the drag direction
    x, y, z, r = (data[k][keep] for k in ("x", "y", "z", "radius"))
    speed = np.sqrt(data["vx"] ** 2 + data["vy"] ** 2 + data["vz"] ** 2)[keep]
    order = np.argsort(-y)  # far ones first
    depth = (y - y.min()) / (y.max() - y.min() + 1e-12)
    shade = (1.0 - 0.6 * depth)[:, None]
    colour = plt.cm.YlOrBr(0.35 + 0.5 * np.clip(speed / 0.1, 0, 1))[:, :3] * shade
    figure, axis = plt.subplots(figsize=(7, 5))
    lo, hi = (plate_centre[k] - plate_size[k] / 2 for k in (0, 2)), (plate_size[0], plate_size[2])
    for i in order:
        axis.add_patch(plt.Circle((x[i], z[i]), r[i], color=colour[i], ec="0.15", lw=0.3, zorder=2 - depth[i]))
        axis.add_patch(plt.Circle((x[i] - 0.3 * r[i], z[i] + 0.3 * r[i]), 0.25 * r[i], color="white", alpha=0.25,
                                  lw=0, zorder=2 - depth[i]))
    axis.add_patch(plt.Rectangle(tuple(lo), *hi, color="#2f5d8a", alpha=0.85, zorder=3))
    axis.set_xlim(-0.2, 0.2)
    axis.set_ylim(-0.01, 0.42)
    axis.set_aspect("equal")
    axis.set_xlabel("x / m")
    axis.set_ylabel("z / m")
    axis.set_title("bed cut open at the plate's middle, end of the run", fontsize=10)
    figure.tight_layout()
    figure.savefig(path, dpi=130)
    plt.close(figure)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scree", default="build/release/bin/scree", help="the scree command")
    parser.add_argument("--out", default="out/plate_in_bed", type=pathlib.Path, help="folder for the results")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    scene, fmu = HERE / "scene.xml", arguments.out / "plate_in_bed.fmu"

    subprocess.run([arguments.scree, "pack", str(scene), "-o", str(fmu)], check=True)
    description = read_model_description(str(fmu))
    outputs = [v.name for v in description.modelVariables if v.causality == "output"]
    start = [float(next(v for v in description.modelVariables if v.name == f"plate.position[{i}]").start) for i in (1, 2, 3)]
    motion = plate_motion(start)

    print(f"co-simulating {STOP:g} s of 5000 grains through the FMU")
    rows, seconds = cosimulate(fmu, motion, outputs)
    write_csv(arguments.out / "forces.csv", ["time"] + outputs, rows)
    plot_forces(arguments.out / "forces.png", outputs, rows, motion)

    print("the same motion through `scree run`, for the picture of the grains")
    with tempfile.TemporaryDirectory() as folder:
        inputs, direct, grains = (pathlib.Path(folder) / name for name in ("in.csv", "direct.csv", "grains.csv"))
        write_csv(inputs, ["time"] + INPUTS, motion)
        subprocess.run([arguments.scree, "run", str(scene), "--until", str(STOP), "--step", str(STEP), "--input",
                        str(inputs), "--output", str(direct), "--grains", str(grains), "--record", str(arguments.out / "record")],
                       check=True)
        again = np.loadtxt(direct, delimiter=",", skiprows=1)
        same = np.array_equal(again, rows)
        draw_bed(arguments.out / "bed.png", grains, motion[-1, 1:4], (0.02, 0.12, 0.25))
    subprocess.run([arguments.scree, "view", str(arguments.out / "record"), "-o", str(arguments.out / "replay.html")], check=True)
    if not same:
        sys.exit("the FMU and `scree run` gave different numbers")

    column = {name: rows[:, 1 + i] for i, name in enumerate(outputs)}
    print(f"\n  {seconds:.1f} s of computing for {STOP:g} s; FMU and `scree run` agree to the last bit")
    print(f"  largest force on the plate: down {-column['plate.force[3]'].min():.0f} N, up {column['plate.force[3]'].max():.0f} N, "
          f"drag {np.abs(column['plate.force[1]']).max():.0f} N")
    for name, what in (("plate_in_bed.fmu", "the FMU, for your own tool"), ("forces.csv", "all outputs over time"),
                       ("forces.png", "reaction force of the grains"), ("bed.png", "the grains at the end"),
                       ("record", "the recorded run: for scree export too"), ("replay.html", "open this in a browser")):
        print(f"  {arguments.out / name}   {what}")


if __name__ == "__main__":
    main()
