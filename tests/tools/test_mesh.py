"""Meshes from files: every format, what is said about bad ones, and FMUs that need no file."""

import base64
import json
import shutil
import struct
import subprocess
import sys
from pathlib import Path

import pytest
from scenes import BASE, mutate

CUBE = [(x, y, z) for z in (0.0, 1.0) for y in (0.0, 1.0) for x in (0.0, 1.0)]
QUADS = [(0, 4, 6, 2), (1, 3, 7, 5), (0, 1, 5, 4), (2, 6, 7, 3), (0, 2, 3, 1), (4, 5, 7, 6)]
TRIANGLES = [t for a, b, c, d in QUADS for t in ((a, b, c), (a, c, d))]
BUCKET = Path(__file__).resolve().parents[2] / "resources" / "meshes"


def stl_text(triangles=TRIANGLES, vertices=CUBE):
    lines = ["solid cube"]
    for triangle in triangles:
        lines += ["facet normal 0 0 0", "outer loop"]
        lines += ["vertex {} {} {}".format(*vertices[v]) for v in triangle]
        lines += ["endloop", "endfacet"]
    return "\n".join([*lines, "endsolid cube", ""]).encode()


def stl_binary(triangles=TRIANGLES, vertices=CUBE):
    body = b"".join(struct.pack("<12fH", 0, 0, 0, *(c for v in t for c in vertices[v]), 0) for t in triangles)
    return b"\0" * 80 + struct.pack("<I", len(triangles)) + body


def obj(faces=QUADS, vertices=CUBE):
    lines = ["v {} {} {}".format(*v) for v in vertices] + ["f " + " ".join(str(i + 1) for i in face) for face in faces]
    return ("\n".join(lines) + "\n").encode()


def ply(triangles=TRIANGLES, vertices=CUBE):
    head = ["ply", "format ascii 1.0", f"element vertex {len(vertices)}", *(f"property float {c}" for c in "xyz")]
    head += [f"element face {len(triangles)}", "property list uchar int vertex_indices", "end_header"]
    return "\n".join(head + ["{} {} {}".format(*v) for v in vertices] + ["3 {} {} {}".format(*t) for t in triangles] + [""]).encode()


def gltf_parts(triangles=TRIANGLES, vertices=CUBE):
    """The cube twice as large by a transform of the file's own, moved back by half."""
    data = b"".join(struct.pack("<3f", *v) for v in vertices) + b"".join(struct.pack("<3H", *t) for t in triangles)
    split = 12 * len(vertices)
    document = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0, "scale": [2, 2, 2], "translation": [-0.5, 0, 0]}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": len(vertices), "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 1]},
            {"bufferView": 1, "componentType": 5123, "count": 3 * len(triangles), "type": "SCALAR"},
        ],
        "bufferViews": [
            {"buffer": 0, "byteOffset": 0, "byteLength": split},
            {"buffer": 0, "byteOffset": split, "byteLength": len(data) - split},
        ],
        "buffers": [{"byteLength": len(data)}],
    }
    return document, data


def gltf():
    document, data = gltf_parts()
    document["buffers"][0]["uri"] = "data:application/octet-stream;base64," + base64.b64encode(data).decode()
    return json.dumps(document).encode()


def glb():
    document, data = gltf_parts()
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    data += b"\0" * (-len(data) % 4)
    chunks = struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", len(data), b"BIN\0") + data
    return struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks


def scene_with(directory, name, content, attributes=""):
    if content is not None:
        (directory / name).write_bytes(content)
    path = directory / "scene.xml"
    path.write_text(mutate('<box size="0.1 0.02 0.1"/>', f'<mesh file="{name}" {attributes}/>'))
    return path


@pytest.mark.parametrize(
    "name, content, volume",
    [
        ("cube.stl", stl_text(), 1),
        ("CUBE.STL", stl_binary(), 1),
        ("cube.obj", obj(), 1),
        ("cube.ply", ply(), 1),
        ("cube.gltf", gltf(), 8),
        ("cube.glb", glb(), 8),
    ],
)
def test_formats(scree, tmp_path, name, content, volume):
    scene = scene_with(tmp_path, name, content, 'solid="true" scale="0.1" position="0 0 1"')
    result = scree("check", scene)
    assert result.returncode == 0 and result.stderr == "", result.stderr
    assert f"mesh {name} of body plate: 12 triangles, 8 vertices, closed, {volume * 1e-3:g} m3" in result.stdout


def test_inside_out_and_mixed_winding(scree, tmp_path):
    turned = [(a, c, b) for a, b, c in TRIANGLES]
    result = scree("check", scene_with(tmp_path, "cube.stl", stl_text(turned), 'solid="true"'))
    assert result.returncode == 0
    assert result.stderr.count("\n") == 1 and "warning: mesh: " in result.stderr and "inside out" in result.stderr
    mixed = [*turned[:2], *TRIANGLES[2:]]
    result = scree("check", scene_with(tmp_path, "cube.stl", stl_text(mixed), 'solid="true"'))
    assert result.returncode == 0 and "2 triangles turned" in result.stderr


def test_holes(scree, tmp_path):
    """Accepted as a shell with a warning, refused as a solid; both say how many edges are open."""
    scene = scene_with(tmp_path, "cube.stl", stl_text(TRIANGLES[:-2]))
    result = scree("check", scene)
    assert result.returncode == 0
    assert f"{scene}:15:11: warning: mesh: {tmp_path}/cube.stl: 4 open edges" in result.stderr, result.stderr
    scene = scene_with(tmp_path, "cube.stl", stl_text(TRIANGLES[:-2]), 'solid="true"')
    result = scree("check", scene)
    assert result.returncode == 2
    assert result.stderr.count("\n") == 1 and f"{scene}:15:27: mesh: cube.stl is no solid: it has 4 open edges" in result.stderr


def test_degenerate_triangles_are_dropped(scree, tmp_path):
    extra = [(0, 0, 1), (2, 2, 2)]
    result = scree("check", scene_with(tmp_path, "cube.stl", stl_text([*TRIANGLES, *extra, TRIANGLES[3]]), 'solid="true"'))
    assert result.returncode == 0 and "12 triangles" in result.stdout
    assert "2 triangles without area dropped, 1 doubled triangles dropped" in result.stderr


@pytest.mark.parametrize(
    "name, content, words",
    [
        ("none.stl", None, ["can't read", "none.stl", "No such file"]),
        ("cube.step", b"ISO-10303-21;", ["no known ending", ".stl, .obj, .ply, .gltf, .glb"]),
        ("cube", b"x", ["no known ending"]),
        ("empty.stl", b"", ["not what its ending says"]),
        ("empty.obj", b"", ["not what its ending says"]),
        ("noise.stl", bytes(range(256)) * 4, ["not what its ending says"]),
        ("noise.glb", b"glTF" + bytes(100), ["not what its ending says"]),
        ("cut.stl", stl_binary()[:-60], ["mesh: "]),
        ("huge.stl", b"\0" * 80 + struct.pack("<I", 0xFFFFFFFF) + bytes(100), ["mesh: "]),
        ("points.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\n", ["mesh: "]),
        ("beyond.obj", b"v 0 0 0\nv 1 0 0\nf 1 2 9\n", ["mesh: "]),
        ("nan.obj", b"v 0 0 0\nv 1 0 nan\nv 0 1 0\nf 1 2 3\n", ["mesh: "]),
        ("flat.obj", b"v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n", ["none of its 1 triangles has an area"]),
    ],
)
def test_bad_files(scree, tmp_path, name, content, words):
    scene = scene_with(tmp_path, name, content)
    for command in (["check", scene], ["pack", scene, "-o", tmp_path / "out.fmu"]):
        result = scree(*command)
        assert result.returncode == 2, (result.returncode, result.stderr)
        assert result.stdout == "" and result.stderr.count("\n") == 1
        assert result.stderr.startswith(f"{scene}:15:11: "), result.stderr
        for word in words:
            assert word in result.stderr
    assert not (tmp_path / "out.fmu").exists()


def test_file_is_needed(scree, tmp_path):
    path = tmp_path / "scene.xml"
    path.write_text(mutate('<box size="0.1 0.02 0.1"/>', "<mesh/>"))
    result = scree("check", path)
    assert result.returncode == 2 and "file is missing" in result.stderr
    path.write_text(mutate('<box size="0.1 0.02 0.1"/>', '<mesh file=""/>'))
    result = scree("check", path)
    assert result.returncode == 2 and "mesh: has no triangles" in result.stderr


def test_scene_in_another_folder(scree, tmp_path):
    (tmp_path / "deep" / "meshes").mkdir(parents=True)
    (tmp_path / "deep" / "meshes" / "cube.obj").write_bytes(obj())
    scene = scene_with(tmp_path / "deep", "meshes/cube.obj", None)
    assert scree("check", scene).returncode == 0


def test_run_with_the_bucket(scree, tmp_path):
    """Grains that fall into the example bucket stay in it, and weigh on it."""
    shutil.copy(BUCKET / "bucket.obj", tmp_path)
    text = BASE.replace('<box size="0.1 0.02 0.1"/>', '<mesh file="bucket.obj" scale="0.5"/>').replace(
        'position="0 0 0.3"', 'position="0 0 0.5"'
    )
    text = text.replace('count="40" min="-0.05 -0.05 0" max="0.05 0.05 0.2"', 'count="150" min="0.2 -0.1 0.35" max="0.35 0.1 0.6"')
    scene = tmp_path / "scene.xml"
    scene.write_text(text)
    result = scree("run", scene, "--until", "1.5", "--output", tmp_path / "out.csv")
    assert result.returncode == 0, result.stderr
    head, *rows = (tmp_path / "out.csv").read_text().splitlines()
    last = dict(zip(head.split(","), (float(c) for c in rows[-1].split(","))))
    weight = -9.81 * last["info.mass"]
    assert last["plate.force[3]"] == pytest.approx(weight, rel=0.02)  # still rocking a little
    assert last["floor.force[3]"] == 0


def test_bucket_is_what_the_script_writes(tmp_path):
    subprocess.run([sys.executable, BUCKET / "make_bucket.py", "-o", tmp_path / "bucket.obj"], check=True)
    assert (tmp_path / "bucket.obj").read_text() == (BUCKET / "bucket.obj").read_text()
