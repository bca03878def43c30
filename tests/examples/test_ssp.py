"""SSP packages: two FMUs, one that falls freely and one whose plate follows it."""

import zipfile

import numpy
import pytest
import ssp
from fmpy.ssp.ssd import read_ssd

HEAD = """<scene version="1" name="{name}" gravity="0 0 -9.81"><experiment stop="1" step="0.01"/>
  <material id="steel" density="7850" youngs="1e9"/><pair a="steel" b="steel" friction="0.3"/>"""
FALLING = HEAD + """<body id="ball" material="steel" kind="dynamic" mass="4" inertia="1 1 1"><sphere radius="0.05"/></body>
  <port id="ball" body="ball" mode="force"/></scene>"""
FOLLOWING = HEAD + """<body id="plate" material="steel" kind="driven"><box size="1 1 0.1" position="0 0 -0.05"/></body>
  <grain material="steel" diameter="0.1" position="0 0 0.05"/>
  <port id="plate" body="plate"/></scene>"""


@pytest.fixture(scope="module")
def fmus(scree, tmp_path_factory):
    folder = tmp_path_factory.mktemp("ssp")
    for name, text in (("falling", FALLING), ("following", FOLLOWING)):
        (folder / f"{name}.xml").write_text(text.format(name=name))
        done = scree("pack", folder / f"{name}.xml", "-o", folder / f"{name}.fmu")
        assert done.returncode == 0, done.stderr
    return {name: folder / f"{name}.fmu" for name in ("falling", "following")}


def wiring():
    lines = []
    for what, count in (("position", 3), ("orientation", 4), ("velocity", 3), ("angularVelocity", 3)):
        lines += ssp.wires("falling", f"ball.{what}", "following", f"plate.{what}", count)
    return lines


def write(path, fmus, **more):
    arguments = dict(components=fmus, connections=wiring(), parameters={"falling": {"gravity[3]": -1.0, "solver.threads": 1}},
                     outputs=[("falling", "ball.position[3]"), ("following", "plate.force[3]")], stop=0.5, step=0.01)
    return ssp.write(path, "pair", **{**arguments, **more})


def test_package_reads_back_and_runs(fmus, tmp_path):
    path = write(tmp_path / "pair.ssp", fmus)
    system = read_ssd(str(path)).system
    assert [c.name for c in system.elements] == ["falling", "following"]
    assert {p.name: float(p.value) for p in system.parameterBindings[0].parameterValues[0].parameters} == {
        "falling.gravity[3]": -1.0, "falling.solver.threads": 1.0}
    rows = ssp.simulate(path)
    assert len(rows["time"]) == 50
    # gravity is that of the parameter file; symplectic substeps of 0.5 ms are off by g t h/2
    assert rows["falling.ball.position[3]"][-1] == pytest.approx(-0.5 * 0.5**2, abs=0.5 * 0.5e-3)
    # the plate with a grain on it sinks as the ball falls: weight 9.81 m less 1 m; the start and its rattle left out
    mass = 7850 * numpy.pi / 6 * 0.1**3
    assert rows["following.plate.force[3]"][10:].mean() == pytest.approx(-8.81 * mass, rel=1e-3)


def test_same_bytes(fmus, tmp_path):
    assert write(tmp_path / "a.ssp", fmus).read_bytes() == write(tmp_path / "b.ssp", fmus).read_bytes()
    assert zipfile.ZipFile(tmp_path / "a.ssp").namelist()[:2] == ["SystemStructure.ssd", "resources/pair.ssv"]


@pytest.mark.parametrize("change, text", [
    (dict(connections=[("falling", "ball.speed", "following", "plate.velocity[1]")]), "has no variable 'ball.speed'"),
    (dict(connections=[("falling", "ball.position[1]", "following", "plate.velocity[1]")]), "is Real m, following.plate.velocity"),
    (dict(connections=[("following", "plate.velocity[1]", "falling", "ball.appliedForce[1]")]), "must be output"),
    (dict(connections=2 * [("falling", "ball.velocity[1]", "following", "plate.velocity[1]")]), "connected twice"),
    (dict(parameters={"falling": {"ball.velocity[1]": 1.0}}), "must be parameter"),
    (dict(outputs=[("rising", "x")]), "no component 'rising'"),
])
def test_what_does_not_fit_is_named(fmus, tmp_path, change, text):
    with pytest.raises(ValueError, match=text.replace("[", r"\[").replace("(", r"\(")):
        write(tmp_path / "bad.ssp", fmus, **change)
