"""`scree bench`: what it prints. How fast it is depends on the machine and is no test."""

import json

import pytest

CASES = ["column", "bed10k", "glass10k", "bed100k", "bed1m", "drum4864", "blade", "trench", "bucket"]
KEYS = ["case", "threads", "grains", "contacts", "wall_per_sim", "cpu_per_sim", "ns_per_contact_sweep", "ns_per_contact_substep", "bytes_per_grain", "error", "residual"]  # fmt: skip


def test_cases_are_listed(scree):
    result = scree("bench", "--list")
    assert result.returncode == 0
    assert [line.split()[0] for line in result.stdout.splitlines()] == CASES


def test_one_json_object_per_case(scree, tmp_path):
    result = scree("bench", "--json", "--quick", "column", "column", "--output", tmp_path / "rows.jsonl")
    assert result.returncode == 0, result.stderr
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    assert len(rows) == 2 and (tmp_path / "rows.jsonl").read_text() == result.stdout
    for row in rows:
        assert all(key in row for key in KEYS)
        assert row["case"] == "column" and row["threads"] == 1
        assert row["grains"] == row["contacts"] == 100
        assert row["wall_per_sim"] > 0 and row["cpu_per_sim"] > 0 and row["ns_per_contact_substep"] > 0
        # a grain of the column alone, without what a small world has besides, is more than its position and twist
        assert 100 < row["bytes_per_grain"] < 1e5
        assert set(row["stages"]) >= {"search", "walls", "sweep", "move"} and sum(row["stages"].values()) == pytest.approx(1, abs=1e-3)
        # half a second after its start a column of 100 still swings: 1 % of its height is twice what it does
        assert 0 <= row["error"] < 0.01
    # the same work in both: all but the times is equal
    assert rows[0]["error"] == rows[1]["error"] and rows[0]["bytes_per_grain"] == rows[1]["bytes_per_grain"]


def test_table(scree):
    result = scree("bench", "--quick", "column")
    assert result.returncode == 0
    head, row, shares = result.stdout.splitlines()
    assert "B/grain" in head and row.split()[:2] == ["column", "100"]
    percent = [float(word) for word in shares.split() if word.isdigit()]
    assert "sweep" in shares and 80 <= sum(percent) <= 110  # ten stages, each rounded or left out below 1 %


@pytest.mark.parametrize(
    "arguments, words",
    [
        (["mud"], ["mud", "scree bench --list"]),
        (["--threads", "0"], ["--threads 0", "1 to 256"]),
        (["--threads", "1.5"], ["--threads 1.5", "1 to 256"]),
        (["--fast"], ["--fast", "--quick"]),
    ],
)
def test_bad_usage(scree, arguments, words):
    result = scree("bench", *arguments)
    assert result.returncode == 2 and result.stdout == ""
    assert all(word in result.stderr for word in words), result.stderr
