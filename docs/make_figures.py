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


PLOTS = [column, janssen, iterations, energy, longrun, adaptive]


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
