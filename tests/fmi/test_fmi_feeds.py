"""Emitters and sinks as an importer sees them."""

import pytest
from fmpy.validation import validate_fmu

from master import HERE, OK, Fmu, Slave

NAMES = [f"{name}.{item}" for name in ("feed", "other") for item in ("mass", "count", "massFlow", "waiting")]
NAMES += [f"drain.{item}" for item in ("mass", "count", "massFlow")]


@pytest.fixture(scope="module")
def fmu(command, tmp_path_factory):
    folder = tmp_path_factory.mktemp("feeds")
    command("pack", HERE / "feeds.xml", "-o", folder / "feeds.fmu")
    assert validate_fmu(str(folder / "feeds.fmu")) == []
    return Fmu(folder / "feeds.fmu", folder / "unpacked")


def test_description(fmu):
    assert [name for name in fmu.outputs if name.split(".")[0] in ("feed", "other", "drain")] == NAMES
    inputs = [name for name, variable in fmu.variables.items() if variable.causality == "input"]
    assert inputs == ["feed.massRate"]
    assert fmu.variables["feed.massRate"].unit == "kg/s" and float(fmu.variables["feed.massRate"].start) == 0.5
    assert "emitter.other.grainRate" in fmu.variables


def test_balance_and_rate(fmu):
    """Grains in = grains out + grains there, in number and in mass: info.mass is a plain sum over 1000 grains, 1e-13."""
    slave = Slave(fmu)
    slave.begin(values={"emitter.other.grainRate": 40.0})
    initial = slave.get(["info.mass", "info.particles"])
    asked = 0
    for n in range(100):
        rate = 0.5 if n < 30 else 2.0 if n < 80 else 0.0
        assert slave.set({"feed.massRate": rate}) == OK
        assert slave.step(0.01 * n, 0.01) == OK, slave.errors
        asked += 0.01 * rate
        now = slave.get([*NAMES, "info.mass", "info.particles"])
        assert now["feed.mass"] + now["feed.waiting"] == pytest.approx(asked, abs=1e-9)
        fed = now["feed.mass"] + now["other.mass"]
        assert initial["info.mass"] + fed == pytest.approx(now["drain.mass"] + now["info.mass"], rel=1e-13)
        assert (initial["info.particles"] + now["feed.count"] + now["other.count"]
                == now["drain.count"] + now["info.particles"])
    assert now["other.count"] in (39, 40) and now["drain.count"] > 50 and now["feed.waiting"] < 0.006  # less than a grain
    slave.free()


def test_rollback(fmu):
    slave = Slave(fmu)
    slave.begin()
    for n in range(40):
        assert slave.step(0.01 * n, 0.01) == OK
    state, then = slave.take(), slave.get(NAMES)
    assert slave.step(0.4, 0.1) == OK
    later = slave.get(NAMES)
    assert later["feed.count"] > then["feed.count"] and later["drain.count"] > then["drain.count"]
    assert slave.restore(state) == OK
    assert slave.get(NAMES) == then
    assert slave.step(0.4, 0.1) == OK
    assert slave.get(NAMES) == later
    slave.release(state)
    slave.free()
