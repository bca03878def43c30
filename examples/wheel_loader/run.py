"""A wheel loader of 9 t fills its bucket at a pile of gravel: forces of its cylinders, traction and payload.

    python run.py [--scree PATH/scree] [--out DIRECTORY] [--until 8]

Two FMUs: the operator (operator.c: a loading cycle as driving speed and cylinder strokes) and the loader with the pile (scene.xml, written by
make_scene.py). The mechanism is inside Scree; the wheels' traction is limited, so the loader stalls when the pile holds more than that.
Writes wheel_loader.ssp, the outputs as CSV, a plot and the page that replays it.
"""

import pathlib
import shutil
import sys
import time

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "common"))
import machine_fmu  # noqa: E402
import master  # noqa: E402
import ssp  # noqa: E402

STEP, STOP, G = 0.005, 8.0, 9.81
LINKS = [("drive.speed", "drive.targetSpeed")] + [(f"{c}.{a}", f"{c}.{b}") for c in ("lift", "tilt")
                                                    for a, b in (("position", "targetPosition"), ("speed", "targetSpeed"))]
OUTPUTS = [f"{name}.{what}" for name in ("drive", "lift", "tilt") for what in ("position", "speed", "force", "power")] + [
    "payload.mass", "bucket.force[1]", "bucket.force[3]", "info.kineticEnergy"]
CYCLE = {  # s; m/s; rad; rad: of arm and bucket's floor
    "time": (0.0, 0.8, 1.7, 2.6, 3.6, 4.5, 5.8, 7.2),
    "drive": (0.0, 1.0, 0.8, 0.6, 0.3, 0.0, -0.9, 0.0),
    "arm": (-0.7, -0.7, -0.7, -0.66, -0.55, -0.4, -0.15, 0.0),
    "bucket": (0.0, 0.0, 0.0, 0.15, 0.45, 0.75, 0.8, 0.8),
}
PARAMETERS = {"operator": {f"cycle.{name}[{i + 1}]": value for name, values in CYCLE.items() for i, value in enumerate(values)},
              "loader": {"actuator.drive.maxForce": 57e3}}


def build(scree, out, scene=HERE / "scene.xml"):
    """Both FMUs and the package of the system."""
    loader = out / "wheel_loader.fmu"
    master.call(scree, "pack", scene, "-o", loader)
    operator = machine_fmu.pack(machine_fmu.find("loader_operator", scree), out / "loader_operator.fmu", stop=STOP, step=STEP)
    package = ssp.write(out / "wheel_loader.ssp", "wheel_loader", description="A wheel loader fills its bucket at a pile",
                        components={"operator": operator, "loader": loader},
                        connections=[("operator", a, "loader", b) for a, b in LINKS], parameters=PARAMETERS,
                        outputs=[("loader", name) for name in ("payload.mass", "drive.force", "lift.force", "tilt.force")], stop=STOP, step=STEP)
    return loader, operator, package


def simulate(loader, operator, until, record):
    parts = {"operator": ssp.Instance(operator, "operator"), "loader": ssp.Instance(loader, "loader")}
    for name, values in PARAMETERS.items():
        parts[name].set(list(values), list(values.values()))
    parts["loader"].set(["record.directory", "record.interval"], [str(record), 0.04])
    for part in parts.values():
        part.start()
        part.started()
    rows, total, began = [], int(round(until / STEP)), time.monotonic()
    for n in range(total):
        for part in ("operator", "loader"):
            if part == "loader":
                parts[part].set([b for _, b in LINKS], parts["operator"].get([a for a, _ in LINKS]))
            parts[part].step(n * STEP, STEP)
        rows.append([(n + 1) * STEP] + parts["loader"].get(OUTPUTS))
        master.show_progress(n + 1, total, began)
    for part in parts.values():
        part.close()
    return {name: np.array(rows)[:, i] for i, name in enumerate(["time"] + OUTPUTS)}


def plot(path, rows):
    drawing, axes = master.figure(4, size=(8.5, 9))
    t = rows["time"]
    axes[0].plot(t, rows["drive.force"] / 1e3, color=master.GREY, label="traction")
    axes[0].plot(t, -rows["bucket.force[1]"] / 1e3, color=master.ORANGE, lw=0.8, label="gravel against the bucket")
    axes[0].set_ylabel("force / kN")
    axes[1].plot(t, rows["lift.force"] / 1e3, color=master.BLUE, label="lift cylinders")
    axes[1].plot(t, rows["tilt.force"] / 1e3, color=master.GREEN, label="tilt cylinder")
    axes[1].set_ylabel("force / kN")
    axes[2].plot(t, rows["payload.mass"] / 1e3, color="0.25")
    axes[2].set_ylabel("gravel in the bucket / t")
    for name, colour in (("drive", master.GREY), ("lift", master.BLUE), ("tilt", master.GREEN)):
        axes[3].plot(t, rows[f"{name}.power"] / 1e3, color=colour, lw=1.0, label=name)
    axes[3].set_ylabel("power / kW")
    axes[3].set_xlabel("time / s")
    for axis in axes:
        axis.axhline(0.0, color="0.7", lw=0.8)
        if axis.get_legend_handles_labels()[0]:
            axis.legend(frameon=False)
    master.save(drawing, path)


def main():
    arguments = master.parse_arguments("wheel_loader", __doc__, until=(STOP, "s"))
    out = arguments.out
    record = (out / "record").resolve()
    shutil.rmtree(record, ignore_errors=True)
    loader, operator, package = build(arguments.scree, out)
    began = time.process_time()
    rows = simulate(loader, operator, arguments.until, record)
    seconds = time.process_time() - began
    master.write_csv(out / "outputs.csv", rows)
    plot(out / "loader.png", rows)
    master.make_pages(arguments.scree, record, out)
    work = {name: np.sum(rows[f"{name}.power"]) * STEP / 1e3 for name in ("drive", "lift", "tilt")}
    print(f"{arguments.until:g} s, {seconds:.0f} s of processor time")
    print(f"payload {rows['payload.mass'][-1]:.0f} kg, traction up to {rows['drive.force'].max() / 1e3:.1f} kN, lift {rows['lift.force'].max() / 1e3:.0f} kN, "
          f"tilt {np.abs(rows['tilt.force']).max() / 1e3:.0f} kN")
    print("work, kJ: " + ", ".join(f"{name} {value:.1f}" for name, value in work.items()))
    if arguments.until >= 7.5:
        late = rows["time"] > rows["time"][-1] - 0.25
        print(f"weight on the bucket / weight of the payload, last quarter of a second: "
              f"{-rows['bucket.force[3]'][late].mean() / (rows['payload.mass'][late].mean() * G):.3f}")
    print(f"replay {out / 'replay.html'}, plot {out / 'loader.png'}, package {package}")


if __name__ == "__main__":
    main()
