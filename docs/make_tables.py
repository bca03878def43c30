"""Puts the rows of `scree verify --json` into docs/verification.md, between its two marks.

    scree verify --all --json > rows.json && python docs/make_tables.py rows.json
"""

import json
import pathlib
import sys

PAGE = pathlib.Path(__file__).resolve().parent / "verification.md"
BEGIN, END = "<!-- rows: begin -->", "<!-- rows: end -->"


def number(value):
    return "" if value is None else f"{value:.4g}"


def expected(row):
    if row["relation"] == "near":
        return f"{number(row['expected'])} ± {row['tolerance']:.1g}"
    if row["relation"] == "beside":
        return f"({number(row['expected'])})" if row["expected"] is not None else ""
    return f"{'≤' if row['relation'] == '<=' else '≥'} {number(row['expected'])}"


def main():
    rows = [json.loads(line) for path in sys.argv[1:] for line in open(path, encoding="utf-8")]
    lines = [BEGIN]
    for case in dict.fromkeys(row["case"] for row in rows):
        lines += ["", f"### {case}", "", "| quantity | measured | expected | unit | source |  |", "|---|---|---|---|---|---|"]
        for row in (r for r in rows if r["case"] == case):
            cells = [row["quantity"], number(row["measured"]), expected(row), row["unit"], row["source"],
                     "" if row["relation"] == "beside" else "ok" if row["pass"] else "**fails**"]
            lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    text = PAGE.read_text(encoding="utf-8")
    head, rest = text.split(BEGIN)
    PAGE.write_text(head + "\n".join(lines) + "\n\n" + END + rest.split(END)[1], encoding="utf-8")


if __name__ == "__main__":
    main()
