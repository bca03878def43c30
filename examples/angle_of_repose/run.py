"""Pour pellets on a round table and measure the heap, for several coefficients of rolling resistance.

One FMU, three instances: the rolling resistance is a parameter, the rate of the feed an input. When the heap is at rest, the slope of
its flank is compared with the piles of Paper III, and what came with what the table bears and what fell off.
"""

import pathlib
import sys

import matplotlib.pyplot as plt
import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "common"))
import master  # noqa: E402

STEP, STOP, POUR, RATE = 0.01, 6.5, 5.0, 2.6  # s, s, s, kg/s
CELLS, WIDTH = 32, 0.4  # of the height sensor; m
# Piles on a moving plane, Paper III 6.1: 34 ± 3° observed and 36 ± 2° computed; 22° with a tenth of the rolling resistance; without any,
# 15° as it forms, then it melts.
PAPER = {0.32: "34 ± 3 deg", 0.032: "22 deg", 0.0: "15 deg and less"}


def profile_of(heights):
    """Mean height over the distance from the axis, in rings as wide as a cell."""
    at = (np.arange(CELLS) + 0.5) * WIDTH / CELLS - WIDTH / 2
    ring = (np.hypot(*np.meshgrid(at, at, indexing="ij")) / (WIDTH / CELLS)).astype(int).ravel()
    mean = np.bincount(ring, heights.ravel()) / np.bincount(ring)
    n = CELLS // 2 - 2  # up to the edge of the table
    return (np.arange(n) + 0.5) * WIDTH / CELLS, mean[:n]


def slope_of(r, h):
    """Degrees, of a line through the flank: not the top that the feed has flattened, and not the rim."""
    part = (r > 0.04) & (r < 0.15)
    return np.degrees(np.arctan(-np.polyfit(r[part], h[part], 1)[0]))


def main():
    arguments = master.parse_arguments("angle_of_repose", __doc__)
    out, fmu = arguments.out, arguments.out / "angle_of_repose.fmu"
    master.call(arguments.scree, "pack", HERE / "scene.xml", "-o", fmu)
    t = np.arange(round(STOP / STEP) + 1) * STEP
    feed = {"feed.massRate": np.where(t < POUR - 1e-9, RATE, 0.0)}
    cells = [f"surface.height[{i},{j}]" for i in range(1, CELLS + 1) for j in range(1, CELLS + 1)]
    others = ["feed.mass", "fallen.mass", "heap.mass", "info.mass", "info.particles", "table.force[3]"]
    drawing, axis = plt.subplots(figsize=(8.5, 3.6))
    lines, total = [], 0.0
    for rolling, colour in zip(PAPER, (master.ORANGE, master.BLUE, master.GREEN)):
        rows, seconds = master.cosimulate(fmu, t, feed, cells + others, record=out / f"record_{rolling}",
                                          parameters={"pair.pellets.pellets.rolling": rolling})
        total += seconds
        r, h = profile_of(np.array([rows[name][-1] for name in cells]).reshape(CELLS, CELLS))
        angle = slope_of(r, h)
        np.savetxt(out / f"profile_{rolling}.csv", np.column_stack([r, h]), delimiter=",", header="radius,height", comments="")
        axis.plot(np.concatenate([-r[::-1], r]), np.concatenate([h[::-1], h]), color=colour, marker=".",
                  label=f"rolling {rolling:g}: {angle:.0f}°, {rows['heap.mass'][-1]:.1f} kg")
        last = {name: rows[name][-1] for name in others}
        lines.append((f"rolling resistance {rolling:g}: angle of repose", f"{angle:.1f} deg", PAPER[rolling], "Paper III, 6.1"))
        lines.append(("  (held + fallen) / fed", f"{(last['info.mass'] + last['fallen.mass']) / last['feed.mass']:.9f}", "1", "mass balance"))
        weight = last["info.mass"] * 9.81
        force = -np.mean(rows["table.force[3]"][-20:])
        lines.append(("  force on the table / weight", f"{force / weight:.4f}", "1", "at rest"))
    axis.set_aspect("equal")
    axis.set_xlabel("distance from the axis / m")
    axis.set_ylabel("height / m")
    axis.legend(frameon=False, loc="upper left", fontsize=8)
    axis.spines[["top", "right"]].set_visible(False)
    master.save(drawing, out / "heaps.png")
    master.make_pages(arguments.scree, out / "record_0.32", out)

    print(f"three heaps in {total:.0f} s")
    master.compare(lines)
    master.list_results(out, "replay.html", "report.html", "heaps.png", "angle_of_repose.fmu")


if __name__ == "__main__":
    main()
