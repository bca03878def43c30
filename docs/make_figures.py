"""Plots of docs/verification.md from the series that `scree verify --all --data DIR` writes.

    .venv/bin/python docs/make_figures.py DIR [--out docs/figures]

A plot whose series is not in DIR is left as it is.
"""

import argparse
import csv
import pathlib

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

C0, C2, TARGET = 0.3, 0.44, 0.05  # Paper I eq. 41

plt.rcParams.update({"figure.dpi": 110, "axes.grid": True, "grid.alpha": 0.3, "font.size": 9, "legend.frameon": False})


def read(path):
    """Columns by name; numbers where every value is one."""
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    columns = {}
    for name in rows[0] if rows else []:
        values = [row[name] for row in rows]
        try:
            columns[name] = np.array([float(value) for value in values])
        except ValueError:
            columns[name] = np.array(values)
    return columns


def pick(data, **where):
    """The rows in which the named columns have the given values."""
    mask = np.ones(len(next(iter(data.values()))), bool)
    for name, value in where.items():
        mask &= data[name] == value
    return {name: values[mask] for name, values in data.items()}


def column(data):
    figure, axes = plt.subplots(figsize=(5.5, 3.6))
    heights = sorted(set(data["grains"]))
    # the axes cannot hold every height: the two in the middle of the table tell the story
    chosen = [n for n in heights if n in (25, 100)] or heights[-2:]
    for style, grains in zip(("-", "--"), chosen):
        axes.set_prop_cycle(None)
        for way in dict.fromkeys(data["way"]):
            part = pick(data, grains=grains, way=way)
            if len(part["sweeps"]):
                order = np.argsort(part["sweeps"])
                error = np.maximum(100 * np.abs(part["error"][order]), 1e-9)
                axes.loglog(part["sweeps"][order], error, style, marker=".", label=f"{way}, N = {grains:.0f}")
    axes.set(xlabel="sweeps per frame", ylabel="error of the height / %", title="Hertz column")
    axes.legend(fontsize=7)
    return figure


def janssen(data):
    figure, axes = plt.subplots(figsize=(5.5, 3.6))
    sinking, cold = pick(data, solver="sinking"), pick(data, solver="cold")
    axes.plot(sinking["depth"], sinking["pressure"], "o", label="default solver")
    axes.plot(sinking["depth"], sinking["law"], "k-", label="Janssen's law, fitted")
    axes.plot(cold["depth"], cold["pressure"], "s--", color="tab:red", label="10 cold sweeps of 10 ms")
    axes.set(xlabel="depth / d", ylabel="pressure on the wall / Pa", title="Silo of 9 d")
    axes.set(xlim=(0, None), ylim=(0, None))
    axes.legend()
    return figure


def formula(l, w, c0=C0, c2=C2):
    return c0 / TARGET * (w * (1 - np.exp(-c2 * l / w)) if w >= 5 else c2 * l)


def iterations(data):
    figure, axes = plt.subplots(figsize=(5.5, 3.8))
    for number, width in enumerate(sorted(set(data["width"]))):
        part = pick(data, width=width)
        order = np.argsort(part["height"])
        l = np.linspace(1, 1.1 * part["height"].max(), 200)
        axes.loglog(part["height"][order], part["sweeps"][order], "o", color=f"C{number}", label=f"{width:g} d")
        axes.loglog(l, formula(l, width), "-", color=f"C{number}", alpha=0.6)
    axes.set(xlabel="height of the filling / d", ylabel="sweeps for a mean overlap of 5 %")
    axes.set(xlim=(4, 150), ylim=(4, 400), title="Points: measured; lines: Paper I eq. 41")
    axes.legend(title="tube")
    return figure


def energy(data):
    figure, (above, below) = plt.subplots(2, 1, figsize=(5.5, 4.6), sharex=True)
    above.semilogy(data["time"], data["energy_per_grain"], label="mean")
    above.semilogy(data["time"], data["most_energy"], lw=0.7, label="the grain with most")
    above.axhline(1e-9, color="k", ls=":", label="bound on the mean")
    above.set(ylabel="kinetic energy / J", title="A bed of 500 grains comes to rest")
    above.legend()
    rest = data["surface"][np.searchsorted(data["time"], 5.0)]
    late = data["time"] >= 5.0
    below.plot(data["time"][late], (data["surface"][late] - rest) / 0.02)
    below.set(xlabel="time / s", ylabel="surface since 5 s / d")
    return figure


def longrun(data):
    figure, axes = plt.subplots(figsize=(5.5, 3.0))
    axes.plot(data["time"], (data["surface"] - data["surface"][0]) / 0.02, label="surface")
    axes.plot(data["time"], (data["center"] - data["center"][0]) / 0.02, label="centre of mass")
    axes.set(xlabel="time / s", ylabel="drift / d", title="1000 grains at rest")
    axes.legend()
    return figure


def adaptive(data):
    figure, (above, below) = plt.subplots(2, 1, figsize=(5.5, 4.6), sharex=True)
    for solver in dict.fromkeys(data["solver"]):
        part = pick(data, solver=solver)
        above.semilogy(part["time"], np.maximum(part["overlap_error"], 1e-9), label=solver)
        below.step(part["time"], part["substeps"])
    above.axhline(1e-3, color="k", ls=":")
    above.set(ylabel="mean overlap error", title="600 grains fall and settle")
    above.legend()
    below.set(xlabel="time / s", ylabel="substeps per frame")
    return figure


def drum(data):
    figure, axes = plt.subplots(figsize=(5.5, 3.2))
    for solver in dict.fromkeys(data["solver"]):
        part = pick(data, solver=solver)
        axes.plot(part["time"] - (0 if solver == "default" else part["time"][0]), part["angle"], label=solver)
    axes.set(xlabel="time / s", ylabel="angle of the centre of mass / °", title="Drum of 40 d, 0.25 rad/s")
    axes.legend()
    return figure


def grains(data, x, y, speed, title):
    """A cut through a bed, each grain as large as it is and coloured by its speed."""
    from matplotlib.collections import EllipseCollection

    figure, axes = plt.subplots(figsize=(5.5, 3.6))
    size = 2 * data["radius"]
    discs = EllipseCollection(size, size, 0 * size, units="x", offsets=np.column_stack([data[x], data[y]]),
                              transOffset=axes.transData, array=speed, cmap="viridis")
    axes.add_collection(discs)
    axes.autoscale_view()
    axes.set(aspect="equal", xlabel=f"{x} / m", ylabel=f"{y} / m", title=title)
    figure.colorbar(discs, label="m/s", shrink=0.8)
    return figure


def drum_grains(data):
    speed = np.hypot(data["vx"] + 0.25 * data["y"], data["vy"] - 0.25 * data["x"])
    figure = grains(data, "x", "y", np.minimum(speed, 0.1), "Speed relative to the drum")
    figure.axes[0].add_patch(plt.Circle((0, 0), 0.26, fill=False))
    figure.axes[0].set(xlim=(-0.27, 0.27), ylim=(-0.27, 0.27))
    return figure


def blade(data):
    figure, axes = plt.subplots(figsize=(5.5, 3.6))
    for style, kind in zip(("-", "--"), dict.fromkeys(data["blade"])):
        axes.set_prop_cycle(None)
        for depth in dict.fromkeys(pick(data, blade=kind)["depth"]):
            part = pick(data, blade=kind, depth=depth)
            force = -part["force"] / (part["weight"] * depth**2 * 0.06)
            smooth = np.convolve(force, np.ones(9) / 9, "valid")
            axes.plot(part["way"][4:-4] / depth, smooth, style, label=f"{kind}, {depth / 0.01:.1f} d")
    axes.axvspan(0.08, 0.12, color="k", alpha=0.08)
    axes.set(xlabel="way / depth", ylabel="drag / (γ h² w)", title="Blade: shaded is what is measured")
    axes.legend(fontsize=7)
    return figure


def blade_grains(data):
    speed = np.hypot(data["vx"], data["vz"])
    return grains(data, "x", "z", np.minimum(speed, 0.02), "The wedge before a blade")


def hopper(data):
    figure, axes = plt.subplots(figsize=(5.5, 3.6))
    y = (data["rate"] / (data["density"] * np.sqrt(9.81))) ** 0.4 / 0.01
    slope, zero = np.polyfit(data["hole"], y, 1)
    line = np.linspace(0, 1.05 * data["hole"].max(), 2)
    axes.plot(data["hole"], y, "o", label="measured")
    axes.plot(line, slope * line + zero, "k-", label=f"C = {slope**2.5:.3f}, k = {-zero / slope:.2f}")
    axes.set(xlabel="D / d", ylabel="(W / ρ_b √g)^(2/5) / d", title="Discharge of a silo", ylim=(0, None), xlim=(0, None))
    axes.legend()
    return figure


def pile(data):
    figure, axes = plt.subplots(figsize=(5.5, 3.2))
    for style, radius in zip(("-", "--"), dict.fromkeys(data["radius"])):
        axes.set_prop_cycle(None)
        for rolling in dict.fromkeys(pick(data, radius=radius)["rolling"]):
            part = pick(data, radius=radius, rolling=rolling)
            axes.plot(part["y"], part["height"], style, label=f"μ_r = {rolling:g}, {radius}")
    axes.set(xlabel="distance from the middle / m", ylabel="height / m", aspect="equal", title="Pile on a moving plane")
    axes.legend(fontsize=7)
    return figure


PLOTS = [column, janssen, iterations, energy, longrun, adaptive, drum, drum_grains, blade, blade_grains, hopper, pile]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path(__file__).parent / "figures")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    for plot in PLOTS:
        path = arguments.data / f"{plot.__name__}.csv"
        data = read(path) if path.exists() else {}
        if not data:
            print(f"{path}: not there or empty, no plot")
            continue
        figure = plot(data)
        figure.tight_layout()
        target = arguments.out / f"verify_{plot.__name__}.png"
        figure.savefig(target)
        plt.close(figure)
        print(target)


if __name__ == "__main__":
    main()
