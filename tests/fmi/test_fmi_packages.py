"""What a package holds beside modelDescription.xml: binaries of other platforms, sources, terminals; and several
instances at once in threads, also under ThreadSanitizer."""

import os
import pathlib
import re
import shutil
import subprocess
import zipfile

import fmpy
import numpy as np
import pytest
from fmpy.build import build_platform_binary
from fmpy.validation import validate_fmu
from lxml import etree

from master import SMALL, Fmu, vector

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("SCREE", ROOT / "build/release/bin/scree")).resolve().parents[1]
SCHEMAS = pathlib.Path(fmpy.__file__).parent / "schema"
WINE = next((path for path in (shutil.which("wine64"), "/usr/lib/wine/wine64", shutil.which("wine"))
             if path and os.path.exists(path)), None)


def variant(name, file):
    """A file of another variant of the FMU, when it was built from the present sources."""
    path, sources = BUILD / "lib" / "scree" / name / file, BUILD / "share" / "scree" / "sources" / "files.txt"
    return path if path.exists() and path.stat().st_mtime >= sources.stat().st_mtime else None


windows = pytest.mark.skipif(not variant("win64", "scree.dll"), reason="win64 is not built: make build, with mingw-w64")


def validate(xml, schema):
    etree.XMLSchema(etree.parse(str(SCHEMAS / "fmi3" / schema))).assertValid(etree.fromstring(xml))
    return etree.fromstring(xml)


# ---- layout

def test_names_in_the_archive(any_path):
    names = zipfile.ZipFile(any_path).namelist()
    assert len(set(names)) == len(names) and not any("\\" in name or name.startswith("/") for name in names)
    for name in ("modelDescription.xml", "resources/scene.bin", "documentation/index.html", "model.png",
                 "documentation/licenses/license.txt", "terminalsAndIcons/terminalsAndIcons.xml",
                 "terminalsAndIcons/icon.png"):
        assert name in names
    assert not any(name.startswith("sources/") for name in names)


def test_terminals(small_path, small):
    """A terminal for every port, with all its variables; each variable of a port in exactly one."""
    root = validate(zipfile.ZipFile(small_path).read("terminalsAndIcons/terminalsAndIcons.xml"),
                    "fmi3TerminalsAndIcons.xsd")
    terminals = {t.get("name"): [m.get("variableName") for m in t] for t in root.iter("Terminal")}
    assert list(terminals) == ["plate", "floor", "walls"]
    assert terminals["plate"][:3] == vector("plate.position") and "plate.filteredTorque[3]" in terminals["plate"]
    for name, variables in terminals.items():
        assert variables == [v for v in small.inputs + small.outputs if v.startswith(name + ".")]
    assert [m.get("memberName") for m in root.iter("TerminalMemberVariable")][0] == "position[1]"


def test_direct_feedthrough(command, tmp_path, small):
    """For masters with an interface Jacobian: wrenches depend on the twist of their port, and on nothing else."""
    command("pack", SMALL, "-o", tmp_path / "direct.fmu", "--direct-feedthrough")
    assert validate_fmu(str(tmp_path / "direct.fmu")) == []
    fmu = Fmu(tmp_path / "direct.fmu", tmp_path / "unpacked")
    assert fmu.guid == small.guid
    twist = vector("plate.velocity") + vector("plate.angularVelocity")
    for unknown in fmu.description.outputs:
        wanted = twist if re.match(r"plate\..*([fF]orce|[tT]orque)", unknown.variable.name) else []
        assert [v.name for v in unknown.dependencies] == wanted, unknown.variable.name
        assert (unknown.dependenciesKind or []) == ["dependent"] * len(wanted)
    assert all(unknown.dependencies == [] for unknown in small.description.outputs)


# ---- sources

@pytest.fixture(scope="module")
def sources(command, tmp_path_factory):
    folder = tmp_path_factory.mktemp("sources")
    command("pack", SMALL, "-o", folder / "small.fmu", "--sources")
    return folder / "small.fmu"


def test_sources_are_described(sources):
    assert validate_fmu(str(sources)) == []
    archive = zipfile.ZipFile(sources)
    schema = etree.XMLSchema(etree.parse(str(SCHEMAS / "fmi2" / "fmi2ModelDescription.xsd")))
    description = etree.fromstring(archive.read("modelDescription.xml"))
    schema.assertValid(description)
    listed = [file.get("name") for file in description.iter("File")]
    build = validate(archive.read("sources/buildDescription.xml"), "fmi3BuildDescription.xsd")
    assert [file.get("name") for file in build.iter("SourceFile")] == listed == sorted(listed)
    packed = {name[len("sources/"):] for name in archive.namelist() if name.startswith("sources/")}
    assert {name for name in packed if name.endswith(".c")} == set(listed) and len(listed) > 30


@pytest.mark.long
def test_sources_compile_to_the_same(sources, small_path, tmp_path):
    """FMPy's build of the sources alone gives the same bits, although it is neither optimised nor told how to round:
    without fused operations, which this processor's default has not, C rounds one way only."""
    folder = pathlib.Path(fmpy.extract(str(sources), unzipdir=str(tmp_path / "unpacked")))
    shutil.rmtree(folder / "binaries")
    os.environ.setdefault("CMAKE_BUILD_PARALLEL_LEVEL", "2")
    build_platform_binary(folder, configuration="Debug")
    ready, compiled = (fmpy.simulate_fmu(str(path), stop_time=0.15) for path in (small_path, folder))
    assert len(ready) > 25
    for name in ready.dtype.names:
        assert np.array_equal(ready[name], compiled[name]), name


# ---- threads and other platforms

def arguments(fmu, location, steps=40):
    """For fmu-run: the plate goes into the falling grains, with an acceleration."""
    reference = {name: str(v.valueReference) for name, v in fmu.variables.items()}
    words = [fmu.guid, location, str(steps), "0.005"]
    for name, value in (("plate.position[3]", 0.1), ("plate.velocity[3]", -0.5), ("plate.velocity[1]", 0.2)):
        words += ["set", reference[name], repr(value)]
    words += ["rate", reference["plate.velocity[3]"], "3.0"]
    for name in vector("plate.force") + vector("floor.force") + vector("floor.filteredTorque") + ["info.kineticEnergy"]:
        words += ["get", reference[name]]
    return words


def run(program, *words, **options):
    done = subprocess.run([str(program), *map(str, words)], capture_output=True, text=True, timeout=300, **options)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def alone(small):
    return run(BUILD / "lib/scree/linux64/fmu-run", 1, small.binary, *arguments(small, small.location))


@pytest.mark.parametrize("kind", ["linux64", "tsan"])
def test_instances_in_threads(small, alone, kind):
    """Three instances at once, each with threads of its own, give the bits of one alone; ThreadSanitizer finds nothing,
    it would end the program."""
    if kind == "tsan" and not variant(kind, "scree.so"):
        pytest.skip(f"{kind} is not built: cmake --build --preset release --target {kind}")
    library = small.binary if kind == "linux64" else variant(kind, "scree.so")
    program = BUILD / "lib" / "scree" / kind / "fmu-run"
    assert run(program, 3, library, *arguments(small, small.location)) == alone
    assert np.array([float.fromhex(word) for word in alone.split()]).any()


@windows
def test_windows_library():
    dll = variant("win64", "scree.dll")
    text = subprocess.run(["x86_64-w64-mingw32-objdump", "-p", str(dll)], capture_output=True, text=True, check=True).stdout
    assert {name.lower() for name in re.findall(r"DLL Name: (\S+)", text)} <= {"kernel32.dll", "msvcrt.dll"}
    header = (pathlib.Path(fmpy.__file__).parent / "c-code" / "fmi2Functions.h").read_text()
    table = text[text.index("[Ordinal/Name Pointer] Table"):].split("\n\n")[0]
    assert set(re.findall(r"\[ *\d+\] (\S+)", table)) == set(re.findall(r"FMI2_Export \w+\s+(fmi2\w+);", header))


@windows
def test_windows_library_is_packed(small_path):
    assert zipfile.ZipFile(small_path).read("binaries/win64/small.dll") == variant("win64", "scree.dll").read_bytes()


@windows
@pytest.mark.skipif(not WINE, reason="wine is not installed")
def test_windows_results(small, alone):
    """Under wine, with a path that has a blank and an umlaut. Its mathematical library may round otherwise in the last
    bit, which the grains make larger: 1e-9 of the largest value in the first 20 steps."""
    place = small.folder / "resources"
    other = small.folder / "a b ä"
    shutil.copytree(place, other, dirs_exist_ok=True)
    location = "file:///Z:" + other.as_uri()[len("file://"):]
    environment = {**os.environ, "WINEPREFIX": str(BUILD / "wine"), "WINEDEBUG": "-all"}
    text = run(WINE, variant("win64", "fmu-run.exe"), 2, variant("win64", "scree.dll"), *arguments(small, location),
               env=environment)
    linux, win = (np.array([[float.fromhex(w) for w in line.split()] for line in lines.splitlines()])
                  for lines in (alone, text))
    print("same bits for", next((n for n, (a, b) in enumerate(zip(linux, win)) if (a != b).any()), len(linux)), "steps")
    assert win.shape == linux.shape and np.isfinite(win).all()
    assert (np.abs(win - linux)[:20] <= 1e-9 * np.abs(linux).max(axis=0)).all()
