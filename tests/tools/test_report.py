"""The report: one page, its plots as files, its figures for scripts."""

import json
import re
import xml.etree.ElementTree as ElementTree

import lxml.html
import numpy as np
import pytest
from recordings import Recording
from scenes import mutate


@pytest.fixture(scope="module")
def record(scree, tmp_path_factory):
    place = tmp_path_factory.mktemp("record")
    scene = mutate('description="für Tests"', 'description="für &lt;b&gt; &amp; &quot;Tests&quot;"')
    (place / "scene.xml").write_text(scene, encoding="utf-8")
    result = scree("run", "scene.xml", "-o", "out.csv", "--record", "record", "--until", 0.4, "--record-every", 0, cwd=place)
    assert result.returncode == 0, result.stderr
    return place / "record"


def test_page(scree, record, tmp_path):
    result = scree("report", record, "-o", "page.html", cwd=tmp_path)
    assert result.returncode == 0 and result.stdout == "page.html\n"
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert not re.search(r'(src|href)\s*=|url\(|<script|@import|https?://', text)  # nothing is loaded from anywhere
    page = lxml.html.fromstring(text)
    assert page.findtext(".//h1") == "small" and page.findtext(".//p") == 'für <b> & "Tests"'
    titles = [svg.find("text").text for svg in page.iter("svg")]
    for title in ("floor: force", "floor: torque", "Kinetic energy", "Contacts", "Residual", "Overlap over sum of radii",
                  "Computing time per simulated time"):
        assert title in titles
    assert "plate: force" not in titles  # it never met a grain: nothing to see
    cells = [cell.text_content() for cell in page.iter("td")]
    assert {"plate", "floor", "solver.substeps", "info.residual", "driven", "steel"} <= set(cells)


def test_plots_as_files(scree, record, tmp_path):
    """Well-formed, and the curve is that of the recording: its lowest point is where the force on the floor peaks."""
    result = scree("report", record, "-o", tmp_path / "p.html", "--svg", tmp_path / "svg")
    assert result.returncode == 0
    names = sorted(path.name for path in (tmp_path / "svg").iterdir())
    assert {"floor_force.svg", "kineticEnergy.svg", "residual.svg", "pace.svg"} <= set(names)
    for name in names:
        root = ElementTree.parse(tmp_path / "svg" / name).getroot()
        assert root.tag == "{http://www.w3.org/2000/svg}svg"
    root = ElementTree.parse(tmp_path / "svg" / "floor_force.svg").getroot()
    path = [p for p in root.iter("{http://www.w3.org/2000/svg}path") if p.get("class") == "c2"][-1]
    points = np.array([[float(n) for n in pair.split()] for pair in re.findall(r"[ML]([-\d. ]+)", path.get("d"))])
    frames = Recording(record).frames
    force = np.array([frame["signals"]["floor.force[3]"] for frame in frames])
    assert len(points) == len(frames)
    times = np.array([frame["time"] for frame in frames])
    span = points[-1, 0] - points[0, 0]
    assert np.allclose((points[:, 0] - points[0, 0]) / span, times / times[-1], atol=0.11 / span)  # one decimal of a px
    # Linear in the force, downwards: a straight line through all points.
    slope, offset = np.polyfit(force, points[:, 1], 1)
    assert slope < 0 and np.allclose(points[:, 1], slope * force + offset, atol=0.11)


def test_figures(scree, record, tmp_path):
    result = scree("report", record, "--json", cwd=tmp_path)
    figures = json.loads(result.stdout)
    assert not list(tmp_path.iterdir())  # no page was asked for
    frames = Recording(record).frames
    sizes = [np.linalg.norm([frame["signals"][f"floor.force[{k}]"] for k in (1, 2, 3)]) for frame in frames]
    floor = figures["ports"]["floor"]
    assert floor["peakForce"] == pytest.approx(max(sizes), rel=1e-14)
    assert floor["peakForceTime"] == frames[int(np.argmax(sizes))]["time"]
    assert floor["meanForce"] == pytest.approx(np.mean(sizes), rel=1e-13)
    assert (figures["scene"], figures["done"], figures["frames"], figures["grains"]) == ("small", True, 41, 40)
    assert figures["wall"] == frames[-1]["wall"] and figures["end"] == frames[-1]["time"]


def test_unfinished_and_empty_recordings(scree, record, tmp_path):
    head, frames = (record / "head.json").read_bytes(), (record / "frames.bin").read_bytes()
    (tmp_path / "head.json").write_bytes(head)
    for size, count, words in ((len(frames) - 13, 40, "has no end"), (20, 0, "has no end")):
        (tmp_path / "frames.bin").write_bytes(frames[:size])
        result = scree("report", tmp_path, "-o", tmp_path / "p.html")
        assert result.returncode == 0, result.stderr
        assert words in (tmp_path / "p.html").read_text(encoding="utf-8")
        assert json.loads(scree("report", tmp_path, "--json").stdout)["frames"] == count


@pytest.mark.parametrize("arguments, words", [([], "which recording"), (["/nowhere"], "no recording there"),
                                              (["RECORD", "--fast"], "--svg")])
def test_bad_requests(scree, record, tmp_path, arguments, words):
    result = scree("report", *[record if text == "RECORD" else text for text in arguments], cwd=tmp_path)
    assert result.returncode == 2 and words in result.stderr and not list(tmp_path.iterdir())
