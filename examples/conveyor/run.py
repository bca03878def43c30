"""Two belt conveyors with their motors: gravel is fed, lifted by 1.25 m and handed to a second belt, and the motors' power follows the load.

    python run.py [--scree PATH/scree] [--out DIRECTORY] [--until 14]

Three FMUs: the grains (scene.xml), and twice the drive of drive.c (converter, asynchronous motor, gear, belt). Every 5 ms each drive makes its
step with the force of the grains in the step before, and Scree makes the same step with the belts' new speeds. Motor, gear and belt weigh
more, as if on the belt, than the grains on it, so the plain exchange is stable (docs/coupling.md). Writes conveyor.ssp, the outputs as CSV,
the balance of power, a plot and the page that replays it.
"""

import argparse
import math
import pathlib
import shutil
import subprocess
import sys
import time

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "common"))
import machine_fmu  # noqa: E402
import ssp  # noqa: E402

STEP, STOP = 0.005, 14.0
STEADY = (6.5, 9.0)  # s: both belts are covered to their ends, and the feed still runs
SLOPE, G = 0.20943951, 9.81
FALL = 1.2  # m/s, downward, of the feed; scene.xml

PARAMETERS = {
    "drive1": {"drive.speed": 2.0},
    "drive2": {"drive.speed": 2.5, "gear.ratio": 12.2, "belt.mass": 200.0, "belt.resistance": 80.0},
}
DRIVE = ("belt.speed", "motor.torque", "motor.speed", "motor.shaftPower", "motor.electricPower", "gear.lossPower", "belt.frictionPower",
         "load.power", "drive.kineticEnergy")
GRAINS = ("belt1.beltForce", "belt2.beltForce", "belt1.power", "belt2.power", "feed.mass", "feed.massFlow", "end.mass", "off1.massFlow", "off2.massFlow",
          "rub1.force[1]", "rub1.force[3]", "rub2.force[2]", "info.particles", "info.mass") + tuple(
              f"{sensor}.{what}" for sensor in ("on1", "end1", "on2", "end2") for what in ("mass", "velocity[1]", "velocity[2]", "velocity[3]"))


def build(scree, out):
    """Both FMUs and the package of the system."""
    grains = out / "conveyor.fmu"
    subprocess.run([scree, "pack", HERE / "scene.xml", "-o", grains], check=True, stdout=subprocess.DEVNULL)
    drive = machine_fmu.pack(machine_fmu.find("belt_drive", scree), out / "belt_drive.fmu", stop=STOP, step=STEP)
    package = ssp.write(
        out / "conveyor.ssp", "conveyor", description="Two belt conveyors with their motors",
        components={"drive1": drive, "drive2": drive, "grains": grains},
        connections=[link for k in (1, 2) for link in ((f"drive{k}", "belt.speed", "grains", f"belt{k}.speed"),
                                                       ("grains", f"belt{k}.beltForce", f"drive{k}", "load.force"))],
        parameters=PARAMETERS | {"grains": {"emitter.feed.massRate": 60.0}},
        outputs=[(f"drive{k}", name) for k in (1, 2) for name in ("motor.torque", "motor.shaftPower", "belt.speed")]
        + [("grains", "off2.massFlow")], stop=STOP, step=STEP)
    return grains, drive, package


def simulate(grains, drive, until, record):
    """The loop of a master; columns by name."""
    parts = {"drive1": ssp.Instance(drive, "drive1"), "drive2": ssp.Instance(drive, "drive2"), "grains": ssp.Instance(grains, "grains")}
    for name, values in PARAMETERS.items():
        parts[name].set(list(values), list(values.values()))
    parts["grains"].set(["record.directory", "record.interval"], [str(record), 0.04])
    for part in parts.values():
        part.start()
        part.started()
    rows, count = [], int(round(until / STEP))
    for n in range(count):
        for k in (1, 2):
            parts[f"drive{k}"].set(["load.force"], parts["grains"].get([f"belt{k}.beltForce"]))
            parts[f"drive{k}"].step(n * STEP, STEP)
            parts["grains"].set([f"belt{k}.speed"], parts[f"drive{k}"].get(["belt.speed"]))
        parts["grains"].step(n * STEP, STEP)
        rows.append([(n + 1) * STEP] + parts["drive1"].get(DRIVE) + parts["drive2"].get(DRIVE) + parts["grains"].get(GRAINS))
        if n % 200 == 199:
            print(f"\r{(n + 1) * STEP:5.1f} s of {until:g}", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    for part in parts.values():
        part.close()
    names = ["time"] + [f"drive1.{n}" for n in DRIVE] + [f"drive2.{n}" for n in DRIVE] + [f"grains.{n}" for n in GRAINS]
    return names, np.array(rows)


def balance(of, when):
    """Mean powers of each belt over the steps in `when`, W. Of a belt and all grains in a box over it, along the belt:

        power of the motor's shaft = lift + friction + acceleration + storage
        lift          v m g sin(slope), of the grains in the box
        friction      in the gear, of the belt itself (both known to the drive), and v times the force of the grains on skirts or chute
        acceleration  v (flow out times its speed - flow in times its speed): half of it becomes kinetic energy, half is rubbed away
        storage       change of the kinetic energy of the drive, v times the change of the momentum of the grains in the box

    The belts' forces are not in it: masses, speeds and flows are those of the region and flow sensors.
    """
    along = {1: np.array([math.cos(SLOPE), 0.0, math.sin(SLOPE)]), 2: np.array([0.0, 1.0, 0.0])}
    span = of("time")[when][-1] - of("time")[when][0] + STEP
    result = {}
    for k in (1, 2):
        drive = lambda name: of(f"drive{k}.{name}")[when]
        v = drive("belt.speed")
        speed = {s: sum(along[k][i] * of(f"grains.{s}.velocity[{i + 1}]") for i in range(3)) for s in (f"on{k}", f"end{k}")}
        into = {1: -FALL * math.sin(SLOPE), 2: sum(along[2][i] * of(f"grains.end1.velocity[{i + 1}]") for i in range(3))[when]}[k]
        fed = of("grains.feed.massFlow")[when] if k == 1 else of("grains.off1.massFlow")[when]
        rub = (of("grains.rub1.force[1]") * math.cos(SLOPE) + of("grains.rub1.force[3]") * math.sin(SLOPE) if k == 1 else of("grains.rub2.force[2]"))[when]
        momentum = (of(f"grains.on{k}.mass") * speed[f"on{k}"])[when]
        energy = drive("drive.kineticEnergy")
        result[k] = {
            "shaft": drive("motor.shaftPower").mean(),
            "lift": (v * of(f"grains.on{k}.mass")[when]).mean() * G * math.sin(SLOPE) if k == 1 else 0.0,
            "skirts": (v * rub).mean(),
            "belt": drive("belt.frictionPower").mean(),
            "gear": drive("gear.lossPower").mean(),
            "acceleration": (v * (of(f"grains.off{k}.massFlow")[when] * speed[f"end{k}"][when] - fed * into)).mean(),
            "storage": (energy[-1] - energy[0]) / span + v.mean() * (momentum[-1] - momentum[0]) / span,
            "grains": -(v * of(f"grains.belt{k}.beltForce")[when]).mean(),  # for comparison: what the belts' forces say
            "flow": of(f"grains.off{k}.massFlow")[when].mean(),
        }
        result[k]["error"] = sum(result[k][n] for n in ("lift", "skirts", "belt", "gear", "acceleration", "storage")) / result[k]["shaft"] - 1.0
    return result


def plot(path, of):
    colours = {1: "#c1440e", 2: "#2f5d8a"}
    figure, axes = plt.subplots(4, 1, figsize=(8.5, 9), sharex=True)
    t = of("time")
    fed = np.convolve(of("grains.feed.massFlow"), np.ones(40) / 40, mode="same")
    axes[0].plot(t, fed, color="0.4", label="feed")
    for k in (1, 2):
        label = f"{('first', 'second')[k - 1]} belt"
        axes[0].plot(t, np.convolve(of(f"grains.off{k}.massFlow"), np.ones(40) / 40, mode="same"), color=colours[k], label=f"off the {label}")
        axes[1].plot(t, of(f"drive{k}.motor.torque"), color=colours[k], label=label)
        axes[2].plot(t, of(f"drive{k}.belt.speed") / PARAMETERS[f"drive{k}"]["drive.speed"], color=colours[k])
        axes[3].plot(t, of(f"drive{k}.motor.shaftPower") / 1e3, color=colours[k], label="motor's shaft")
        axes[3].plot(t, -of(f"drive{k}.belt.speed") * of(f"grains.belt{k}.beltForce") / 1e3, color=colours[k], lw=0.6, alpha=0.5, label="to the grains")
    for axis, name in zip(axes, ("flow / kg/s", "torque of the motor / N m", "belt speed / its aim", "power / kW")):
        axis.set_ylabel(name)
        axis.spines[["top", "right"]].set_visible(False)
        axis.set_xlim(0.0, t[-1])
    axes[2].set_ylim(0.9, 1.01)
    axes[3].set_ylim(bottom=0.0)
    for k in (0, 1, 3):
        axes[k].legend(frameon=False, ncols=2)
    axes[3].set_xlabel("time / s")
    axes[3].axvspan(*STEADY, color="0.93", zorder=0)
    figure.tight_layout()
    figure.savefig(path, dpi=120)
    plt.close(figure)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scree", default="build/release/bin/scree", help="the scree command")
    parser.add_argument("--out", default="out/conveyor", type=pathlib.Path, help="folder for the results")
    parser.add_argument("--until", default=STOP, type=float, help="s")
    arguments = parser.parse_args()
    out = arguments.out
    out.mkdir(parents=True, exist_ok=True)
    record = (out / "record").resolve()
    shutil.rmtree(record, ignore_errors=True)
    grains, drive, package = build(arguments.scree, out)
    began = time.process_time()
    names, rows = simulate(grains, drive, arguments.until, record)
    seconds = time.process_time() - began
    np.savetxt(out / "outputs.csv", rows, delimiter=",", header=",".join(names), comments="", fmt="%.9g")
    of = lambda name: rows[:, names.index(name)]
    plot(out / "conveyor.png", of)
    subprocess.run([arguments.scree, "view", record, "-o", out / "conveyor.html"], check=True)
    print(f"{arguments.until:g} s, up to {of('grains.info.particles').max():.0f} grains, {seconds:.0f} s of processor time")
    lost = of("grains.feed.mass")[-1] - of("grains.end.mass")[-1] - of("grains.info.mass")[-1]
    print(f"fed {of('grains.feed.mass')[-1]:.1f} kg; fed less taken less held {lost:.1e} kg")
    if arguments.until >= STEADY[1]:
        when = (of("time") > STEADY[0]) & (of("time") <= STEADY[1])
        print("W, mean     shaft =  lift + skirts +   belt +  gear + acceleration + storage   error   (belt force times speed; kg/s off)")
        for k, b in balance(of, when).items():
            print(f"belt {k}  {b['shaft']:9.0f} {b['lift']:7.0f}  {b['skirts']:7.0f}  {b['belt']:7.0f} {b['gear']:7.0f} {b['acceleration']:14.0f} "
                  f"{b['storage']:9.0f}  {100 * b['error']:5.1f} %   ({b['grains']:.0f}; {b['flow']:.1f})")
    print(f"replay {out / 'conveyor.html'}, plot {out / 'conveyor.png'}, package {package}")


if __name__ == "__main__":
    main()
