"""The command itself: usage, CSV files, running, packing."""

import csv
import json
import os
import pty
import re
import signal
import subprocess
import time
import zipfile

import pytest
from scenes import BASE, mutate

COMMANDS = ["check", "run", "pack", "plan", "view", "report", "export", "verify", "bench", "materials", "schema", "completion", "help"]
OUTPUTS = ["plate.force[3]", "floor.force[3]", "floor.torque[1]", "info.particles", "info.mass", "info.momentum[3]"]


@pytest.fixture
def scene(tmp_path):
    path = tmp_path / "scene.xml"
    path.write_text(BASE, encoding="utf-8")
    return path


def check_one_line(result, code, words):
    assert result.returncode == code, result.stderr
    assert result.stdout == ""
    assert result.stderr.endswith("\n") and result.stderr.count("\n") == 1, result.stderr
    for word in words:
        assert word in result.stderr


def read(path):
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    return rows[0], [[float(cell) for cell in row] for row in rows[1:]]


# ---- usage


def test_help_and_version(scree):
    result = scree("--help")
    assert result.returncode == 0 and all(f"\n  {name} " in result.stdout for name in COMMANDS)
    assert re.fullmatch(r"scree \d+\.\d+\.\d+\n", scree("--version").stdout)
    for name in COMMANDS:
        result = scree(name, "--help")
        assert result.returncode == 0 and result.stdout.startswith(f"usage: scree {name}")


def test_check_json(scree, scene):
    """Everything that the text has, for scripts."""
    about = json.loads(scree("check", scene, "--json").stdout)
    assert (about["name"], about["grains"], about["stop"], about["step"]) == ("small", 40, 0.1, 0.01)
    assert about["description"] == "für Tests" and 0.1 < about["mass"] < 1
    assert [body["id"] for body in about["bodies"]] == ["floor", "plate"]
    assert about["ports"] == [{"id": "plate", "body": "plate"}, {"id": "floor", "body": "floor"}]
    listed = [line.split()[0] for line in scree("check", scene, "--variables").stdout.splitlines()
              if line[:1] not in (" ", "") and len(line.split()) > 4][1:]
    names = [variable["name"] for variable in about["variables"]]
    assert names[0] == "gravity[1]" and set(listed) <= set(names) and len(names) > 50
    poisson = next(variable for variable in about["variables"] if variable["name"] == "material.steel.poisson")
    assert {"causality": "parameter", "type": "Real", "unit": "1", "start": 0.3}.items() <= poisson.items()


@pytest.mark.parametrize(
    "arguments, words",
    [
        ([], ["which command", ", ".join(COMMANDS)]),
        (["fly"], ["fly", ", ".join(COMMANDS)]),
        (["check"], ["which scene", "SCENE.xml"]),
        (["check", ""], ["empty"]),
        (["check", "a.xml", "b.xml"], ["one scene", "b.xml"]),
        (["check", "--fast", "a.xml"], ["--fast", "--variables"]),
        (["check", "--variables=1", "a.xml"], ["takes no value"]),
        (["check", "-x", "a.xml"], ["-x", "allowed"]),
        (["run", "a.xml", "--until"], ["--until", "needs a value"]),
        (["pack", "a.xml"], ["where to", "-o X.fmu"]),
        (["pack", "a.xml", "-o", ""], ["where to"]),
        (["schema", "more"], ["takes no arguments"]),
        (["schema", "--xsd"], ["--xsd", "--help"]),
    ],
)
def test_usage(scree, arguments, words):
    check_one_line(scree(*arguments), 2, words)


@pytest.mark.parametrize(
    "arguments, words",
    [
        (["--until", "soon"], ["--until", "soon", "above 0 to 1e+09"]),
        (["--until", "0"], ["--until", "above 0"]),
        (["--until", "-1"], ["--until", "above 0"]),
        (["--until", "inf"], ["--until", "inf"]),
        (["--step", "0"], ["--step", "1e-07 to 10"]),
        (["--set", "gravity"], ["NAME=VALUE"]),
        (["--set", "=1"], ["NAME=VALUE"]),
        (["--set", "gravity[4]=1"], ["gravity[4]", "did you mean gravity["]),
        (["--set", "xyzzy=1"], ["xyzzy", "allowed: gravity[1]"]),
        (["--set", "floor.force[1]=1"], ["floor.force[1]", "allowed: gravity[1]"]),
        (["--set", "solver.substeps=many"], ["many", "number"]),
        (["--set", "solver.substeps=1.5"], ["whole"]),
        (["--set", "solver.substeps=0"], ["solver.substeps", "from 1 to 10000"]),
        (["--set", "fill.bed.count=100000"], ["fill bed", "the region takes"]),
        (["--threads", "300"], ["threads", "256"]),
        (["--input", "none.csv"], ["none.csv", "No such file"]),
    ],
)
def test_run_usage(scree, scene, tmp_path, arguments, words):
    check_one_line(scree("run", scene, "--output", tmp_path / "o.csv", *arguments, cwd=tmp_path), 2, words)
    assert sorted(tmp_path.iterdir()) == [scene]


def test_targets_are_kept_apart(scree, scene, tmp_path):
    text = scene.read_text(encoding="utf-8")
    check_one_line(scree("run", scene, "--output", scene), 2, ["also the scene"])
    check_one_line(scree("pack", scene, "-o", scene), 2, ["also the scene"])
    check_one_line(scree("run", scene, "-o", "a.csv", "--grains", "a.csv", cwd=tmp_path), 2, ["also the --output"])
    assert scene.read_text(encoding="utf-8") == text and sorted(tmp_path.iterdir()) == [scene]


# ---- input files


@pytest.mark.parametrize(
    "content, where, words",
    [
        (b"", 1, ["empty", "allowed"]),
        (b"\n\n", 1, ["empty"]),
        (b"plate.position[3],time\n0,0\n", 1, ["must be time"]),
        (b"time;plate.position[3]\n0;0\n", 1, ["must be time", "commas"]),
        (b"time,plate.positon[3]\n0,0\n", 1, ["plate.positon[3]", "did you mean plate.position[3]?"]),
        (b"time,depth\n0,0\n", 1, ["depth", "allowed: plate.position[1]"]),
        (b"time,floor.force[1]\n0,0\n", 1, ["floor.force[1]", "allowed: plate.position[1]"]),
        (b"time,gravity[3]\n0,0\n", 1, ["no input"]),
        (b"time,\n0,0\n", 1, ["no input"]),
        (b"time,plate.velocity[1],plate.velocity[1]\n0,0,0\n", 1, ["twice"]),
        (b"time,plate.position[3]\n", 1, ["no rows"]),
        (b"time,plate.position[3]\n0,0.3\n0.1\n", 3, ["1 cells", "2"]),
        (b"time,plate.position[3]\n0,0.3,1\n", 2, ["3 cells", "2"]),
        (b"time,plate.position[3]\n0,0.3\n\n1,0.3\n", 3, ["1 cells"]),
        (b"time,plate.position[3]\n0,high\n", 2, ["plate.position[3]", "high", "number"]),
        (b"time,plate.position[3]\n0,\n", 2, ["plate.position[3]", "number"]),
        (b"time,plate.position[3]\n0,nan\n", 2, ["nan", "finite"]),
        (b"time,plate.position[3]\ninf,0\n", 2, ["time", "inf", "finite"]),
        (b"time,plate.position[3]\n0,1e999\n", 2, ["1e999", "finite"]),
        (b"time,plate.position[3]\n0,0x1p3\n", 2, ["0x1p3"]),
        (b"time,plate.position[3]\n0,0.3\n0,0.4\n", 3, ["time = 0 after 0", "increase"]),
        (b"time,plate.position[3]\n1,0.3\n0.5,0.4\n", 3, ["0.5", "increase"]),
        (b"time,plate\x00\n0,0\n", 1, ["zero byte"]),
    ],
)
def test_input_mistakes(scree, scene, tmp_path, content, where, words):
    source = tmp_path / "in.csv"
    source.write_bytes(content)
    result = scree("run", scene, "--input", source, "--output", tmp_path / "o.csv", "--grains", tmp_path / "g.csv")
    check_one_line(result, 2, words)
    assert result.stderr.startswith(f"{source}:{where}: ")
    assert sorted(tmp_path.iterdir()) == [source, scene]


def test_input_without_motion_ports(scree, tmp_path):
    scene, source = tmp_path / "scene.xml", tmp_path / "in.csv"
    scene.write_text(mutate('  <port id="plate" body="plate"/>\n', ""), encoding="utf-8")
    source.write_text("time,plate.position[1]\n0,0\n")
    check_one_line(scree("run", scene, "--input", source), 2, ["no port of mode"])


def test_input_forms(scree, scene, tmp_path):
    """Byte order mark, quotes, CRLF, spaces and blank lines at the end say the same as the plain form."""
    forms = [
        b"time,plate.position[3]\n0,0.3\n0.1,0.2\n",
        b'\xef\xbb\xbf"time", "plate.position[3]"\r\n0 , 0.3\r\n1e-1,+0.2\r\n\r\n',
    ]
    results = []
    for form in forms:
        (tmp_path / "in.csv").write_bytes(form)
        result = scree("run", scene, "--input", tmp_path / "in.csv")
        assert (result.returncode, result.stderr) == (0, "")
        results.append(result.stdout)
    assert results[0] == results[1]


# ---- runs


def test_output(scree, scene, tmp_path):
    result = scree("run", scene, "--output", tmp_path / "o.csv", "--grains", tmp_path / "g.csv")
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["g.csv", "o.csv", "scene.xml"]
    header, rows = read(tmp_path / "o.csv")
    assert header[0] == "time" and set(OUTPUTS) <= set(header)
    assert len(rows) == 11 and rows[0][0] == 0.0
    assert [row[0] for row in rows] == [n * 0.01 for n in range(11)]
    assert rows[0][header.index("floor.force[3]")] == 0.0, "no step yet, no wrench"
    assert rows[-1][header.index("info.particles")] == 40
    grains = (tmp_path / "g.csv").read_text().splitlines()
    assert grains[0] == "x,y,z,radius,vx,vy,vz,fill" and len(grains) == 41
    assert all(0.009 <= float(line.split(",")[3]) <= 0.011 and line.endswith(",bed") for line in grains[1:])
    # the same on standard output, both ways
    text = (tmp_path / "o.csv").read_text()
    assert scree("run", scene).stdout == text == scree("run", scene, "--output", "-").stdout


def test_numbers_read_back(scree, scene):
    for line in scree("run", scene).stdout.splitlines()[1:]:
        for cell in line.split(","):
            assert float(cell) == float(f"{float(cell):.17g}") and len(cell) <= len(f"{float(cell):.17g}")


def test_time_points(scree, scene, tmp_path):
    """The last step is shortened to end at T; a T that is a multiple of H but for rounding gets no tiny step."""

    def times(*arguments):
        result = scree("run", scene, *arguments)
        assert result.returncode == 0, result.stderr
        return [float(line.split(",")[0]) for line in result.stdout.splitlines()[1:]]

    assert times("--until", "0.025", "--step", "0.01") == [0.0, 0.01, 0.02, 0.025]
    assert times("--until", "0.3", "--step", "0.1") == [0.0, 0.1, 0.2, 3 * 0.1]
    assert times("--until", "0.01", "--step", "0.1") == [0.0, 0.01]


def test_set_reaches_the_world(scree, scene):
    header, *lines = scree("run", scene, "--set", "gravity[3]=0", "--set", "fill.bed.count=7", "-t", "1").stdout.splitlines()
    last = dict(zip(header.split(","), lines[-1].split(",")))
    assert last["info.particles"] == "7" and float(last["info.momentum[3]"]) == 0.0


def test_same_bytes_every_time(scree, scene, tmp_path):
    source = tmp_path / "in.csv"
    source.write_text("time,plate.position[3],plate.velocity[3]\n0,0.3,-2\n0.1,0.1,-2\n")
    runs = [scree("run", scene, "-i", source, "--grains", tmp_path / f"{i}.csv", "--threads", n).stdout
            for i, n in enumerate([1, 1, 2, 3])]
    grains = [(tmp_path / f"{i}.csv").read_bytes() for i in range(4)]
    assert runs[0] and len(set(runs)) == 1 and len(set(grains)) == 1


def test_full_disk(scree, scene, tmp_path):
    check_one_line(scree("run", scene, "--output", "/dev/full"), 1, ["/dev/full", "No space left"])
    check_one_line(scree("run", scene, "-o", tmp_path / "o.csv", "--grains", "/dev/full"), 1, ["/dev/full", "No space left"])
    check_one_line(scree("pack", scene, "-o", "/dev/full"), 1, ["/dev/full", "No space left"])
    with open("/dev/full", "w") as full:
        for command in (["schema"], ["--help"], ["run", str(scene)]):
            result = subprocess.run([scree.program, *command], stdout=full, stderr=subprocess.PIPE, text=True)
            assert result.returncode == 1 and "standard output" in result.stderr
    assert sorted(tmp_path.iterdir()) == [scene]


def test_file_size_limit(scree, scene, tmp_path):
    """A disk that fills up midway: an error, the old file untouched, no temporary left."""
    (tmp_path / "x.fmu").write_text("old")
    (tmp_path / "o.csv").write_text("old")
    for command in (["pack", scene, "-o", "x.fmu"], ["run", scene, "-o", "o.csv", "--step", "1e-4"]):
        result = subprocess.run(["bash", "-c", 'ulimit -f 8; exec "$0" "$@"', scree.program, *command], cwd=tmp_path,
                                capture_output=True, text=True)
        check_one_line(result, 1, ["cannot be written", "File too large"])
    assert (tmp_path / "x.fmu").read_text() == (tmp_path / "o.csv").read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["o.csv", "scene.xml", "x.fmu"]


def test_no_such_folder(scree, scene, tmp_path):
    check_one_line(scree("run", scene, "-o", tmp_path / "no/o.csv"), 1, ["cannot be written", "No such file"])
    check_one_line(scree("run", scene, "-o", tmp_path), 1, ["cannot be written", "is a directory"])
    check_one_line(scree("pack", scene, "-o", tmp_path / "no/x.fmu"), 1, ["cannot be written", "No such file"])


def test_link_stays_a_link(scree, scene, tmp_path):
    (tmp_path / "real.csv").write_text("old")
    (tmp_path / "link.csv").symlink_to("real.csv")
    assert scree("run", scene, "-o", tmp_path / "link.csv").returncode == 0
    assert (tmp_path / "link.csv").is_symlink() and (tmp_path / "real.csv").read_text().startswith("time,")


def test_failure_midway_keeps_rows(scree, scene, tmp_path):
    source = tmp_path / "in.csv"
    source.write_text("time,plate.orientation[1]\n0,1\n0.05,0\n")
    result = scree("run", scene, "-i", source, "-o", tmp_path / "o.csv")
    check_one_line(result, 1, ["t = 0.05 s", "quaternion", "o.csv.partial"])
    assert not (tmp_path / "o.csv").exists()
    assert len(read(tmp_path / "o.csv.partial")[1]) == 6


def test_interrupt_keeps_rows(scree, scene, tmp_path):
    process = subprocess.Popen([scree.program, "run", scene, "--until", "1e6", "-o", "o.csv"], cwd=tmp_path,
                               stderr=subprocess.PIPE, text=True)
    while not list(tmp_path.glob("o.csv.*.tmp")):
        time.sleep(0.01)
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    assert "interrupted" in process.communicate(timeout=60)[1] and process.returncode == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["o.csv.partial", "scene.xml"]


def test_progress_only_on_a_terminal(scree, scene, tmp_path):
    main, terminal = pty.openpty()
    process = subprocess.Popen([scree.program, "run", scene, "--until", "1e6", "-o", "o.csv"], cwd=tmp_path, stderr=terminal)
    os.close(terminal)
    shown = b""
    while b"left" not in shown:
        shown += os.read(main, 1000)
    process.terminate()
    process.wait(timeout=60)
    os.close(main)
    assert b"[" in shown and b"t = " in shown


# ---- packing


def test_pack(scree, scene, tmp_path):
    result = scree("pack", scene, "-o", tmp_path / "x.fmu")
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
    with zipfile.ZipFile(tmp_path / "x.fmu") as archive:
        assert archive.testzip() is None
        names = archive.namelist()
        # the Windows library is packed where it was built
        assert [name for name in names if not name.startswith("binaries/win64/")] == [
            "modelDescription.xml",
            "resources/scene.bin",
            "documentation/index.html",
            "terminalsAndIcons/terminalsAndIcons.xml",
            "binaries/linux64/small.so",
            "documentation/licenses/license.txt",
            "model.png",
            "terminalsAndIcons/icon.png",
        ]
        assert archive.read("model.png").startswith(b"\x89PNG")
        assert archive.read("resources/scene.bin")[4:].startswith(b"SCREE-SCENE")
        assert archive.read("binaries/linux64/small.so").startswith(b"\x7fELF")
        assert b'modelIdentifier="small"' in archive.read("modelDescription.xml")
        for info in archive.infolist():
            assert info.date_time == (1980, 1, 1, 0, 0, 0)


def test_pack_is_deterministic(scree, scene, tmp_path):
    """Other time, time zone, folder, umask and name of the scene file: the same bytes."""
    other = tmp_path / "other"
    other.mkdir()
    (other / "copy.xml").write_text(BASE, encoding="utf-8")
    os.utime(other / "copy.xml", (1e9, 1e9))
    assert scree("pack", scene, "-o", tmp_path / "a.fmu", env={"TZ": "Pacific/Auckland"}).returncode == 0
    time.sleep(2.1)  # zip dates count in steps of 2 s
    old = os.umask(0o077)
    try:
        assert scree("pack", "copy.xml", "-o", "b.fmu", cwd=other, env={"TZ": "America/New_York"}).returncode == 0
    finally:
        os.umask(old)
    assert (tmp_path / "a.fmu").read_bytes() == (other / "b.fmu").read_bytes()


def test_pack_needs_its_files(scree, scene, tmp_path):
    """A lone copy of the program says what it misses."""
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin/scree"
    program.write_bytes(scree.program.read_bytes())
    program.chmod(0o755)
    result = subprocess.run([program, "pack", scene, "-o", tmp_path / "x.fmu"], capture_output=True, text=True)
    check_one_line(result, 1, [f"{tmp_path}/lib/scree/linux64/scree.so is missing"])
    assert not (tmp_path / "x.fmu").exists()


def test_grains_placed_by_hand(scree, tmp_path):
    text = mutate("  <port id=\"plate\" body=\"plate\"/>\n",
                  "  <grain material=\"rock\" diameter=\"0.03\" position=\"0 0 0.25\"/>\n  <port id=\"plate\" body=\"plate\"/>\n")
    (tmp_path / "s.xml").write_text(text)
    result = scree("run", tmp_path / "s.xml", "-o", tmp_path / "o.csv", "--grains", tmp_path / "g.csv")
    assert result.returncode == 0, result.stderr
    rows = (tmp_path / "g.csv").read_text().splitlines()
    assert len(rows) == 42 and rows[1].endswith(",") and float(rows[1].split(",")[3]) == 0.015


def test_profile(scree, scene, tmp_path):
    """The rows are what they are without it; the stages are on standard error, and on request outputs."""
    plain = scree("run", scene, "--until", "0.05")
    timed = scree("run", scene, "--until", "0.05", "--profile")
    assert timed.returncode == 0 and timed.stdout == plain.stdout
    lines = [line.split() for line in timed.stderr.splitlines()]
    stages = {words[0]: float(words[1]) for words in lines[1:-1]}
    assert lines[0] == ["stage", "seconds", "share"] and stages["sweep"] > 0 and lines[-1][0] == "all"
    assert abs(sum(stages.values()) - float(lines[-1][1])) <= 1e-3 * float(lines[-1][1])  # four digits each
    asked = tmp_path / "asked.xml"
    asked.write_text(scene.read_text().replace("<solver", '<solver profile="1"', 1) if "<solver" in scene.read_text()
                     else scene.read_text().replace("<material", '<solver profile="1"/><material', 1))
    result = scree("run", asked, "--until", "0.05")
    assert result.returncode == 0, result.stderr
    head, *_, last = result.stdout.splitlines()
    values = dict(zip(head.split(","), last.split(",")))
    assert float(values["profile.sweep"]) > 0 and "profile.sweep" not in plain.stdout
