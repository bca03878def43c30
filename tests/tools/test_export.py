"""Exports of recordings: files that VTK's own reader opens, tables, and that both say the same."""

import csv
import json
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
from recordings import Recording
from scenes import BASE, mutate
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkIOXML import vtkXMLPolyDataReader

INPUT = """\
time,plate.position[1],plate.position[3],plate.velocity[3],plate.orientation[1],plate.orientation[3]
0,0,0.3,-1,1,0
0.1,0.02,0.2,-1,0.8,0.6
"""


@pytest.fixture(scope="module")
def record(scree, tmp_path_factory):
    """A plate that sinks and turns, six frames; the floor also has a box, the plate also a plane."""
    place = tmp_path_factory.mktemp("record")
    scene = mutate('<plane normal="0 0 1"/>', '<plane normal="0 0 1"/><box size="0.4 0.4 0.1" position="0 0 -0.05"/>')
    scene = mutate('<box size="0.1 0.02 0.1"/>', '<box size="0.1 0.02 0.1"/><plane position="0 0 9" normal="0 0 -1"/>', scene)
    (place / "scene.xml").write_text(scene, encoding="utf-8")
    (place / "input.csv").write_text(INPUT)
    result = scree("run", "scene.xml", "-i", "input.csv", "-o", "out.csv", "--record", "record", cwd=place)
    assert result.returncode == 0, result.stderr
    return place / "record"


@pytest.fixture(scope="module")
def exported(scree, record):
    to = record.parent / "export"
    result = scree("export", record, "--vtk", to, "--csv", to, "--force", "--json")
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout) == {"frames": 6, "files": len(list(to.iterdir()))}
    return to


def read_vtp(path):
    reader = vtkXMLPolyDataReader()
    reader.SetFileName(str(path))
    reader.Update()
    assert reader.GetErrorCode() == 0
    return reader.GetOutput()


def arrays_of(data):
    return {data.GetArrayName(i): vtk_to_numpy(data.GetArray(i)) for i in range(data.GetNumberOfArrays())}


def read_csv(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def list_pvd(path):
    return [
        (float(item.get("timestep")), int(item.get("part")), item.get("file"))
        for item in ElementTree.parse(path).getroot().find("Collection")
    ]


def test_grains_in_vtk_are_those_of_the_csv(exported, record):
    recording = Recording(record)
    listed = list_pvd(exported / "grains.pvd")
    assert [time for time, _, _ in listed] == [frame["time"] for frame in recording.frames]
    for frame, (_, _, name) in zip(recording.frames, listed):
        data, rows = read_vtp(exported / name), read_csv((exported / name).with_suffix(".csv"))
        points, values = vtk_to_numpy(data.GetPoints().GetData()), arrays_of(data.GetPointData())
        assert data.GetNumberOfPoints() == data.GetNumberOfVerts() == len(rows) == 40
        assert sorted(values) == ["force", "id", "material", "radius", "speed", "velocity"]
        column = {key: np.array([float(row[key]) for row in rows], np.float32) for key in rows[0] if key != "material"}
        for k, axis in enumerate("xyz"):  # to the bit: nine digits bring a single back
            assert np.array_equal(points[:, k], column[axis])
            assert np.array_equal(values["velocity"][:, k], column["v" + axis])
            assert np.array_equal(points[:, k], frame["position"][:, k].astype(np.float32))
        for name in ("radius", "speed", "force", "id"):
            assert np.array_equal(values[name], column[name])
        assert {row["material"] for row in rows} == {"rock"} and set(values["material"]) == {0}
        assert np.allclose(values["force"], frame["force"], rtol=1e-6)


def turn(q, p):
    w, u = q[0], np.array(q[1:])
    return p + 2 * w * np.cross(u, p) + 2 * np.cross(u, np.cross(u, p))


def test_bodies_stand_where_the_run_had_them(exported, record):
    recording = Recording(record)
    listed = list_pvd(exported / "bodies.pvd")
    assert len(listed) == 12 and {name for _, part, name in listed if part == 0} == {"bodies_at_rest.vtp"}
    for frame, (time, part, name) in zip(recording.frames, listed[1::2]):
        assert part == 1 and time == frame["time"]
        data = read_vtp(exported / name)
        corners = np.array(recording.head["bodies"][1]["shapes"][0]["vertices"]).reshape(-1, 3)
        pose = frame["poses"][1]
        expected = np.array([pose[:3] + turn(pose[3:], corner) for corner in corners])
        # A single has 24 bits; positions are below 1 m.
        assert np.allclose(vtk_to_numpy(data.GetPoints().GetData()), expected, rtol=0, atol=1e-7)
        assert data.GetNumberOfPolys() == 12 and set(arrays_of(data.GetCellData())["body"]) == {1}
    assert abs(frame["poses"][1][5]) > 0.5  # it has turned
    assert read_vtp(exported / "bodies_at_rest.vtp").GetBounds() == pytest.approx((-0.2, 0.2, -0.2, 0.2, -0.1, 0))
    planes = list_pvd(exported / "planes.pvd")
    assert len(planes) == 12 and all((exported / name).exists() for _, _, name in planes)


def test_tables(exported, record):
    rows = read_csv(exported / "signals.csv")
    whole = {row["time"]: row for row in read_csv(record.parent / "out.csv")}
    assert rows == [whole[row["time"]] for row in rows]  # to the last digit those of the run
    poses = read_csv(exported / "bodies.csv")
    assert [row["body"] for row in poses[:2]] == ["floor", "plate"] and len(poses) == 12
    assert float(poses[-1]["z"]) == Recording(record).frames[-1]["poses"][1][2]


def test_choice_of_frames(scree, record, tmp_path):
    """Times 0, 0.02 … 0.1: from the second on, every second one."""
    result = scree("export", record, "--csv", tmp_path / "c", "--from", 0.01, "--to", 0.07, "--every", 2)
    assert result.returncode == 0 and result.stdout == "2 frames, 4 files\n"
    assert [float(row["time"]) for row in read_csv(tmp_path / "c" / "signals.csv")] == [0.02, 0.06]
    table = scree("export", record, "--signals", "-", "--every", 5).stdout.splitlines()
    assert len(table) == 3 and table[0].startswith("time,plate.force[1]")


@pytest.mark.parametrize(
    "arguments, words",
    [
        (["RECORD"], ["--vtk DIR"]),
        ([], ["which recording"]),
        (["/", "--vtk", "x"], ["/", "no recording", "head.json"]),
        (["RECORD", "--vtk", "full"], ["not empty", "--force"]),
        (["RECORD", "--csv", "x", "--every", "0"], ["--every", "from 1"]),
        (["RECORD", "--csv", "x", "--from", "soon"], ["--from", "time"]),
    ],
)
def test_bad_requests(scree, record, tmp_path, arguments, words):
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thing").write_text("")
    result = scree("export", *[record if text == "RECORD" else text for text in arguments], cwd=tmp_path)
    assert result.returncode == 2 and result.stderr.count("\n") == 1 and all(word in result.stderr for word in words)
    assert not (tmp_path / "x").exists() or not list((tmp_path / "x").iterdir())


def test_damaged_record(scree, record, tmp_path):
    for name in ("head.json", "frames.bin"):
        (tmp_path / name).write_bytes((record / name).read_bytes())
    data = bytearray((tmp_path / "frames.bin").read_bytes())
    data[len(data) // 2] ^= 1
    (tmp_path / "frames.bin").write_bytes(data)
    result = scree("export", tmp_path, "--signals", tmp_path / "s.csv")
    assert result.returncode == 2 and "damaged at byte" in result.stderr and not (tmp_path / "s.csv").exists()
    (tmp_path / "head.json").write_text((tmp_path / "head.json").read_text(encoding="utf-8") + " ", encoding="utf-8")
    assert "not of the same run" in scree("export", tmp_path, "--signals", "-").stderr
