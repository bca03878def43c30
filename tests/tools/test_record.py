"""Recordings of runs: what is in them, and what happens when they cannot be written."""

import csv
import os
import signal
import subprocess
import time

import numpy as np
import pytest
from recordings import Recording
from scenes import BASE, mutate


@pytest.fixture
def scene(tmp_path):
    path = tmp_path / "scene.xml"
    path.write_text(BASE, encoding="utf-8")
    return path


def read(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_record_holds_the_run(scree, scene, tmp_path):
    """Signals to the last bit, grains to the stated resolution, over a key frame and with falling and resting grains."""
    result = scree("run", scene, "--until", "0.5", "--record", tmp_path / "r", "--record-every", "0", "-o", tmp_path / "o.csv",
                   "--grains", tmp_path / "g.csv", "--step", "0.005")  # fmt: skip
    assert result.returncode == 0 and result.stderr == ""
    recording, rows, grains = Recording(tmp_path / "r"), read(tmp_path / "o.csv"), read(tmp_path / "g.csv")
    assert recording.done and len(recording.frames) == len(rows) == 101
    assert sum(frame["key"] for frame in recording.frames) == 2
    for frame, row in zip(recording.frames, rows):
        assert frame["time"] == float(row["time"])
        assert frame["signals"] == {name: float(value) for name, value in row.items() if name != "time"}
    last, scales = recording.frames[-1], recording.head["resolution"]
    assert last["id"].tolist() == list(range(40))
    for grain, position, velocity, radius in zip(grains, last["position"], last["velocity"], last["radius"]):
        for k, axis in enumerate("xyz"):
            assert abs(position[k] - float(grain[axis])) <= 0.7501 * scales["length"]
            assert abs(velocity[k] - float(grain["v" + axis])) <= 0.7501 * scales["speed"]
        assert radius == np.float32(float(grain["radius"]))
    weight = 9.81 * last["signals"]["info.mass"]
    assert weight < last["force"].sum() < 20 * weight  # every grain's weight is borne at least once
    assert recording.frames[0]["wall"] == 0 and last["wall"] > 0


def test_head(scree, scene, tmp_path):
    scree("run", scene, "--until", "0.02", "--set", "solver.sweeps=7", "--record", tmp_path / "r")
    head = Recording(tmp_path / "r").head
    assert head["scene"] == {"name": "small", "description": "für Tests", "gravity": [0, 0, -9.81]}
    assert head["resolution"]["length"] == pytest.approx(1e-3 * Recording(tmp_path / "r").frames[0]["radius"].min())
    assert [material["id"] for material in head["materials"]] == ["rock", "steel"]
    assert [(body["id"], body["kind"]) for body in head["bodies"]] == [("floor", "static"), ("plate", "driven")]
    for body in head["bodies"]:
        for shape in body["shapes"]:
            vertices = np.array(shape["vertices"]).reshape(-1, 3)
            triangles = np.array(shape["triangles"]).reshape(-1, 3)
            assert triangles.min() >= 0 and triangles.max() < len(vertices)
    box = head["bodies"][1]["shapes"][0]
    corners, triangles = np.array(box["vertices"]).reshape(-1, 3), np.array(box["triangles"]).reshape(-1, 3)
    a, b, c = (corners[triangles[:, k]] for k in range(3))
    assert np.einsum("ij,ij->", a, np.cross(b, c)) / 6 == pytest.approx(0.1 * 0.02 * 0.1)  # outward: a positive volume
    assert {"name": "solver.sweeps", "value": 7}.items() <= next(
        p for p in head["parameters"] if p["name"] == "solver.sweeps"
    ).items()


def test_frames_at_intervals(scree, scene, tmp_path):
    """Frames at 0, T, 2 T … on the communication points, and the last one whatever the interval."""
    scree("run", scene, "--until", "0.1", "--step", "0.005", "--record", tmp_path / "r", "--record-every", "0.015")
    times = [frame["time"] for frame in Recording(tmp_path / "r").frames]
    assert times == pytest.approx([0, 0.015, 0.03, 0.045, 0.06, 0.075, 0.09, 0.1])


def test_same_run_same_record(scree, scene, tmp_path):
    """Apart from the wall-clock times, for any number of threads."""
    for name, threads in (("a", 1), ("b", 2)):
        scree("run", scene, "--record", tmp_path / name, "--threads", threads)
    a, b = Recording(tmp_path / "a"), Recording(tmp_path / "b")
    for one, other in zip(a.frames, b.frames, strict=True):
        assert all(np.array_equal(one[key], other[key]) for key in one if key not in ("wall",))


# ---- what goes wrong


def test_foreign_directory_is_refused(scree, scene, tmp_path):
    target = tmp_path / "mine"
    target.mkdir()
    (target / "thesis.tex").write_text("precious")
    result = scree("run", scene, "--record", target, "-o", tmp_path / "o.csv")
    assert result.returncode == 2 and "thesis.tex" in result.stderr and "empty directory" in result.stderr
    assert os.listdir(target) == ["thesis.tex"] and not (tmp_path / "o.csv").exists()


@pytest.mark.parametrize("name", ["head.json", "frames.bin"])
def test_foreign_file_of_our_name_is_kept(scree, scene, tmp_path, name):
    target = tmp_path / "mine"
    target.mkdir()
    (target / name).write_text("precious")
    assert scree("run", scene, "--record", target).returncode == 2
    assert (target / name).read_text() == "precious"


def test_record_is_replaced(scree, scene, tmp_path):
    """As an output file would be; what lies beside it stays."""
    for until, frames in ((0.1, 6), (0.04, 3)):
        assert scree("run", scene, "--until", until, "--record", tmp_path / "r").returncode == 0
        assert len(Recording(tmp_path / "r").frames) == frames
        (tmp_path / "r" / "page.html").write_text("kept")
    assert (tmp_path / "r" / "page.html").read_text() == "kept"


@pytest.mark.parametrize(
    "target, words",
    [("absent/r", ["absent/r", "cannot be made"]), ("scene.xml", ["scene.xml", "directory"]), ("", ["directory"])],
)
def test_no_place(scree, scene, tmp_path, target, words):
    result = scree("run", scene, "--record", target, cwd=tmp_path)
    assert result.returncode in (1, 2) and all(word in result.stderr for word in words)
    assert scene.read_text(encoding="utf-8") == BASE


@pytest.mark.parametrize("arguments", [["--record-every", "0.1"], ["--record", "r", "--record-every", "-1"]])
def test_wrong_interval(scree, scene, tmp_path, arguments):
    result = scree("run", scene, *arguments, cwd=tmp_path)
    assert result.returncode == 2 and "--record-every" in result.stderr and not (tmp_path / "r").exists()


def test_full_disk(scree, scene, tmp_path):
    """The recording ends in good order, the run comes to its end, the exit code says that something is missing."""
    command = f"ulimit -f 20; exec {scree.program} run {scene} --record r --record-every 0 --until 0.5"
    result = subprocess.run(["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert result.returncode == 1 and "frames.bin: cannot be written: File too large" in result.stderr
    recording = Recording(tmp_path / "r")
    assert not recording.done and 3 < len(recording.frames) < 51
    assert f"ends at t = {recording.frames[-1]['time']:g} s" in result.stderr
    assert len(result.stdout.splitlines()) == 1 + 51


def test_killed_run_opens(scree, scene, tmp_path):
    scene.write_text(mutate('stop="0.1"', 'stop="1000"'), encoding="utf-8")
    process = subprocess.Popen([scree.program, "run", scene, "--record", tmp_path / "r", "-o", tmp_path / "o.csv"])
    frames = tmp_path / "r" / "frames.bin"
    begin = time.monotonic()
    while not (frames.exists() and frames.stat().st_size > 5000) and time.monotonic() < begin + 30:
        time.sleep(0.01)
    second = scree("run", scene, "--record", tmp_path / "r", "-o", tmp_path / "p.csv")
    assert second.returncode == 1 and "another run" in second.stderr
    process.send_signal(signal.SIGKILL)
    process.wait()
    recording = Recording(tmp_path / "r")
    assert len(recording.frames) > 3 and not recording.done


def test_cut_record_opens(scree, scene, tmp_path):
    scree("run", scene, "--record", tmp_path / "r")
    frames = tmp_path / "r" / "frames.bin"
    frames.write_bytes(frames.read_bytes()[:-100])
    recording = Recording(tmp_path / "r")
    assert len(recording.frames) == 5 and not recording.done

