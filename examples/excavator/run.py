"""Dig with a 50 t class excavator through the FMU: strokes of its cylinders in, their forces out, and a page that replays it.

Packs scene.xml, co-simulates the FMU with FMPy as a master would, with the FMU recording, and writes the replay page, the report,
the outputs as CSV and a plot. `make_scene.py` writes other trenches and dig cycles.
"""

import argparse
import csv
import pathlib
import shutil
import subprocess
import sys
import time

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from fmpy import extract, read_model_description
from fmpy.fmi2 import FMU2Slave

HERE = pathlib.Path(__file__).resolve().parent
CYLINDERS = ("boom_cylinder", "stick_cylinder", "bucket_cylinder")


def progress(done, total, began):
    if not sys.stderr.isatty():
        return
    left = (time.monotonic() - began) / max(done, 1) * (total - done)
    print(f"\r[{'#' * (30 * done // total):<30}] {100 * done // total:3d} %  {left:4.0f} s left ", end="\n" if done == total else "",
          file=sys.stderr)


def read_strokes(path, until):
    with open(path, newline="") as file:
        rows = list(csv.reader(file))
    values = np.array(rows[1:], dtype=float)
    return rows[0][1:], values[values[:, 0] <= until + 1e-9]


def cosimulate(fmu, names, strokes, record, outputs):
    """The loop of a co-simulation master: set inputs, step, get outputs."""
    description = read_model_description(str(fmu))
    refs = {v.name: v.valueReference for v in description.modelVariables}
    unzipped = extract(str(fmu))
    slave = FMU2Slave(guid=description.guid, unzipDirectory=unzipped, instanceName="excavator",
                      modelIdentifier=description.coSimulation.modelIdentifier)
    slave.instantiate()
    slave.setString([refs["record.directory"]], [str(record)])
    slave.setReal([refs["record.interval"]], [0.04])
    slave.setupExperiment(startTime=0.0)
    slave.enterInitializationMode()
    slave.setReal([refs[n] for n in names], strokes[0, 1:].tolist())
    slave.exitInitializationMode()
    rows, began, total = [], time.monotonic(), len(strokes) - 1
    for n in range(total):
        t, h = strokes[n, 0], strokes[n + 1, 0] - strokes[n, 0]
        slave.setReal([refs[name] for name in names], strokes[n, 1:].tolist())
        slave.doStep(currentCommunicationPoint=t, communicationStepSize=h)
        rows.append([t + h] + slave.getReal([refs[name] for name in outputs]))
        progress(n + 1, total, began)
    seconds = time.monotonic() - began
    slave.terminate()
    slave.freeInstance()
    shutil.rmtree(unzipped, ignore_errors=True)
    return np.array(rows), seconds


def plot(path, outputs, rows):
    def of(name):
        return rows[:, 1 + outputs.index(name)]

    figure, axes = plt.subplots(3, 1, figsize=(8.5, 8), sharex=True, height_ratios=[3, 2, 2])
    for name, colour in zip(CYLINDERS, ("#c1440e", "#2f5d8a", "#6b8e23")):
        axes[0].plot(rows[:, 0], of(f"{name}.force") / 1e3, color=colour, lw=1.1, label=name.replace("_", " "))
        axes[2].plot(rows[:, 0], of(f"{name}.power") / 1e3, color=colour, lw=1.0)
    axes[0].set_ylabel("force of the cylinder / kN")
    axes[0].legend(frameon=False)
    axes[1].plot(rows[:, 0], of("payload.mass") / 1e3, color="0.25")
    axes[1].set_ylabel("grains in the bucket / t")
    axes[2].set_ylabel("power of the cylinder / kW")
    axes[2].set_xlabel("time / s")
    for axis in axes:
        axis.axhline(0.0, color="0.7", lw=0.8)
        axis.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    figure.savefig(path, dpi=130)
    plt.close(figure)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scree", default="build/release/bin/scree", help="the scree command")
    parser.add_argument("--out", default="out/excavator", type=pathlib.Path, help="folder for the results")
    parser.add_argument("--until", default=15.0, type=float, help="s, of the 15 s of the dig cycle")
    arguments = parser.parse_args()
    out = arguments.out
    out.mkdir(parents=True, exist_ok=True)
    fmu, record = out / "excavator.fmu", (out / "record").resolve()
    shutil.rmtree(record, ignore_errors=True)

    subprocess.run([arguments.scree, "pack", HERE / "scene.xml", "-o", fmu], check=True)
    names, strokes = read_strokes(HERE / "strokes.csv", arguments.until)
    outputs = [f"{name}.{what}" for name in CYLINDERS + ("swing_motor",) for what in ("position", "force", "power")]
    outputs += ["payload.mass", "bucket.force[1]", "bucket.force[3]"]
    rows, seconds = cosimulate(fmu, names, strokes, record, outputs)
    np.savetxt(out / "outputs.csv", rows, delimiter=",", header=",".join(["time"] + outputs), comments="")
    plot(out / "forces.png", outputs, rows)
    subprocess.run([arguments.scree, "view", record, "-o", out / "dig.html"], check=True)
    subprocess.run([arguments.scree, "report", record, "-o", out / "report.html"], check=True)

    payload = rows[:, 1 + outputs.index("payload.mass")].max()
    peak = max(np.abs(rows[:, 1 + outputs.index(f"{name}.force")]).max() for name in CYLINDERS)
    print(f"{strokes[-1, 0]:g} s of digging in {seconds:.0f} s: up to {payload / 1e3:.2f} t in the bucket, {peak / 1e3:.0f} kN in a cylinder")
    for name in ("dig.html", "report.html", "forces.png", "outputs.csv", "excavator.fmu"):
        print(out / name)


if __name__ == "__main__":
    main()
