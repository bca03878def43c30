"""Tables and plots of docs/performance.md from the JSON lines of `scree bench`.

    make bench && .venv/bin/python docs/make_performance.py out/bench/*.jsonl

Puts the tables between the page's two marks and draws figures/performance_stages.png and figures/performance_cost.png.
"""

import json
import pathlib
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

HERE = pathlib.Path(__file__).resolve().parent
PAGE = HERE / "performance.md"
BEGIN, END = "<!-- figures: begin -->", "<!-- figures: end -->"
COLOURS = {"sweep": "#b5530f", "search": "#2f5d8a", "walls": "#7a9cc0", "impacts": "#6b8e23", "predict": "#c9a227",
           "residual": "#8c6bb1", "bodies": "#555555", "move": "#999999", "measure": "#bbbbbb", "feed": "#dddddd"}


def number(value, digits=3):
    return "" if value is None else f"{value:.{digits}g}"


def cost_table(rows):
    lines = ["| case | grains | threads | contacts | wall s/s | cpu s/s | ns/contact-sweep | ns/contact-substep | B/grain | error |",
             "|---|---|---|---|---|---|---|---|---|---|"]
    for row in rows:
        cells = [row["case"], row["grains"], row["threads"], number(row["contacts"], 6), number(row["wall_per_sim"]),
                 number(row["cpu_per_sim"]), number(row["ns_per_contact_sweep"]), number(row["ns_per_contact_substep"]),
                 number(row["bytes_per_grain"], 4), number(row["error"], 2)]
        lines.append("| " + " | ".join(map(str, cells)) + " |")
        if "stirred_contacts" in row:
            cells = ["kept moving", "", "", number(row["stirred_contacts"], 6), number(row["stirred_wall_per_sim"]),
                     number(row["stirred_cpu_per_sim"]), number(row["stirred_ns_per_contact_sweep"]),
                     number(row["stirred_ns_per_contact_substep"]), "", number(row["stirred_error"], 2)]
            lines.append("| " + " | ".join(cells) + " |")
    return lines


def peer_table(rows):
    lines = ["| case | engine | quantity | its value | Scree's | ratio |", "|---|---|---|---|---|---|"]
    for row in rows:
        for peer in row.get("peers", []):
            own, ratio = None, peer["ratio"]
            if peer["quantity"] == "cpu_per_sim":
                own = row["cpu_per_sim"]
            elif peer["quantity"] == "wall_per_sim":
                own = row["wall_per_sim"]
            elif peer["quantity"] == "ns_per_contact_iteration":
                own = row["ns_per_contact_sweep"]
                ratio = peer["value"] / own
            elif peer["quantity"].startswith(("angle", "mean force")):
                own = row.get("figure")
            elif peer["quantity"].startswith("standard error of the angle"):
                own = row.get("figure_error")
            case = row["case"] if row["threads"] == 1 else f"{row['case']}, {row['threads']} threads"
            lines.append(f"| {case} | {peer['name']} | {peer['quantity']} | {number(peer['value'])} | {number(own)} | {number(ratio)} |")
    return lines if len(lines) > 2 else []


def draw_stages(rows, path):
    bars = [(f"{row['case']}{part}", row[key]) for row in rows if row["threads"] == 1
            for key, part in (("stages", ""), ("stirred_stages", ", moving")) if key in row]
    figure, axes = plt.subplots(figsize=(8.5, 0.34 * len(bars) + 1.3))
    left = [0.0] * len(bars)
    for stage, colour in COLOURS.items():
        widths = [shares[stage] for _, shares in bars]
        axes.barh(range(len(bars)), widths, left=left, color=colour, label=stage)
        left = [a + b for a, b in zip(left, widths)]
    axes.set_yticks(range(len(bars)), [name for name, _ in bars])
    axes.invert_yaxis()
    axes.set_xlim(0, 1)
    axes.set_xlabel("share of the time of a step, one thread")
    axes.legend(ncols=5, frameon=False, loc="lower center", bbox_to_anchor=(0.5, 1.0))
    figure.savefig(path, dpi=110, bbox_inches="tight")


def draw_cost(rows, path):
    beds = [row for row in rows if row["case"].startswith("bed") and row["threads"] == 1]
    figure, axes = plt.subplots(1, 2, figsize=(8.5, 3.2), layout="constrained")
    grains = [row["grains"] for row in beds]
    axes[0].loglog(grains, [row["cpu_per_sim"] / row["grains"] * 5e3 for row in beds], "o-", color="#2f5d8a", label="at rest")
    axes[0].loglog(grains, [row["stirred_cpu_per_sim"] / row["grains"] * 5e3 for row in beds], "s-", color="#b5530f", label="kept moving")
    axes[0].set_xlabel("grains")
    axes[0].set_ylabel("µs per grain and 5 ms frame")
    axes[0].set_title("cost as the work grows", fontsize=10)
    axes[0].legend(frameon=False)
    ratios = [(f"{row['case']}\n{peer['name']}", peer["ratio"]) for row in rows for peer in row.get("peers", []) if peer["ratio"] and not peer["name"].startswith("scree")]
    axes[1].bar(range(len(ratios)), [ratio for _, ratio in ratios], color="#6b8e23")
    axes[1].set_xticks(range(len(ratios)), [name for name, _ in ratios], fontsize=8)
    axes[1].set_yscale("log")
    axes[1].set_title("times as fast as, one thread", fontsize=10)
    figure.savefig(path, dpi=110)


def main():
    rows = [json.loads(line) for path in sys.argv[1:] for line in open(path, encoding="utf-8")]
    lines = [BEGIN, "", *cost_table(rows), "", *peer_table(rows), "", END]
    head, rest = PAGE.read_text(encoding="utf-8").split(BEGIN)
    PAGE.write_text(head + "\n".join(lines) + rest.split(END)[1], encoding="utf-8")
    draw_stages(rows, HERE / "figures/performance_stages.png")
    draw_cost(rows, HERE / "figures/performance_cost.png")


if __name__ == "__main__":
    main()
