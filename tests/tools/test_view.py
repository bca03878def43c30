"""`scree view`: what is in a page, and what happens when there is nothing to make one from. The page at work: tests/view."""

import base64
import json
import re
import resource
import shutil
import struct

import numpy as np
import pytest
from recordings import Recording, read_chunks
from scenes import BASE, mutate


@pytest.fixture(scope="module")
def record(scree, tmp_path_factory):
    """101 frames, so that there is a second key frame; a description that could end a script."""
    folder = tmp_path_factory.mktemp("record")
    (folder / "scene.xml").write_text(mutate("für Tests", "a &lt;/script&gt; ü"), encoding="utf-8")
    result = scree("run", folder / "scene.xml", "--until", "0.5", "--step", "0.005", "--record", folder / "r",
                   "--record-every", "0", "-o", folder / "o.csv")  # fmt: skip
    assert result.returncode == 0, result.stderr
    return folder / "r"


@pytest.fixture(autouse=True)
def _needs_page(scree, tmp_path):
    if "built without the page" in scree("view", tmp_path, "-o", tmp_path / "x").stderr:
        pytest.skip("this build has no page")


def take_out(page, folder):
    """The recording that a page holds, as a recording."""
    text = page.read_text(encoding="utf-8")
    head = re.search(r'<script id="scree-head" type="application/json">(.*?)</script>', text, re.S).group(1)
    blocks = re.findall(r'<script class="scree-frames" type="application/octet-stream">(.*?)</script>', text)
    folder.mkdir()
    data = b"".join(base64.b64decode(block, validate=True) for block in blocks)
    assert all(next(read_chunks(base64.b64decode(block))) for block in blocks), "a block begins with a chunk"
    return json.loads(head), data


def reopen(page, record, folder):
    head, data = take_out(page, folder)
    assert head == json.loads((record / "head.json").read_bytes())
    shutil.copy(record / "head.json", folder)
    (folder / "frames.bin").write_bytes(data)
    return Recording(folder)


def test_page_holds_the_recording(scree, record, tmp_path):
    result = scree("view", record, "-o", tmp_path / "p.html")
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
    _, data = take_out(tmp_path / "p.html", tmp_path / "out")
    assert data == (record / "frames.bin").read_bytes()
    text = (tmp_path / "p.html").read_text(encoding="utf-8")
    assert not re.search(r'(src|href)="?(https?:)?//', text), "nothing comes from elsewhere"
    assert "Permission is hereby granted" in text, "the licences of the libraries stand in the page"


@pytest.mark.parametrize(
    "options, chosen",
    [
        (["--every", "3"], slice(0, 101, 3)),
        (["--every", "1000"], slice(0, 1)),
        (["--from", "0.2", "--to", "0.4"], slice(40, 81)),
        (["--from", "0.2001", "--every", "7"], slice(41, 101, 7)),
        (["--from", "0.32"], slice(64, 101)),
    ],
)
def test_excerpts_are_exact(scree, record, tmp_path, options, chosen):
    assert scree("view", record, "-o", tmp_path / "p.html", *options).returncode == 0
    part, whole = reopen(tmp_path / "p.html", record, tmp_path / "out"), Recording(record)
    expected = whole.frames[chosen]
    assert len(part.frames) == len(expected) and part.frames[0]["key"]
    for a, b in zip(part.frames, expected):
        assert a["time"] == b["time"] and a["signals"] == b["signals"]
        for name in ("poses", "id", "radius", "material", "position", "velocity", "force"):
            assert np.array_equal(a[name], b[name]), name
    assert part.done == ("--to" not in options)


def test_cut_off_recording(scree, record, tmp_path):
    """What a crash leaves: the page has the whole frames."""
    shutil.copytree(record, tmp_path / "r")
    data = (record / "frames.bin").read_bytes()
    (tmp_path / "r/frames.bin").write_bytes(data[: len(data) // 2])
    assert scree("view", tmp_path / "r", "-o", tmp_path / "p.html").returncode == 0
    part = reopen(tmp_path / "p.html", tmp_path / "r", tmp_path / "out")
    assert 10 < len(part.frames) < 101 and not part.done


def test_bad_usage(scree, record, tmp_path):
    page = tmp_path / "p.html"
    cases = [
        ([], 2, "which recording"),
        ([record], 2, "where to"),
        ([record, record, "-o", page], 2, "one recording at a time"),
        ([tmp_path, "-o", page], 2, "head.json"),
        ([record, "-o", page, "--every", "0"], 2, "whole number from 1"),
        ([record, "-o", page, "--every", "1.5"], 2, "whole number from 1"),
        ([record, "-o", page, "--from", "x"], 2, "a number, in s"),
        ([record, "-o", page, "--from", "7"], 2, "from 0 to 0.5 s"),
        ([record, "-o", record / "frames.bin"], 2, "part of the recording"),
        ([record, "-o", tmp_path / "none/p.html"], 1, "none/p.html"),
    ]
    for arguments, code, words in cases:
        result = scree("view", *arguments)
        assert result.returncode == code and words in result.stderr and result.stderr.count("\n") == 1, arguments
    assert not page.exists()


def test_damage_is_refused(scree, record, tmp_path):
    shutil.copytree(record, tmp_path / "r")
    data = bytearray((record / "frames.bin").read_bytes())
    data[len(data) // 2] ^= 1
    (tmp_path / "r/frames.bin").write_bytes(data)
    result = scree("view", tmp_path / "r", "-o", tmp_path / "p.html")
    assert result.returncode == 2 and "damaged" in result.stderr
    assert not (tmp_path / "p.html").exists()


def test_full_disk_leaves_nothing(scree, record, tmp_path):
    """Also an older page stays as it was."""
    page = tmp_path / "p.html"
    page.write_text("old")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, before[1]))
    try:
        result = scree("view", record, "-o", page)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert result.returncode == 1 and "cannot be written" in result.stderr
    assert page.read_text() == "old" and list(tmp_path.iterdir()) == [page]


def test_empty_recording(scree, record, tmp_path):
    shutil.copytree(record, tmp_path / "r")
    data = (record / "frames.bin").read_bytes()
    (tmp_path / "r/frames.bin").write_bytes(data[: 12 + struct.unpack_from("<I", data, 4)[0]])
    result = scree("view", tmp_path / "r", "-o", tmp_path / "p.html")
    assert result.returncode == 2 and "without frames" in result.stderr
