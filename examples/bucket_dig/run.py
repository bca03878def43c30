"""Dig gravel with a bucket driven along a path through the FMU: forces, payload, energy.

The path is that of the cutting edge and the bucket's tilt; the pin's pose and twist follow and are the inputs. The drag while the edge
goes level is compared with the fundamental earthmoving equation, and the force on the lifted bucket with the weight of what is in it.
"""

import pathlib
import sys

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "common"))
import master  # noqa: E402

STEP, STOP, G = 0.005, 5.0, 9.81
TIP = np.array([1.38192, 0.00736])  # m, (x, z) of the cutting edge in the bucket's frame, beside its pin
FLOOR, WIDTH, DEPTH = np.radians(35.0), 1.0, 0.2  # of the bucket's floor plate; m; m, of the level cut
# The path: time / s, edge x / m, edge z / m above the bed's surface, tilt / deg (positive: edge down).
PATH = np.array([[0.0, -0.95, 0.10, 70.0], [0.2, -0.95, 0.10, 70.0], [1.4, -0.30, -DEPTH, 66.0], [2.4, 0.25, -DEPTH, 60.0],
                 [2.85, 0.55, -0.12, 42.0], [3.3, 0.75, 0.28, 14.0], [4.0, 0.85, 0.80, -10.0], [STOP, 0.85, 0.80, -10.0]])
WALL, INNER = 0.49, 35.0  # friction of gravel on steel; deg, angle of repose of this gravel in ../angle_of_repose
LEVEL = (1.6, 2.3)  # s, when the edge goes level


def path_of(t, surface):
    """Pin x, z and tilt at the times t; smooth through the corners of the path."""
    way = [np.interp(t, PATH[:, 0], PATH[:, k]) for k in (1, 2, 3)]
    kernel = np.hanning(41) / np.hanning(41).sum()
    way = [np.convolve(np.pad(w, 20, mode="edge"), kernel, "valid") for w in way]
    tilt = np.radians(way[2])
    x = way[0] - (TIP[0] * np.cos(tilt) + TIP[1] * np.sin(tilt))
    z = surface + way[1] - (-TIP[0] * np.sin(tilt) + TIP[1] * np.cos(tilt))
    return x, z, tilt


def motion_of(t, surface):
    x, z, tilt = path_of(t, surface)

    def rate(w):
        return np.append(np.diff(w), 0.0) / STEP

    zero = np.zeros_like(t)
    values = {"position": (x, zero, z), "orientation": (np.cos(tilt / 2), zero, np.sin(tilt / 2), zero),
              "velocity": (rate(x), zero, rate(z)), "angularVelocity": (zero, rate(tilt), zero)}
    return {f"bucket.{name}[{k + 1}]": v for name, vector in values.items() for k, v in enumerate(vector)}


def earthmoving(depth, density, carried, rake, wall, inner):
    """N, horizontal, on a wide blade that cuts level (the wedge of Reece 1964 and McKyes 1985).

    The wedge ahead of the edge and what rides on the blade, `carried` kg, slide up along a plane at the failure angle that makes it easiest.
    """
    beta = np.radians(np.arange(10.0, 80.0, 0.1))
    weight = density * G * depth**2 * WIDTH / np.tan(beta) / 2 + carried * G
    share = np.cos(rake + wall) + np.sin(rake + wall) / np.tan(beta + inner)
    return (weight[share > 0] / share[share > 0]).min() * np.sin(rake + wall)


def main():
    arguments = master.parse_arguments("bucket_dig", __doc__)
    out, fmu, record = arguments.out, arguments.out / "bucket_dig.fmu", arguments.out / "record"
    master.call(arguments.scree, "pack", HERE / "scene.xml", "-o", fmu, "--settle")
    with master.Slave(fmu) as slave:
        start = slave.get(["surface.mean", "info.mass"])
    surface = -0.35 + start["surface.mean"] - 0.01  # the mean of the highest points of the cells lies above the mean surface
    density = start["info.mass"] / (2.7 * 1.5 * (surface + 0.35))
    t = np.arange(round(STOP / STEP) + 1) * STEP
    motion = motion_of(t, surface)
    rows, seconds = master.cosimulate(fmu, t, motion, record=record)
    master.write_csv(out / "outputs.csv", rows)

    fx, fz, mass = (rows[name] for name in ("bucket.force[1]", "bucket.force[3]", "payload.mass"))
    power = -sum(rows[f"bucket.{f}[{k}]"] * np.roll(motion[f"bucket.{v}[{k}]"], 1)
                 for f, v in (("force", "velocity"), ("torque", "angularVelocity")) for k in (1, 2, 3))
    work = np.cumsum(power) * STEP
    drawing, axes = master.figure(3, [3, 2, 2], (8.5, 8))
    axes[0].plot(t, -fx / 1e3, color=master.ORANGE, lw=1.0, label="against the cut, $-F_x$")
    axes[0].plot(t, fz / 1e3, color=master.BLUE, lw=1.0, label="upward, $F_z$")
    axes[0].plot(t, -mass * G / 1e3, color="0.4", lw=1.0, ls="--", label="weight in the bucket")
    axes[0].set_ylabel("force of the gravel / kN")
    axes[0].legend(frameon=False)
    axes[1].plot(t, mass, color="0.25")
    axes[1].set_ylabel("gravel in the bucket / kg")
    axes[2].plot(t, work / 1e3, color=master.GREEN)
    axes[2].set_ylabel("work of the bucket / kJ")
    axes[2].set_xlabel("time / s")
    master.save(drawing, out / "forces.png")
    master.make_pages(arguments.scree, record, out)

    level, held = (t > LEVEL[0]) & (t <= LEVEL[1]), t > STOP - 0.4
    tilt = path_of(t, surface)[2]
    law = np.mean([earthmoving(DEPTH, density, mass[n], tilt[n] - FLOOR, np.arctan(WALL), np.radians(INNER)) for n in np.flatnonzero(level)])
    print(f"{STOP:g} s of {rows['info.particles'][0]:g} grains in {seconds:.0f} s; bed of {density:.0f} kg/m3")
    master.compare([
        ("drag in the level cut, mean", f"{-fx[level].mean() / 1e3:.2f} kN", f"{law / 1e3:.2f} kN", "earthmoving equation, with what it carries (1)"),
        ("payload", f"{mass[held].mean():.0f} kg", "", ""),
        ("force on the lifted bucket / weight in it", f"{-fz[held].mean() / (mass[held].mean() * G):.4f}", "1", "balance at rest"),
        ("work per payload", f"{work[-1] / mass[held].mean():.1f} J/kg", f"> {0.8 * G:.1f} J/kg", "lifting it by 0.8 m alone"),
    ])
    print("  (1) for a continuum; here a grain is a third of the cut's depth, and side plates and rough ground add to it")
    master.list_results(out, "replay.html", "report.html", "forces.png", "outputs.csv", "bucket_dig.fmu")


if __name__ == "__main__":
    main()
