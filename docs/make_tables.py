"""Puts the rows of `scree verify --json` into docs/verification.md, between its two marks.

    scree verify --all --json > rows.json && python docs/make_tables.py rows.json

Rows of a case take the place of those that the page has of it; cases that are not in the files stay as they are.
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
        return f"{number(row['expected'])} ± {row['tolerance']:.2g}"
    if row["relation"] == "beside":
        return f"({number(row['expected'])})" if row["expected"] is not None else ""
    return f"{'≤' if row['relation'] == '<=' else '≥'} {number(row['expected'])}"


def table(case, rows):
    lines = [f"### {case}", "", "| quantity | measured | expected | unit | source |  |", "|---|---|---|---|---|---|"]
    for row in rows:
        cells = [row["quantity"], number(row["measured"]), expected(row), row["unit"], row["source"],
                 "" if row["relation"] == "beside" else "ok" if row["pass"] else "**fails**"]
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(lines)


def main():
    rows = [json.loads(line) for path in sys.argv[1:] for line in open(path, encoding="utf-8") if line.strip()]
    head, rest = PAGE.read_text(encoding="utf-8").split(BEGIN)
    old, tail = rest.split(END)
    tables = {part.split("\n", 1)[0]: f"### {part.strip()}" for part in old.split("### ")[1:]}
    for case in dict.fromkeys(row["case"] for row in rows):
        tables[case] = table(case, [row for row in rows if row["case"] == case])
    PAGE.write_text(head + "\n\n".join([BEGIN, *tables.values(), END]) + tail, encoding="utf-8")


if __name__ == "__main__":
    main()
