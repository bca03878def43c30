"""What the examples share: the loop of a co-simulation master with FMPy, and what they leave in their folder."""

import argparse
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

ORANGE, BLUE, GREEN, GREY = "#c1440e", "#2f5d8a", "#6b8e23", "0.35"


def parse_arguments(name, description, **options):
    """--scree and --out, and `options`: name=(default, help) of the type of the default."""
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument("--scree", default="build/release/bin/scree", help="the scree command")
    parser.add_argument("--out", default=f"out/{name}", type=pathlib.Path, help="folder for the results")
    for option, (default, text) in options.items():
        parser.add_argument(f"--{option}", default=default, type=type(default), help=text)
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    return arguments


def call(*command):
    subprocess.run([str(word) for word in command], check=True)


def show_progress(done, total, began):
    if not sys.stderr.isatty():
        return
    left = (time.monotonic() - began) / max(done, 1) * (total - done)
    print(f"\r[{'#' * (30 * done // total):<30}] {100 * done // total:3d} %  {left:4.0f} s left ", end="\n" if done == total else "",
          file=sys.stderr)


class Slave:
    """One instance of an FMU, addressed by the names of its variables."""

    def __init__(self, fmu, parameters=None, inputs=None):
        description = read_model_description(str(fmu))
        self.variables = {v.name: v for v in description.modelVariables}
        self.folder = extract(str(fmu))
        self.fmu = FMU2Slave(guid=description.guid, unzipDirectory=self.folder, instanceName=description.modelName,
                             modelIdentifier=description.coSimulation.modelIdentifier)
        self.time = 0.0
        self.fmu.instantiate()
        self.set(parameters or {})
        self.fmu.setupExperiment(startTime=0.0)
        self.fmu.enterInitializationMode()
        self.set(inputs or {})
        self.fmu.exitInitializationMode()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.fmu.terminate()
        self.fmu.freeInstance()
        shutil.rmtree(self.folder, ignore_errors=True)

    def outputs(self):
        return [v.name for v in self.variables.values() if v.causality == "output"]

    def set(self, values):
        for kind, write in (("Real", self.fmu.setReal), ("Integer", self.fmu.setInteger), ("String", self.fmu.setString)):
            names = [name for name in values if self.variables[name].type == kind]
            if names:
                write([self.variables[name].valueReference for name in names], [values[name] for name in names])

    def get(self, names):
        values = {}
        for kind, read in (("Real", self.fmu.getReal), ("Integer", self.fmu.getInteger)):
            some = [name for name in names if self.variables[name].type == kind]
            if some:
                values.update(zip(some, read([self.variables[name].valueReference for name in some])))
        return values

    def step(self, until):
        self.fmu.doStep(currentCommunicationPoint=self.time, communicationStepSize=until - self.time)
        self.time = until


def cosimulate(fmu, times, inputs, outputs=None, record=None, interval=0.04, parameters=None):
    """The loop of a master: set inputs, step, get outputs.

    times: s, communication points. inputs: name → values at these. outputs: names; None: all. record: folder for a recording.
    Returns name → values at `times`, with "time" among them, and the seconds it took.
    """
    parameters = dict(parameters or {})
    if record:
        shutil.rmtree(record, ignore_errors=True)
        parameters |= {"record.directory": str(pathlib.Path(record).resolve()), "record.interval": interval}
    at = [{name: float(values[n]) for name, values in inputs.items()} for n in range(len(times))]
    with Slave(fmu, parameters, at[0]) as slave:
        names = outputs or slave.outputs()
        rows, began, total = [slave.get(names)], time.monotonic(), len(times) - 1
        for n in range(total):
            slave.set(at[n])
            slave.step(times[n + 1])
            rows.append(slave.get(names))
            show_progress(n + 1, total, began)
        seconds = time.monotonic() - began
    return {"time": np.array(times)} | {name: np.array([row[name] for row in rows]) for name in names}, seconds


def write_csv(path, columns):
    np.savetxt(path, np.column_stack(list(columns.values())), delimiter=",", header=",".join(columns), comments="", fmt="%.17g")


def figure(rows, heights=None, size=(8.5, 6.5)):
    """Axes over a common time axis."""
    drawing, axes = plt.subplots(rows, 1, figsize=size, sharex=True, height_ratios=heights, squeeze=False)
    for axis in axes[:, 0]:
        axis.spines[["top", "right"]].set_visible(False)
    return drawing, axes[:, 0]


def save(drawing, path):
    drawing.tight_layout()
    drawing.savefig(path, dpi=130)
    plt.close(drawing)


def make_pages(scree, record, out, page="replay.html"):
    """The page that replays a recording, and its report."""
    call(scree, "view", record, "-o", out / page)
    call(scree, "report", record, "-o", out / "report.html")


def compare(rows):
    """Prints quantity, measured, expected, source; one line each."""
    for quantity, measured, expected, source in rows:
        print(f"  {quantity:<46} {measured:>14}   {expected:>16}   {source}")


def list_results(out, *names):
    for name in names:
        print(f"  {out / name}")
