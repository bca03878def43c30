"""Every scene of the examples packs into an FMU, and its script finds what it needs: examples never rot."""

import importlib.util
import pathlib
import subprocess
import sys
import zipfile

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCENES = sorted(path.relative_to(ROOT) for path in ROOT.glob("examples/*/*.xml") if "<scene" in path.read_text(encoding="utf-8"))
SCRIPTS = sorted(path.relative_to(ROOT) for path in ROOT.glob("examples/*/run.py"))


def test_examples_are_found():
    assert {"rotating_drum", "silo_discharge", "angle_of_repose", "bucket_dig", "excavator"} <= {path.parent.name for path in SCENES}


@pytest.mark.parametrize("scene", SCENES, ids=str)
def test_scene_packs(scree, tmp_path, scene):
    fmu = tmp_path / "scene.fmu"
    result = scree("pack", ROOT / scene, "-o", fmu)
    assert result.returncode == 0, result.stderr
    with zipfile.ZipFile(fmu) as archive:
        assert {"modelDescription.xml", "resources/scene.bin"} <= set(archive.namelist())


@pytest.mark.parametrize("script", SCRIPTS, ids=str)
def test_script_explains_itself(script):
    """It imports all it needs, and --help tells what it is for."""
    result = subprocess.run([sys.executable, ROOT / script, "--help"], capture_output=True, text=True, timeout=60)
    assert result.returncode == 0, result.stderr
    assert "--scree" in result.stdout and "--out" in result.stdout


def test_scripts_name_variables_that_exist(scree):
    """Inputs that the bucket's script writes are those of its FMU, all of them."""
    spec = importlib.util.spec_from_file_location("bucket_dig", ROOT / "examples/bucket_dig/run.py")
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    motion = script.motion_of(script.np.arange(11) * script.STEP, 0.0)
    listed = scree("check", ROOT / "examples/bucket_dig/scene.xml", "--variables").stdout.splitlines()
    assert set(motion) == {line.split()[0] for line in listed if " input " in line}
