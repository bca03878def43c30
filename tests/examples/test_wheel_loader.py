"""The wheel loader: its operator against the mechanism of its scene, and its package."""

import importlib.util
import pathlib

import pytest
import ssp
from fmpy.validation import validate_fmu

HERE = pathlib.Path(__file__).resolve().parents[2] / "examples" / "wheel_loader"


def load(name):
    spec = importlib.util.spec_from_file_location(f"wheel_loader_{name}", HERE / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


wheel_loader, make_scene = load("run"), load("make_scene")


@pytest.fixture(scope="module")
def built(scree, tmp_path_factory):
    """With grains twice as large, so that it takes seconds."""
    folder = tmp_path_factory.mktemp("wheel_loader")
    make_scene.write(folder, 0.2)
    return wheel_loader.build(scree.program, folder, folder / "scene.xml")


def test_operator_is_a_valid_fmu(built):
    assert validate_fmu(str(built[1])) == []


def test_scene_is_what_make_scene_writes(scree, tmp_path):
    make_scene.write(tmp_path, 0.09)
    for name in ("scene.xml", "bucket.obj"):
        assert (HERE / name).read_text() == (tmp_path / name).read_text()
    assert scree("check", HERE / "scene.xml").returncode == 0


def test_operator_knows_the_linkage(built):
    """Its first strokes are those that Scree measures in the scene, and its cycle ends where it should."""
    loader, operator = ssp.Instance(built[0], "loader"), ssp.Instance(built[1], "operator")
    for part in (loader, operator):
        part.start()
        part.started()
    assert operator.get(["lift.position", "tilt.position"]) == pytest.approx(loader.get(["lift.position", "tilt.position"]), abs=1e-8)
    assert loader.get(["drive.position"]) == [0.0]
    operator.step(0.0, 8.0)
    operator.step(8.0, 0.1)
    end = make_scene.at(make_scene.PIN, 0.0, make_scene.ARM, 0.0)
    eyes = make_scene.LIFT[0], make_scene.at(make_scene.PIN, 0.0, *make_scene.LIFT[1])
    lift = ((eyes[1][0] - eyes[0][0]) ** 2 + (eyes[1][1] - eyes[0][1]) ** 2) ** 0.5
    ear, foot = make_scene.at(end, 0.8, *make_scene.TILT[1]), make_scene.at(make_scene.PIN, 0.0, *make_scene.TILT[0])
    tilt = ((ear[0] - foot[0]) ** 2 + (ear[1] - foot[1]) ** 2) ** 0.5
    assert operator.get(["lift.position", "tilt.position", "lift.speed", "tilt.speed"]) == pytest.approx([lift, tilt, 0.0, 0.0], abs=1e-12)
    loader.close()
    operator.close()


def test_package_runs(built):
    """Before it meets the pile: traction is the moved mass times the acceleration of 1.25 m/s2."""
    rows = ssp.simulate(built[2], until=0.3, watch=[("loader", "drive.force"), ("loader", "payload.mass")])
    # the joints take a step to load, and the lift's reaction jolts the vehicle: mean over the rest, within 2 %
    assert rows["loader.drive.force"][20:].mean() == pytest.approx(8300.0 * 1.25, rel=0.02)
    assert rows["loader.payload.mass"][-1] == 0.0
