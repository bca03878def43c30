"""Mistakes in scene files: exit 2, one line with file, line, column, what is wrong and what is allowed, nothing written."""

import re

import pytest
from lxml import etree
from scenes import BASE, mutate, position

# name: (text to replace, its replacement, where the complaint must point to in the mutated scene, words it must hold)
MISTAKES = {
    "cut off": ('  <port id="floor" body="floor" mode="wrench"/>\n</scene>\n', "", None, ["not XML", "no element found"]),
    "tag closed by another": ("</fill>", "</fil>", "fil>", ["not XML", "mismatched tag"]),
    "attribute twice": ('stop="0.1"', 'stop="0.1" stop="0.2"', 'stop="0.2"', ["not XML", "duplicate attribute"]),
    "attribute without quotes": ('stop="0.1"', "stop=0.1", "0.1 step", ["not XML"]),
    "unknown entity": ('name="small"', 'name="&small;"', "<scene", ["not XML", "undefined entity"]),
    "something behind": ("</scene>\n", "</scene>\n<more/>", "<more/>", ["not XML", "junk after document element"]),
    "doctype": ("<!-- a", '<!DOCTYPE scene [<!ENTITY a "b">]>\n<!-- a', "<!DOCTYPE", ["DOCTYPE", "not allowed"]),
    "other encoding": ('encoding="UTF-8"', 'encoding="ISO-8859-1"', "<?xml", ["ISO-8859-1", "UTF-8"]),
    "other root": (BASE[BASE.index("<scene"):], "<world/>\n", "<world/>", ["world", "allowed: scene"]),
    "no version": ('version="1" name', "name", "<scene", ["version is missing", "allowed: 1"]),
    "wrong version": ('version="1" name', 'version="7" name', 'version="7"', ['"7"', "reads version 1"]),
    "unknown element": ("<solver", "<sölver/><solver", "<sölver", ["sölver", "allowed in scene: experiment, solver"]),
    "unknown inner element": ("<plane", "<pyramid/><plane", "<pyramid/>", ["pyramid", "allowed in body: plane, box"]),
    "element in a leaf": ("<plane normal=\"0 0 1\"/>", "<plane normal=\"0 0 1\"><box/></plane>", "<box/>",
                          ["belongs inside body", "allowed in plane: none"]),
    "element in the wrong place": ("<solver", '<size diameter="1"/><solver', '<size diameter="1"', ["belongs inside fill"]),
    "scene in a scene": ("<solver", '<scene version="1"/><solver', '<scene version="1"/>', ["outermost"]),
    "solver twice": ("<material id=\"rock\"", '<solver sweeps="2"/><material id="rock"', '<solver sweeps', ["at most one"]),
    "unknown attribute": ('friction="0.5"', 'friction="0.5" colour="red"', "colour", ['"colour"', "allowed: a, b, law"]),
    "unknown attribute of the scene": ('name="small"', 'nam="small"', "nam=", ["nam", "allowed: name, description, gravity"]),
    "namespace inside": ("<plane ", '<plane xmlns="u" ', "xmlns", ["xmlns", "allowed: position, normal"]),
    "missing with unit": (' youngs="1e7"', "", '<material id="rock"', ["youngs is missing", "Pa", "1000 to 1e+13"]),
    "missing vector": (' gravity="0 0 -9.81"', "", "<scene", ["gravity is missing", "three numbers", "m/s2"]),
    "missing reference": (' body="floor" mode', " mode", '<port id="floor"', ["body is missing"]),
    "missing id": ('id="bed" ', "", '<fill', ["id is missing"]),
    "not a number": ('density="2500"', 'density="heavy"', 'density="heavy"', ["heavy", "one number", "kg/m3"]),
    "unit after a number": ('density="2500"', 'density="2500 kg"', 'density="2500 kg"', ["one number", "kg/m3"]),
    "decimal comma": ('stop="0.1"', 'stop="0,1"', 'stop="0,1"', ["0,1", "one number"]),
    "nan": ('density="2500"', 'density="nan"', 'density="nan"', ["nan", "one number"]),
    "infinite": ('youngs="1e7"', 'youngs="1e999"', 'youngs="1e999"', ["out of range"]),
    "two numbers of three": ('normal="0 0 1"', 'normal="0 1"', 'normal="0 1"', ["three numbers"]),
    "not a whole number": ('count="40"', 'count="40.5"', 'count="40.5"', ["whole number"]),
    "negative count": ('count="40"', 'count="-1"', 'count="-1"', ["out of range", "from 0"]),
    "out of range": ('friction="0.5"', 'friction="-0.5"', 'friction="-0.5"', ["-0.5", "from 0 to 10"]),
    "out of range on a later line": ('rolling="0.1"', 'rolling="11"', 'rolling="11"', ["11", "from 0 to 10"]),
    "not above a bound": ('stop="0.1"', 'stop="0"', 'stop="0"', ["above 0", " s"]),
    "unknown choice": ('mode="wrench"', 'mode="pull"', 'mode="pull"', ["pull", "allowed: motion, wrench"]),
    "no name": ('id="steel"', 'id="3 mm"', 'id="3 mm"', ["3 mm", "a letter or _"]),
    "name with a line break": ('id="steel"', 'id="st&#10;eel"', 'id="st&#10;eel"', ["no name"]),
    "long name": ('id="bed"', f'id="{"b" * 64}"', 'id="bbb', ["up to 63"]),
    "long text": ('"für Tests"', f'"{"ü" * 200}"', "description=", ["longer than 255 bytes"]),
    "duplicate id": ('id="steel"', 'id="rock"', 'id="rock" density="7850"', ['"rock"', "each needs its own"]),
    "dangling reference": ('material="rock" count', 'material="sand" count', 'material="sand"',
                           ["sand", "no material", "there are: rock, steel"]),
    "dangling body": ('body="plate"', 'body="Plate"', 'body="Plate"', ["no body", "there are: floor, plate"]),
    "pair missing": ('<pair a="rock" b="steel"', '<pair a="steel" b="steel"', 'material="steel">\n', ["no pair", "<pair"]),
    "pair twice": ("  <body id=\"floor\"", '  <pair b="rock" a="steel" friction="0"/>\n  <body id="floor"', 'a="steel" fr',
                   ["have a pair already"]),
    "linear without stiffness": ('friction="0.5"', 'friction="0.5" law="linear"', '<pair a="rock" b="rock"',
                                 ["stiffness above 0"]),
    "no size": ('    <size diameter="0.018" diameterMax="0.022"/>\n', "", "<fill", ['at least 1 element "size"']),
    "sizes swapped": ('diameterMax="0.022"', 'diameterMax="0.002"', "diameterMax", ["at least diameter"]),
    "region inside out": ('max="0.05 0.05 0.2"', 'max="0.05 0.05 -0.2"', 'max="0.05', ["max", "must be above"]),
    "plane without direction": ('normal="0 0 1"', 'normal="0 0 0"', "normal", ["no length"]),
    "flat box": ('size="0.1 0.02 0.1"', 'size="0.1 0 0.1"', 'size="0.1 0', ["above 0 m"]),
    "cone without width": ('<plane normal="0 0 1"/>', '<cone radius="0" radiusTop="0" length="1"/>', 'radius="0"',
                           ["both 0", "above 0 m"]),
    "hole wider than its disc": ('<plane normal="0 0 1"/>', '<disc radius="0.1" hole="0.1"/>', "hole", ["below radius"]),
    "solid or not": ('<plane normal="0 0 1"/>', '<cone radius="1" radiusTop="0" length="1" solid="yes"/>', "solid",
                     ["yes", "allowed: false, true"]),
    "bumps without height": ('<plane normal="0 0 1"/>', '<tube radius="1" length="1" bumps="9"/>', "<tube", ["bumpHeight = 0"]),
    "bumps without end": ('<plane normal="0 0 1"/>', '<tube radius="1" bumps="9" bumpHeight="0.1" bumpWidth="0.1"/>',
                          "<tube", ["a tube with a length"]),
    "too many bumps": ('<plane normal="0 0 1"/>', '<tube radius="1" length="1" bumps="9" bumpHeight="0.1" bumpWidth="1e-4"/>',
                       "bumpWidth", ["triangles; at most 4e+06"]),
    "motion of a static body": (' mode="wrench"', "", '<port id="floor"', ["driven", "wrench"]),
    "reserved name": ('<port id="floor"', '<port id="solver"', 'id="solver"', ["taken", "not allowed: info, profile, record"]),
    "dangling region": ("</scene>", '<regionSensor id="s" region="none"/></scene>', 'region="none"', ["no region"]),
    "sensor named as a port": ("</scene>", '<loadSensor id="plate" body="plate"/></scene>', 'id="plate" body="plate"/></sc',
                               ["earlier port"]),
    "sensor of another kind": ("</scene>", '<region id="r" size="1 1 1"/><regionSensor id="s" region="r"/><flowSensor id="s" normal="0 0 1"/></scene>',
                               'id="s" normal', ["flowSensor", "each needs its own"]),
    "emitter named as a port": ("</scene>", '<region id="r" size="1 1 1" position="0 0 9"/><emitter id="plate" material="rock" region="r" '
                                'massRate="1"><size diameter="0.02"/></emitter></scene>', 'id="plate" material="rock"', ["emitter", "earlier port"]),
    "sink named as an emitter": ("</scene>", '<region id="r" size="1 1 1" position="0 0 9"/><emitter id="e" material="rock" region="r" '
                                 'massRate="1"><size diameter="0.02"/></emitter><sink id="e" region="r"/></scene>', 'id="e" region',
                                 ["sink", "earlier emitter"]),
    "actuator named as a sensor": ("</scene>", '<loadSensor id="a" body="plate"/><body id="m" material="steel" kind="dynamic" mass="1" '
                                   'inertia="1 1 1" position="0 0 5"><sphere radius="0.1"/></body><joint id="j" b="m" position="0 0 5" '
                                   'axis="0 0 1"/><actuator id="a" joint="j"/></scene>', 'id="a" joint', ["actuator", "earlier loadSensor"]),
    "port named as parameters begin": ('<port id="floor"', '<port id="body"', 'id="body"', ["taken", "names of elements"]),
    "sensor named as the recording": ("</scene>", '<loadSensor id="record" body="plate"/></scene>', 'id="record"', ["taken"]),
    "optional reference without a name": ("</scene>", '<region id="r" body="" size="1 1 1"/></scene>', 'body=""', ["no name"]),
    "text": ("  <solver", "  hello\n  <solver", "hello", ["text inside scene", "attributes"]),
    "text in a leaf": ('<box size="0.1 0.02 0.1"/>', '<box size="0.1 0.02 0.1">7</box>', "7</box>", ["text inside box"]),
    "cdata": ("  <solver", "  <![CDATA[x]]>\n  <solver", "x]]>", ["text inside scene"]),
}


def check_refused(scree, scene, directory, prefix, words):
    target = directory / "out.fmu"
    csv = directory / "out.csv"
    before = sorted(directory.iterdir())
    for command in (["check", scene], ["pack", scene, "-o", target], ["run", scene, "--output", csv]):
        result = scree(*command)
        assert result.returncode == 2, result.stderr
        assert result.stdout == ""
        assert result.stderr.endswith("\n") and result.stderr.count("\n") == 1, result.stderr
        assert result.stderr.startswith(f"{scene}:{prefix}"), (result.stderr, prefix)
        for word in words:
            assert word in result.stderr
    assert sorted(directory.iterdir()) == before, "something was written"


@pytest.mark.parametrize("name", MISTAKES)
def test_mistake(scree, tmp_path, name):
    old, new, marker, words = MISTAKES[name]
    text = mutate(old, new)
    scene = tmp_path / "scene.xml"
    scene.write_text(text, encoding="utf-8")
    # without a marker the complaint is about the end of the file
    where = position(text, marker) if marker else f"{text.count(chr(10)) + 1}:1"
    check_refused(scree, scene, tmp_path, f"{where}: ", words)


@pytest.mark.parametrize(
    "content, where, words",
    [
        (b"", "1:1: ", ["empty", "allowed"]),
        (b"hello", "1:1: ", ["not XML", "scene"]),
        (b"\x00\x01\x02", "1:1: ", ["not XML"]),
        (BASE.encode("utf-16"), "1:1: ", ["UTF-16", "UTF-8"]),
        (BASE.replace("für", "f\xff").encode("latin-1", "replace"), "2:19: ", ["not XML", "invalid token"]),
        (b"<scene", "1:1: ", ["not XML"]),
        (BASE.replace("\n", "\r\n").replace('kind="driven"', 'kind="free"').encode(), "14:37: ", ["free", "static, driven"]),
        (b"\xef\xbb\xbf" + BASE.replace("<scene version", "<scene versio").replace('<?xml version="1.0" encoding="UTF-8"?>\n', "")
         .replace("<!-- a small bed; äöü: columns count characters -->\n", "").encode(), "1:1: ", ["version is missing"]),
    ],
    ids=["empty", "text", "binary", "utf-16", "broken utf-8", "cut tag", "crlf", "byte order mark"],
)
def test_content(scree, tmp_path, content, where, words):
    scene = tmp_path / "scene.xml"
    scene.write_bytes(content)
    check_refused(scree, scene, tmp_path, where, words)


def test_missing_file(scree, tmp_path):
    check_refused(scree, tmp_path / "none.xml", tmp_path, " ", ["cannot be read", "No such file"])


def test_directory(scree, tmp_path):
    (tmp_path / "folder").mkdir()
    check_refused(scree, tmp_path / "folder", tmp_path, " ", ["directory", "allowed: a file"])


def test_too_large(scree, tmp_path):
    scene = tmp_path / "scene.xml"
    with scene.open("wb") as file:
        file.truncate(64 * 1024 * 1024 + 1)
    check_refused(scree, scene, tmp_path, " ", ["too large", "64 MiB"])


def test_no_room(scree, tmp_path):
    scene = tmp_path / "scene.xml"
    scene.write_text(mutate('count="40"', 'count="4000"'), encoding="utf-8")
    check_refused(scree, scene, tmp_path, " ", ["fill bed", "the region takes"])


def test_deep_nesting(scree, tmp_path):
    scene = tmp_path / "scene.xml"
    scene.write_text("<scene version='1' name='a' gravity='0 0 0'>" + "<x>" * 100000, encoding="utf-8")
    check_refused(scree, scene, tmp_path, "1:45: ", ['no element "x"'])


def test_good(scree, tmp_path):
    scene = tmp_path / "scene.xml"
    scene.write_text(BASE, encoding="utf-8")
    result = scree("check", scene)
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.startswith("small: für Tests\n") and result.stdout.endswith("\nok\n")
    drawn = re.search(r"40 grains of rock, ([0-9.]+) to ([0-9.]+) mm", result.stdout)
    assert 18 <= float(drawn[1]) < 19 and 21 < float(drawn[2]) <= 22  # uniform from 18 to 22: 1 in 20 000 seeds misses


# ---- schema


@pytest.fixture(scope="module")
def schema(root):
    return etree.XMLSchema(etree.parse(str(root / "resources/scene.xsd")))


def test_schema_is_current(scree, root):
    assert scree("schema").stdout == (root / "resources/scene.xsd").read_text(encoding="utf-8")
    assert scree("schema", "--markdown").stdout == (root / "docs/scene_reference.md").read_text(encoding="utf-8")
    assert scree("schema", "--variables").stdout == (root / "docs/fmu_reference.md").read_text(encoding="utf-8"), (
        "to be made anew: scree schema --variables > docs/fmu_reference.md")


def test_schema_accepts(scree, root, schema):
    schema.assertValid(etree.fromstring(BASE.encode()))
    scenes = sorted(root.glob("examples/*/scene.xml"))
    assert scenes
    for scene in scenes:
        schema.assertValid(etree.parse(str(scene)))
        assert scree("check", scene).returncode == 0


@pytest.mark.parametrize(
    "name",
    ["no version", "wrong version", "unknown element", "element in the wrong place", "unknown attribute", "missing reference",
     "missing vector", "not a number", "two numbers of three", "not a whole number", "out of range", "not above a bound",
     "unknown choice", "no name", "duplicate id", "dangling reference", "dangling body", "dangling region", "text"],
)
def test_schema_refuses(schema, name):
    old, new, _, _ = MISTAKES[name]
    assert not schema.validate(etree.fromstring(mutate(old, new).encode()))
