"""Push a plate into a bed of 5000 grains through the FMU, drag it, and plot what the grains do to it.

Packs the scene, co-simulates the FMU with FMPy step by step as a master would, runs the same motion once more through
`scree run` for pictures of the grains and a page that replays it, and checks that both gave the same forces to the last bit.
"""

import pathlib
import sys
import tempfile

import matplotlib.pyplot as plt
import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "common"))
import master  # noqa: E402

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


def plot_forces(path, rows, motion):
    drawing, (top, bottom) = master.figure(2, [3, 1], (8, 5.5))
    for name, label, colour in (("plate.force[1]", "along the drag, $F_x$", master.ORANGE),
                                ("plate.force[3]", "vertical, $F_z$", master.BLUE)):
        top.plot(rows["time"], rows[name], color=colour, lw=1.2, label=label)
    top.set_ylabel("force of the grains on the plate / N")
    top.legend(frameon=False)
    top.axhline(0.0, color="0.6", lw=0.8)
    bottom.plot(motion[:, 0], motion[:, 3], color="0.3", label="height of the plate's centre / m")
    bottom.plot(motion[:, 0], motion[:, 1], color="#c1440e", label="its place along the drag, x / m")
    bottom.legend(frameon=False)
    bottom.set_xlabel("time / s")
    master.save(drawing, path)


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
    arguments = master.parse_arguments("plate_in_bed", __doc__)
    out, scene, fmu = arguments.out, HERE / "scene.xml", arguments.out / "plate_in_bed.fmu"
    master.call(arguments.scree, "pack", scene, "-o", fmu)
    with master.Slave(fmu) as slave:
        outputs = slave.outputs()
        start = [float(slave.variables[f"plate.position[{i}]"].start) for i in (1, 2, 3)]
    motion = plate_motion(start)
    inputs = dict(zip(INPUTS, motion[:, 1:].T))

    print(f"co-simulating {STOP:g} s of 5000 grains through the FMU")
    rows, seconds = master.cosimulate(fmu, motion[:, 0], inputs, outputs)
    master.write_csv(out / "forces.csv", rows)
    plot_forces(out / "forces.png", rows, motion)

    print("the same motion through `scree run`, for the picture of the grains")
    with tempfile.TemporaryDirectory() as folder:
        given, direct, grains = (pathlib.Path(folder) / name for name in ("in.csv", "direct.csv", "grains.csv"))
        master.write_csv(given, {"time": motion[:, 0]} | inputs)
        master.call(arguments.scree, "run", scene, "--until", STOP, "--step", STEP, "--input", given, "--output", direct,
                    "--grains", grains, "--record", out / "record")
        again = np.loadtxt(direct, delimiter=",", skiprows=1)
        same = np.array_equal(again, np.column_stack(list(rows.values())))
        draw_bed(out / "bed.png", grains, motion[-1, 1:4], (0.02, 0.12, 0.25))
    master.make_pages(arguments.scree, out / "record", out)
    if not same:
        sys.exit("the FMU and `scree run` gave different numbers")

    print(f"\n  {seconds:.1f} s of computing for {STOP:g} s; FMU and `scree run` agree to the last bit")
    print(f"  largest force on the plate: down {max(0.0, -rows['plate.force[3]'].min()):.0f} N, up {rows['plate.force[3]'].max():.0f} N, "
          f"drag {np.abs(rows['plate.force[1]']).max():.0f} N")
    for name, what in (("plate_in_bed.fmu", "the FMU, for your own tool"), ("forces.csv", "all outputs over time"),
                       ("forces.png", "reaction force of the grains"), ("bed.png", "the grains at the end"),
                       ("record", "the recorded run: for scree export too"), ("replay.html", "open this in a browser")):
        print(f"  {out / name}   {what}")


if __name__ == "__main__":
    main()
