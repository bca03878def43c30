#!/usr/bin/env python3
"""Runs study.c over its cases and draws the figures of ../convergence.md.

    python docs/convergence/study.py --out out/convergence          # some twenty minutes of one core; done runs are kept
    python docs/convergence/study.py --out out/convergence --draw   # the figures from the runs there are
"""

import argparse
import csv
import math
import subprocess
from collections import defaultdict
from pathlib import Path

HERE = Path(__file__).resolve().parent
FIGURES = HERE.parent / "figures"
STIFFNESS = {"soft": 6.2e6, "stiff": 1e9}
HELD = "ahead=0.01,known=1"
# name: settings, sweeps per frame, factor of a sweep's cost
SCHEMES = {
    **{f"{s}x1": (f"substeps={s}", s, "sweep") for s in (5, 10, 20, 40, 100)},
    "10x1_known": (f"substeps=10,{HELD}", 10, "sweep"),
    "20x1_known": (f"substeps=20,{HELD}", 20, "sweep"),
    "10x1coarse": ("substeps=10,method=5", 10, "coarse + sweep"),
    "10x1coarse_known": (f"substeps=10,method=5,{HELD}", 10, "coarse + sweep"),
    "5x2": ("substeps=5,sweeps=2", 10, "sweep"),
    "10x1sor1.3": ("substeps=10,omega=1.3", 10, "sweep"),
    "10x1sym": ("substeps=10,symmetric=1", 10, "sweep"),
    "10x1down": ("substeps=10,order=1", 10, "sweep"),
    "10x1fwd0.5": ("substeps=10,forward=0.5", 10, "sweep"),
    "1x10": ("substeps=1,sweeps=10", 10, "sweep"),
    "1x40": ("substeps=1,sweeps=40", 40, "sweep"),
    "1x10nest": ("substeps=1,sweeps=10,method=2", 10, "Nesterov"),
    "1x40nest": ("substeps=1,sweeps=40,method=2", 40, "Nesterov"),
    "1x10nncg": ("substeps=1,sweeps=10,method=1", 10, "NNCG"),
    "2x5nest": ("substeps=2,sweeps=5,method=2", 10, "Nesterov"),
}
EXTRA = {
    "column": "",
    "bed_press": ",press=1",
    "bed_restcold": ",cold=1",
    "drum": ",until=2",
    "blade": ",until=0.6",
}


def run_all(out):
    binary = out / "study"
    subprocess.run(["cc", "-O3", "-march=native", "-o", binary, HERE / "study.c", "-lm"], check=True)
    for case in ("column", "bed", "drum", "blade"):
        for name, youngs in STIFFNESS.items():
            if not (out / f"{case}.{name}").exists():
                subprocess.run([binary, "make", case, str(youngs), out / f"{case}.{name}"], check=True)
    if not (out / "cost.out").exists():
        (out / "cost.out").write_text(subprocess.run([binary, "cost", out / "bed.soft"], check=True, text=True, capture_output=True).stdout)
    if not (out / "solve.csv").exists():
        text = ""
        for case in ("column", "bed", "drum"):
            for name, youngs in STIFFNESS.items():
                words = [binary, "solve", case, str(youngs), out / f"{case}.{name}", "0.005"]
                text += subprocess.run(words, check=True, text=True, capture_output=True).stdout
        (out / "solve.csv").write_text(text)
    (out / "run").mkdir(exist_ok=True)
    for case, extra in EXTRA.items():
        for name, youngs in STIFFNESS.items():
            for scheme, (settings, _, _) in SCHEMES.items():
                path = out / "run" / f"{case}.{name}.{scheme}"
                state = case.split("_")[0]
                if not path.exists():
                    words = [binary, "run", state, str(youngs), out / f"{state}.{name}", settings + extra]
                    path.write_text(subprocess.run(words, check=True, text=True, capture_output=True).stdout)


def read(out, case, name, scheme):
    path = out / "run" / f"{case}.{name}.{scheme}"
    if not path.exists():
        return None
    rows = [[float(x) for x in line.split(",")] for line in path.read_text().splitlines() if line.count(",") == 4]
    return rows if path.read_text().count("# cpu") else None


def mean(values):
    values = list(values)
    return sum(values) / len(values)


def figure_of(case, rows):
    """What a run is judged by; see study.c."""
    if case == "column":
        half = rows[len(rows) // 2 :]
        return math.sqrt(mean(min(r[1] ** 2, 1.0) for r in half))
    if case == "bed_restcold":
        return abs(rows[-1][2])
    if case == "bed_press":
        return mean(r[1] for r in rows[18:36])
    return abs(mean(r[1] for r in rows[len(rows) // 4 :]))


def costs(out):
    table = {row[0]: float(row[1]) for row in csv.reader((out / "cost.out").open())}
    return {name: value / table["sweep"] for name, value in table.items()}


def draw_step(out, plt):
    curves = defaultdict(lambda: defaultdict(list))
    for case, youngs, h, name, k, error, _ in csv.reader((out / "solve.csv").open()):
        if float(h) == 0.005:
            curves[case, float(youngs)][name].append((int(k), float(error)))
    factor = defaultdict(lambda: 1.0)
    cost = costs(out)
    for name in ("NNCG", "Nesterov", "APGD"):
        factor[name] = cost[name]
    factor["Chebyshev 0.95"] = cost["Chebyshev"]
    factor["coarse"] = cost["coarse + sweep"]
    shown = ["PGS", "PGS, top down", "PGS, symmetric", "SOR 1.4", "Chebyshev 0.95", "APGD", "NNCG", "Nesterov", "coarse"]
    cases = [c for c in ("column", "bed", "drum") if (c, 1e9) in curves]
    grid, panels = plt.subplots(2, len(cases), figsize=(11, 6.2), sharex=True)
    for i, youngs in enumerate((6.2e6, 1e9)):
        for j, case in enumerate(cases):
            panel = panels[i][j]
            for name in shown:
                points = curves[case, youngs][name]
                panel.loglog([factor[name] * k for k, _ in points], [max(e, 1e-6) for _, e in points], label=name, lw=1.4)
            panel.set_ylim(1e-4 if case == "column" else 1e-3, 2)
            panel.set_title(f"{case}, E = {'6.2 MPa' if i == 0 else '1 GPa'}", fontsize=10)
            panel.grid(alpha=0.3)
        panels[i][0].set_ylabel("error of the velocities")
    for panel in panels[1]:
        panel.set_xlabel("cost, in sweeps")
    panels[0][0].legend(fontsize=7, loc="lower left")
    grid.tight_layout()
    grid.savefig(FIGURES / "convergence_step.png", dpi=110)


def draw_time(out, plt):
    cost = costs(out)
    panels_of = [
        ("column", "soft", "column, 6.2 MPa: error of the height"),
        ("column", "stiff", "column, 1 GPa: error of the height"),
        ("drum", "stiff", "drum, 1 GPa: |angle − that of 100 × 1|, °"),
        ("bed_restcold", "stiff", "bed, 1 GPa, begun without impulses: sinks by, d"),
    ]
    grid, panels = plt.subplots(2, 2, figsize=(11, 8))
    for (case, name, title), panel in zip(panels_of, panels.flat):
        reference = read(out, "drum", name, "100x1") if case == "drum" else None
        line, points = [], []
        for scheme, (_, sweeps, kind) in SCHEMES.items():
            rows = read(out, case, name, scheme)
            if not rows or (case == "drum" and scheme == "100x1"):
                continue
            error = figure_of(case, rows)
            if case == "drum":
                error = abs(error - figure_of(case, reference))
            x, y, plain = sweeps * cost[kind], max(error, 1e-10), scheme.endswith("x1")
            if plain:
                line.append((x, y))
            panel.plot(x, y, "o" if plain else "^", ms=5, color="C0" if plain else "C1")
            points.append((x, y, scheme.replace("_known", " held").replace("x", "×", 1)))
        low, high = min(y for _, y, _ in points), max(y for _, y, _ in points)
        near = (high / low) ** 0.025
        labels = []
        for x, y, text in sorted(points, key=lambda p: (round(2 * math.log(p[0])), p[1])):  # those that would hide each other share one
            if labels and abs(labels[-1][0] - x) < 0.3 * x and 1 / near < y / labels[-1][2] < near:
                labels[-1][2:] = [y, labels[-1][3] + ", " + text]
            else:
                labels.append([x, y, y, text])
        for x, y, _, text in labels:
            panel.annotate(text, (x, y), fontsize=6.5, xytext=(5, -2), textcoords="offset points")
        panel.plot(*zip(*sorted(line)), color="C0", lw=1)
        panel.set_xscale("log")
        panel.set_yscale("log")
        panel.set_xlim(3.5, 300)
        panel.set_title(title, fontsize=10)
        panel.set_xlabel("cost of a frame, in sweeps")
        panel.grid(alpha=0.3)
    grid.tight_layout()
    grid.savefig(FIGURES / "convergence_time.png", dpi=110)


def draw_press(out, plt):
    grid, panel = plt.subplots(figsize=(7, 4.2))
    for scheme, style in (("100x1", "k-"), ("40x1", "C0-"), ("20x1", "C0--"), ("20x1_known", "C2--"), ("10x1", "C0:"), ("10x1_known", "C2-"), ("10x1coarse_known", "C1-")):
        rows = read(out, "bed_press", "stiff", scheme)
        if rows:
            smooth = [(r[0], mean(q[1] for q in rows[max(0, i - 2) : i + 3])) for i, r in enumerate(rows)]
            panel.semilogy([t for t, _ in smooth], [max(f, 0.05) for _, f in smooth], style, label=scheme.replace("_known", " held").replace("x", "×", 1))
    panel.set_xlabel("time, s")
    panel.set_ylabel("force on the lid, N")
    panel.legend(fontsize=8)
    panel.grid(alpha=0.3)
    grid.tight_layout()
    grid.savefig(FIGURES / "convergence_press.png", dpi=110)


def print_table(out):
    for case in EXTRA:
        for name in STIFFNESS:
            for scheme in SCHEMES:
                rows = read(out, case, name, scheme)
                if rows:
                    print(f"{case:14s} {name:6s} {scheme:18s} {figure_of(case, rows):12.4g}   overlap error {mean(r[4] for r in rows[len(rows) // 2:]):.1e}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("out/convergence"))
    parser.add_argument("--draw", action="store_true", help="only draw")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    if not args.draw:
        run_all(args.out)
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    draw_step(args.out, plt)
    draw_time(args.out, plt)
    draw_press(args.out, plt)
    print_table(args.out)


if __name__ == "__main__":
    main()
