"""The material library: every entry works in a scene, has its sources, and what is written beside it wins."""

import json
import pathlib

import pytest
from lxml import etree
from scenes import BASE, mutate, position

ROOT = pathlib.Path(__file__).resolve().parents[2]
PLAIN = '<material id="rock" density="2500" youngs="1e7"/>'
PAIR = '<pair a="rock" b="rock" friction="0.5"/>'


@pytest.fixture(scope="module")
def library(scree):
    entries = [json.loads(line) for line in scree("materials", "--json").stdout.splitlines()]
    return {element: {e["name"]: e for e in entries if e["element"] == element} for element in ("material", "pair")}


def parameters(scree, tmp_path, text):
    scene = tmp_path / "scene.xml"
    scene.write_text(text, encoding="utf-8")
    result = scree("check", scene, "--json")
    assert result.returncode == 0, result.stderr
    schema = etree.XMLSchema(etree.parse(str(ROOT / "resources/scene.xsd")))
    assert schema.validate(etree.fromstring(text.encode())), schema.error_log
    return {v["name"]: v.get("start") for v in json.loads(result.stdout)["variables"]}


def test_library_has_what_machines_meet(library):
    assert {"green_pellets", "glass_beads", "gravel", "sand", "soil", "steel", "rubber"} == set(library["material"])
    grains = [name for name in library["material"] if name not in ("steel", "rubber")]
    assert set(library["pair"]) == {f"{a}-{b}" for a in grains for b in (a, "steel", "rubber")}


def test_every_value_has_a_source(library):
    for entry in (*library["material"].values(), *library["pair"].values()):
        assert entry["values"] and set(entry["values"]) == set(entry["sources"])
        for source in entry["sources"].values():
            assert len(source) > 5, entry


def test_page_is_current(scree):
    assert scree("materials", "--markdown").stdout == (ROOT / "docs/materials.md").read_text(encoding="utf-8")


def test_published_values(library):
    """Paper III, Table 1; Wang and Servin 2013, slide 11."""
    pellets, pair = library["material"]["green_pellets"]["values"], library["pair"]["green_pellets-green_pellets"]["values"]
    assert (pellets["density"], pellets["youngs"]) == (3700, 6.2e6)
    assert (pair["friction"], pair["rolling"], pair["restitution"]) == (0.91, 0.32, 0.18)
    beads, pair = library["material"]["glass_beads"]["values"], library["pair"]["glass_beads-glass_beads"]["values"]
    assert (beads["density"], beads["youngs"]) == (2530, 4.1e10)
    assert (pair["friction"], pair["restitution"]) == (0.24, 0.79)


def test_every_entry_makes_a_scene(scree, library, tmp_path):
    for name, entry in library["material"].items():
        text = mutate(PLAIN, f'<material id="rock" library="{name}"/>')
        got = parameters(scree, tmp_path, text)
        for field, value in entry["values"].items():
            assert got[f"material.rock.{field}"] == value
    for name, entry in library["pair"].items():
        for spelling in (name, "-".join(reversed(name.split("-")))):
            got = parameters(scree, tmp_path, mutate(PAIR, f'<pair a="rock" b="rock" library="{spelling}"/>'))
            for field, value in entry["values"].items():
                assert got[f"pair.rock.rock.{field}"] == value


@pytest.mark.parametrize("text", ['density="1234" library="gravel"', 'library="gravel" density="1234"'])
def test_own_values_win(scree, library, tmp_path, text):
    got = parameters(scree, tmp_path, mutate(PLAIN, f'<material id="rock" {text}/>'))
    assert got["material.rock.density"] == 1234
    assert got["material.rock.youngs"] == library["material"]["gravel"]["values"]["youngs"]


@pytest.mark.parametrize("name, allowed", [("granite", "allowed: green_pellets, glass_beads, gravel"), ("", "allowed: green_pellets")])
def test_unknown_material(scree, tmp_path, name, allowed):
    text = mutate(PLAIN, f'<material id="rock" library="{name}"/>')
    scene = tmp_path / "scene.xml"
    scene.write_text(text, encoding="utf-8")
    result = scree("check", scene)
    assert result.returncode == 2
    assert result.stderr.startswith(f"{scene}:{position(text, 'library=')}: material: library = \"{name}\"")
    assert allowed in result.stderr


def test_unknown_pair(scree, tmp_path):
    text = mutate(PAIR, '<pair a="rock" b="rock" library="gravel"/>')
    scene = tmp_path / "scene.xml"
    scene.write_text(text, encoding="utf-8")
    result = scree("check", scene)
    assert result.returncode == 2 and f":{position(text, 'library=')}: pair:" in result.stderr
    assert "gravel-gravel" in result.stderr


def test_list(scree):
    assert "friction     0.49" in scree("materials", "steel-gravel").stdout
    result = scree("materials", "granite")
    assert result.returncode == 2 and "there are: green_pellets" in result.stderr
