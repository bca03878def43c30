"""Turn a drum of iron ore green pellets through the FMU, at two speeds: dynamic angle, torque, power.

The speed is an input, as the motor of a machine model would give it. In a steady state the drum's torque carries the moment of the
weight, M g x of the centre of mass: the script compares both.
"""

import pathlib
import sys

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "common"))
import master  # noqa: E402

STEP, STOP, CHANGE = 0.01, 10.0, 4.5  # s
SLOW, FAST = 0.25, 0.75  # rad/s
G = 9.81  # m/s2


def main():
    arguments = master.parse_arguments("rotating_drum", __doc__)
    out, fmu, record = arguments.out, arguments.out / "rotating_drum.fmu", arguments.out / "record"
    master.call(arguments.scree, "pack", HERE / "scene.xml", "-o", fmu)
    t = np.arange(round(STOP / STEP) + 1) * STEP
    speed = np.interp(t, [CHANGE, CHANGE + 0.5], [FAST, SLOW])
    rows, seconds = master.cosimulate(fmu, t, {"motor.angularSpeed": speed}, record=record)
    master.write_csv(out / "outputs.csv", rows)

    x, z = rows["info.center[1]"], rows["info.center[3]"]
    angle = np.degrees(np.arctan2(-x, -z))
    torque, moment = -rows["motor.axisTorque"], -rows["info.mass"] * G * x
    drawing, axes = master.figure(3, [2, 2, 1])
    axes[0].plot(t, angle, color=master.BLUE, lw=1.2)
    axes[0].set_ylabel("angle of the charge / deg")
    axes[1].plot(t, torque, color=master.ORANGE, lw=0.6, alpha=0.7, label="torque of the drum")
    axes[1].plot(t, moment, color="0.2", lw=1.4, label="M g x of the charge")
    axes[1].set_ylabel("N m")
    axes[1].set_ylim(0.0, 1.5 * moment.max())
    axes[1].legend(frameon=False, loc="upper left")
    axes[2].plot(t, rows["motor.power"], color=master.GREEN, lw=0.6)
    axes[2].set_ylabel("power / W")
    axes[2].set_xlabel("time / s")
    master.save(drawing, out / "drum.png")
    master.make_pages(arguments.scree, record, out)

    print(f"{STOP:g} s of {rows['info.particles'][-1]:g} pellets in {seconds:.0f} s")
    lines = []
    for name, begin, end, speed in (("fast", 2.0, CHANGE, FAST), ("slow", CHANGE + 1.0, STOP, SLOW)):
        part = (t > begin) & (t <= end)
        lines.append((f"{name}, {speed} rad/s: angle of the centre of mass", f"{angle[part].mean():.1f} deg",
                      "48 deg" if name == "slow" else "", "Paper IV, wider drum, 0.25 rad/s" if name == "slow" else ""))
        lines.append((f"{name}: torque / (M g x)", f"{torque[part].mean() / moment[part].mean():.3f}", "1", "angular momentum, in the mean"))
        lines.append((f"{name}: power / (torque x speed)", f"{rows['motor.power'][part].mean() / (torque[part].mean() * speed):.4f}", "1",
                      "what the motor gives"))
    master.compare(lines)
    master.list_results(out, "replay.html", "report.html", "drum.png", "outputs.csv", "rotating_drum.fmu")


if __name__ == "__main__":
    main()
