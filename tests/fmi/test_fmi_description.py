"""modelDescription.xml and the package around it, as validators see them."""

import hashlib
import math
import pathlib
import zipfile
from html.parser import HTMLParser

import fmpy
import pytest
from fmpy.validation import validate_fmu
from lxml import etree

from master import SMALL, vector


def description_of(path):
    return etree.fromstring(zipfile.ZipFile(path).read("modelDescription.xml"))


def test_validators_find_nothing(any_path):
    assert validate_fmu(str(any_path)) == []


def test_schema(any_path):
    schema = pathlib.Path(fmpy.__file__).parent / "schema" / "fmi2" / "fmi2ModelDescription.xsd"
    etree.XMLSchema(etree.parse(str(schema))).assertValid(description_of(any_path))


def test_names(small):
    for name in (vector("gravity") + ["solver.substeps", "solver.frame", "material.rock.density",
                                      "pair.rock.steel.friction", "fill.bed.count", "fill.bed.seed"]):
        assert name in small.parameters
    assert small.inputs == (vector("plate.position") + vector("plate.orientation", 4) + vector("plate.velocity") +
                            vector("plate.angularVelocity"))
    items = ("force", "torque", "instantForce", "instantTorque", "filteredForce", "filteredTorque")
    wrench = [name for port in ("plate", "floor", "walls") for item in items for name in vector(f"{port}.{item}")]
    info = (["info.particles", "info.contacts", "info.mass"] + vector("info.momentum") + vector("info.center") +
            ["info.kineticEnergy", "info.meanOverlap", "info.maxOverlap"])
    assert small.outputs[:len(wrench)] == wrench
    assert small.outputs[len(wrench):][:len(info)] == info


def test_starts_and_ranges(small):
    start = {name: small.variables[name].start for name in small.parameters + small.inputs}
    assert start["gravity[3]"] == "-9.81"
    assert start["solver.substeps"] == "10"  # a default: the scene has no solver element
    assert start["material.steel.poisson"] == "0.3"
    half = 0.25  # the blade is turned by 0.5 rad about z
    assert [float(start[n]) for n in vector("plate.orientation", 4)] == pytest.approx(
        [math.cos(half), 0, 0, math.sin(half)], rel=1e-15)
    assert [float(start[n]) for n in vector("plate.position")] == [0, 0, 0.5]
    for name in small.parameters:
        variable = small.variables[name]
        if variable.type == "String":
            assert variable.start == "" and variable.variability == "fixed"
            continue
        assert float(variable.min) <= float(variable.start) <= float(variable.max), name
    assert small.variables["fill.bed.seed"].max == "2147483647"


def test_every_variable_is_described(small):
    for variable in small.variables.values():
        assert variable.description
        assert (variable.start is None) == (variable.causality == "output")


@pytest.mark.parametrize("name, unit, display", [
    ("plate.position[1]", "m", "mm"), ("plate.angularVelocity[3]", "rad/s", "deg/s"), ("floor.force[3]", "N", "kN"),
    ("floor.torque[1]", "N.m", "kN.m"), ("material.rock.youngs", "Pa", "MPa"), ("gravity[1]", "m/s2", None),
    ("info.momentum[1]", "kg.m/s", None), ("info.mass", "kg", "t"), ("pair.rock.rock.friction", None, None)])
def test_units(small, name, unit, display):
    assert small.variables[name].unit == unit
    assert small.variables[name].displayUnit == display


def test_structure_declares_no_false_loops(small):
    """Outputs follow from the step taken; at the start only the grains are not zero, and they are put around bodies."""
    assert all(unknown.dependencies == [] for unknown in small.description.outputs)
    initial = {u.variable.name: {d.name for d in u.dependencies} for u in small.description.initialUnknowns}
    assert initial["floor.force[3]"] == set()
    fill = {f"fill.bed.{name}" for name in ("count", "seed", "mass")}
    pose = {*vector("plate.position"), *vector("plate.orientation", 4)}
    assert initial["info.mass"] == {"material.rock.density", "material.steel.density"} | fill | pose
    for unknown in small.description.initialUnknowns:
        assert len(unknown.dependenciesKind or []) == len(unknown.dependencies)


def test_flags_are_honest(small):
    flags = small.description.coSimulation
    assert flags.canHandleVariableCommunicationStepSize
    assert flags.canGetAndSetFMUstate and flags.canSerializeFMUstate
    assert flags.canInterpolateInputs and flags.maxOutputDerivativeOrder == 1
    assert flags.providesDirectionalDerivative and not flags.canBeInstantiatedOnlyOncePerProcess


def test_packing_is_deterministic(command, small_path, tmp_path):
    command("pack", SMALL, "-o", tmp_path / "again.fmu")
    digests = {hashlib.sha256(path.read_bytes()).hexdigest() for path in (small_path, tmp_path / "again.fmu")}
    assert len(digests) == 1


def test_guid_follows_content(command, small, tmp_path):
    scene = SMALL.read_text()
    guids = {small.guid}
    for number, (old, new) in enumerate([('seed="7"', 'seed="8"'), ("0.06 0 0", "0.061 0 0"), ("300 ×", "301 ×")]):
        assert old in scene
        (tmp_path / "changed.xml").write_text(scene.replace(old, new))
        command("pack", tmp_path / "changed.xml", "-o", tmp_path / f"{number}.fmu")
        guids.add(description_of(tmp_path / f"{number}.fmu").get("guid"))
    assert len(guids) == 4


def test_text_is_escaped(small_path):
    text = "A few grains & a plate, at most <1 s \"wall time\" — 300 × 20 mm"
    assert description_of(small_path).get("description") == text
    page = zipfile.ZipFile(small_path).read("documentation/index.html").decode()

    class Reader(HTMLParser):
        stack, words = [], ""

        def handle_starttag(self, tag, attributes):
            if tag != "meta":
                self.stack.append(tag)

        def handle_endtag(self, tag):
            assert self.stack.pop() == tag

        def handle_data(self, data):
            self.words += data

    reader = Reader()
    reader.feed(page)
    assert reader.stack == []
    assert text in reader.words and "plate.angularVelocity[3]" in reader.words and "pair.rock.steel.friction" in page
