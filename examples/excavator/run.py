"""Dig with a 50 t class excavator through the FMU: strokes of its cylinders in, their forces out, and a page that replays it.

Packs scene.xml, co-simulates the FMU with FMPy as a master would, with the FMU recording, and writes the replay page, the report,
the outputs as CSV and a plot. `make_scene.py` writes other trenches and dig cycles.
"""

import csv
import pathlib
import sys

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "common"))
import master  # noqa: E402

CYLINDERS = ("boom_cylinder", "stick_cylinder", "bucket_cylinder")
COLOURS = (master.ORANGE, master.BLUE, master.GREEN)


def read_strokes(path, until):
    with open(path, newline="") as file:
        rows = list(csv.reader(file))
    values = np.array(rows[1:], dtype=float)
    values = values[values[:, 0] <= until + 1e-9]
    return values[:, 0], dict(zip(rows[0][1:], values[:, 1:].T))


def plot(path, rows):
    drawing, axes = master.figure(3, [3, 2, 2], (8.5, 8))
    for name, colour in zip(CYLINDERS, COLOURS):
        axes[0].plot(rows["time"], rows[f"{name}.force"] / 1e3, color=colour, lw=1.1, label=name.replace("_", " "))
        axes[2].plot(rows["time"], rows[f"{name}.power"] / 1e3, color=colour, lw=1.0)
    axes[0].set_ylabel("force of the cylinder / kN")
    axes[0].legend(frameon=False)
    axes[1].plot(rows["time"], rows["payload.mass"] / 1e3, color="0.25")
    axes[1].set_ylabel("grains in the bucket / t")
    axes[2].set_ylabel("power of the cylinder / kW")
    axes[2].set_xlabel("time / s")
    for axis in axes:
        axis.axhline(0.0, color="0.7", lw=0.8)
    master.save(drawing, path)


def main():
    arguments = master.parse_arguments("excavator", __doc__, until=(15.0, "s, of the 15 s of the dig cycle"))
    out, fmu, record = arguments.out, arguments.out / "excavator.fmu", arguments.out / "record"
    master.call(arguments.scree, "pack", HERE / "scene.xml", "-o", fmu)
    times, strokes = read_strokes(HERE / "strokes.csv", arguments.until)
    outputs = [f"{name}.{what}" for name in CYLINDERS + ("swing_motor",) for what in ("position", "force", "power")]
    outputs += ["payload.mass", "bucket.force[1]", "bucket.force[3]"]
    rows, seconds = master.cosimulate(fmu, times, strokes, outputs, record)
    master.write_csv(out / "outputs.csv", rows)
    plot(out / "forces.png", rows)
    master.make_pages(arguments.scree, record, out, "dig.html")

    payload, peak = rows["payload.mass"].max(), max(np.abs(rows[f"{name}.force"]).max() for name in CYLINDERS)
    print(f"{times[-1]:g} s of digging in {seconds:.0f} s: up to {payload / 1e3:.2f} t in the bucket, {peak / 1e3:.0f} kN in a cylinder")
    master.list_results(out, "dig.html", "report.html", "forces.png", "outputs.csv", "excavator.fmu")


if __name__ == "__main__":
    main()
