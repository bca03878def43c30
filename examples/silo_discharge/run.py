"""Let glass beads run out of three silos through the FMU, against Beverloo's law.

A slide under the three holes is a motion port. Rates are measured from the time when the flow has built up until two fifths of the beads
are out, and compared with W = C rho sqrt(g) (D - k d)^(5/2), C = 0.58 and k = 1.4.
"""

import pathlib
import sys

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "common"))
import master  # noqa: E402

STEP, STOP = 0.005, 1.3  # s
OPEN, SPEED, WAY = 0.05, 2.0, 0.14  # s, m/s, m: when, how fast and how far the slide goes
HOLES, D, G = (0.06, 0.075, 0.09), 0.01, 9.81
C, K = 0.58, 1.4  # Beverloo 1961


def main():
    arguments = master.parse_arguments("silo_discharge", __doc__)
    out, fmu, record = arguments.out, arguments.out / "silo_discharge.fmu", arguments.out / "record"
    master.call(arguments.scree, "pack", HERE / "scene.xml", "-o", fmu, "--settle")
    t = np.arange(round(STOP / STEP) + 1) * STEP
    y = np.clip(SPEED * (t - OPEN), 0.0, WAY)
    motion = {"slide.position[2]": y, "slide.velocity[2]": np.append(np.diff(y), 0.0) / STEP}
    rows, seconds = master.cosimulate(fmu, t, motion, record=record, interval=0.02)
    master.write_csv(out / "outputs.csv", rows)

    density = rows["bed.mass"][0] / (np.pi * 0.07**2 * 0.08)
    drawing, axes = master.figure(2, [2, 2])
    lines, scaled = [("density of the bed", f"{density:.0f} kg/m3", "1470 to 1620", "random packing, 0.58 to 0.64")], []
    for n, (hole, colour) in enumerate(zip(HOLES, (master.ORANGE, master.BLUE, master.GREEN)), 1):
        passed = rows[f"out{n}.passed"]
        begin = OPEN + hole / SPEED + 2.5 * np.sqrt(hole / G)
        part = (t >= begin) & (passed < 0.4 * rows["info.mass"][0] / 3)
        rate = np.polyfit(t[part], passed[part], 1)[0]
        law = C * density * np.sqrt(G) * (hole - K * D) ** 2.5
        scaled.append((rate / (density * np.sqrt(G))) ** 0.4 / D)
        lines.append((f"hole of {hole / D:g} d: rate", f"{rate:.2f} kg/s", f"{law:.2f} kg/s", "Beverloo, C = 0.58, k = 1.4"))
        axes[0].plot(t, passed, color=colour, label=f"hole of {hole / D:g} d")
        axes[1].plot(t, np.convolve(rows[f"out{n}.massFlow"], np.ones(9) / 9, "same"), color=colour, lw=1.0)
        axes[1].axhline(law, color=colour, ls="--", lw=0.9)
    slope, zero = np.polyfit(np.array(HOLES) / D, scaled, 1)
    lines.append(("C of a fit to the three", f"{slope**2.5:.2f}", "0.5 to 0.65", "Beverloo 1961"))
    lines.append(("k of a fit to the three", f"{-zero / slope:.2f}", "1 to 2", "Beverloo 1961"))
    balance = (rows["info.mass"][-1] + rows["bin.mass"][-1]) / rows["info.mass"][0]
    lines.append(("(held + discharged) / filled", f"{balance:.9f}", "1", "mass balance"))
    axes[0].set_ylabel("discharged / kg")
    axes[0].legend(frameon=False)
    axes[1].set_ylabel("rate / (kg/s); dashed: Beverloo")
    axes[1].set_xlabel("time / s")
    master.save(drawing, out / "discharge.png")
    master.make_pages(arguments.scree, record, out)

    print(f"{STOP:g} s of {rows['info.particles'][0]:g} beads in {seconds:.0f} s")
    master.compare(lines)
    master.list_results(out, "replay.html", "report.html", "discharge.png", "outputs.csv", "silo_discharge.fmu")


if __name__ == "__main__":
    main()
