"""`scree plan`: the recommendation and its costs (METHOD §11; Paper I eqs. 36–42)."""

import json
import math
import re

import pytest
from scenes import BASE, mutate

G, D, COUNT = 9.81, 0.013, 25

GRAINS = "\n".join(
    f'  <grain material="ore" diameter="{D}" position="0 0 {D * (i + 0.5):.6f}"/>' for i in range(COUNT)
)
COLUMN = f"""\
<?xml version="1.0" encoding="UTF-8"?>
<scene version="1" name="column" gravity="0 0 -{G}">
  <experiment stop="1" step="0.005"/>
  <solver frame="0.005"/>
  <material id="ore" density="3700" youngs="6e6"/>
  <pair a="ore" b="ore" friction="0"/>
  <body id="floor" material="ore">
    <plane normal="0 0 1"/>
  </body>
{GRAINS}
</scene>
"""


@pytest.fixture
def write(tmp_path):
    def call(text):
        path = tmp_path / "scene.xml"
        path.write_text(text, encoding="utf-8")
        return path

    return call


def plan(scree, path, *options):
    result = scree("plan", path, "--paper-times", "--json", *options)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


def test_column_follows_the_rules(scree, write):
    got = plan(scree, write(COLUMN), "--tolerance", 0.01, "--speed", 0.1, "--inertial", 0)
    # a column of N grains packs its square of d × d to π/6, and l counts a packing of 0.6
    length = COUNT * math.pi / 6 / 0.6
    assert got["length"] == pytest.approx(length, rel=1e-6) and got["width"] == pytest.approx(1)
    step = min(0.01 * D / 0.1, math.sqrt(2 * 0.01 * D / G))
    assert got["ndem"]["step"] == pytest.approx(step, rel=1e-6)
    sweeps = math.ceil(0.3 / 0.01 * 0.44 * length)
    assert got["ndem"]["sweeps"] == sweeps
    assert got["ndem"]["cost"] == pytest.approx(1e-6 * COUNT * sweeps / step, rel=1e-4)
    mass, k = 3700 * math.pi / 6 * D**3, 6e6 * math.sqrt(2 * D) / (3 * (1 - 0.09))
    assert got["smooth"]["step"] == pytest.approx(math.sqrt(mass / k), rel=1e-6)
    assert got["smooth"]["cost"] == pytest.approx(1e-6 * COUNT / math.sqrt(mass / k), rel=1e-4)
    k = 4 / 3 * 6e6 / (2 * 0.91) * math.sqrt(D / 4)
    resolved = 0.8 * math.sqrt(mass / (1.5 * k ** (2 / 3) * (length * mass * G) ** (1 / 3)))
    frame, h = got["substeps"]["step"], min(step, max(resolved, 0.5 * math.sqrt(2 * 0.01 * D / G) / length))
    assert frame == pytest.approx(0.005) and got["substeps"]["substeps"] == math.ceil(frame / h)
    assert got["impactSpeed"] == pytest.approx(math.sqrt(2 * G * 0.01 * D), rel=1e-6)


def test_stiff_beds_are_resolved(scree, write):
    """A bed needs substeps that follow its contacts, h ω ≤ 0.8 (METHOD §11): ω ~ E^(1/3), up to the number's rounding."""
    soft, stiff = (
        plan(scree, write(mutate('youngs="1e7"', f'youngs="{e}"')), "--speed", 0.01)["substeps"] for e in (1e8, 1e11)
    )
    h = [scheme["step"] / scheme["substeps"] for scheme in (soft, stiff)]
    assert h[0] / h[1] == pytest.approx(10, rel=0.1)


def test_tighter_and_faster_cost_more(scree, write):
    path = write(BASE)
    loose, tight = (plan(scree, path, "--speed", 0.1, "--tolerance", e) for e in (0.05, 0.001))
    for scheme in ("substeps", "ndem"):
        assert tight[scheme]["cost"] > 2 * loose[scheme]["cost"]
    assert tight["smooth"]["cost"] == loose["smooth"]["cost"]
    fast = plan(scree, path, "--speed", 5, "--tolerance", 0.05)
    assert fast["ndem"]["step"] == pytest.approx(0.05 * fast["diameter"] / 5, rel=1e-6)
    assert fast["substeps"]["substeps"] <= 100


def test_the_fall_of_a_fill_gives_the_speed(scree, write):
    text = mutate('min="-0.05 -0.05 0" max="0.05 0.05 0.2"', 'min="-0.05 -0.05 1" max="0.05 0.05 1.2"')
    assert math.sqrt(2 * G * 1) < plan(scree, write(text))["speed"] < math.sqrt(2 * G * 1.2)
    # the floor half a metre lower, and the whole turned by a quarter about x: gravity along +y
    turned = text.replace('body id="floor"', 'body id="floor" position="0 0.5 0" rotation="1.5707963 0 0"')
    turned = turned.replace('gravity="0 0 -9.81"', 'gravity="0 9.81 0"')
    turned = turned.replace('min="-0.05 -0.05 1" max="0.05 0.05 1.2"', 'min="-0.05 -0.2 -0.05" max="0.05 0 0.05"')
    assert math.sqrt(2 * G * 0.5) < plan(scree, write(turned))["speed"] < math.sqrt(2 * G * 0.7)


def test_once_the_grains_lie(scree, write):
    path = write(mutate('min="-0.05 -0.05 0" max="0.05 0.05 0.2"', 'min="-0.05 -0.05 1" max="0.05 0.05 1.2"'))
    falling, still = plan(scree, path), plan(scree, path, "--speed", 0)
    assert "lying" not in still
    assert falling["lying"]["step"] == pytest.approx(still["substeps"]["step"])
    assert falling["lying"]["substeps"] == still["substeps"]["substeps"] < falling["substeps"]["substeps"]
    assert f'once they lie: frame="{falling["lying"]["step"]:.4g}"' in scree("plan", path).stdout


def test_weightless(scree, write):
    got = plan(scree, write(mutate('gravity="0 0 -9.81"', 'gravity="0 0 0"')))
    assert got["ndem"]["step"] == 0.01 and got["substeps"]["substeps"] == 4


def test_table_and_its_recommendation(scree, write):
    path = write(BASE)
    result = scree("plan", path)
    assert result.returncode == 0, result.stderr
    for word in ("Scree, substeps", "NDEM", "smooth DEM", "eqs. 37, 38, 41", "core s per s", "ns", "--speed"):
        assert word in result.stdout
    solver = re.search(r"<solver .*/>", result.stdout).group()
    assert scree("check", write(mutate('<solver frame="0.005" substeps="5"/>', solver))).returncode == 0


def test_measured_times_are_times(scree, write):
    result = scree("plan", write(BASE), "--json")
    times = json.loads(result.stdout)["times"]
    # far from what any machine takes for 100 operations: 1 ns and 100 µs, also with sanitizers
    assert 1e-9 < times["sweep"] < 1e-4 and times["substep"] >= 0 and times["frame"] >= 0


@pytest.mark.parametrize(
    "options, words",
    [
        ([], ["which scene"]),
        (["--tolerance", "x", "scene.xml"], ["--tolerance", '"x"', "0.5"]),
        (["--tolerance", "0", "scene.xml"], ["--tolerance"]),
        (["--tolerance", "0.9", "scene.xml"], ["--tolerance"]),
        (["--speed", "-1", "scene.xml"], ["--speed"]),
        (["--inertial", "nan", "scene.xml"], ["--inertial"]),
        (["--speed"], ["--speed needs a value"]),
        (["--fast", "scene.xml"], ["--fast", "--paper-times"]),
        (["none.xml"], ["none.xml"]),
    ],
)
def test_bad_usage(scree, tmp_path, options, words):
    (tmp_path / "scene.xml").write_text(BASE, encoding="utf-8")
    result = scree("plan", *options, cwd=tmp_path)
    assert result.returncode == 2 and result.stdout == "" and result.stderr.count("\n") == 1
    assert all(word in result.stderr for word in words), result.stderr


def test_a_scene_without_grains(scree, write):
    text = re.sub(r"  <fill .*</fill>\n", "", BASE, flags=re.S)
    result = scree("plan", write(text))
    assert result.returncode == 2 and "no grains" in result.stderr
