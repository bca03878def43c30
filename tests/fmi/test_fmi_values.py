"""Getting and setting: what acts, what is refused, and that a refused call leaves everything as it was."""

from ctypes import byref, c_double, c_int, c_size_t, c_uint

import pytest

from master import ERROR, OK, motion, vector

NAN, INFINITY = float("nan"), float("inf")


def test_parameters_read_back(slave):
    values = {name: v.start if v.type == "String" else float(v.start)
              for name, v in slave.fmu.variables.items() if v.causality == "parameter"}
    slave.setup()
    slave.call("EnterInitializationMode")
    assert slave.get(list(values)) == values
    changed = {"gravity[1]": 1.5, "solver.substeps": 7, "material.rock.density": 1234.5, "pair.rock.steel.twist": 0.25,
               "fill.bed.seed": 2147483647, "record.directory": "där/r", "record.interval": 0.5}
    assert slave.set(changed) == OK
    assert slave.get(list(changed)) == changed
    assert slave.get(list(values)) == {**values, **changed}
    assert slave.set({"record.directory": ""}) == OK and slave.get(["record.directory"]) == {"record.directory": ""}


def test_mass_scales_with_density(instantiate):
    masses = [instantiate().begin(values={"material.rock.density": rho}).get(["info.mass"])["info.mass"]
              for rho in (2500, 5000)]
    assert masses[1] == pytest.approx(2 * masses[0], rel=1e-14)


def test_friction_matters(instantiate):
    """The first contacts come after some steps; from then on another friction is another motion."""
    ends = [instantiate().begin(values={"pair.rock.rock.friction": mu}).steps(40)[-1] for mu in (0.5, 0.6)]
    assert ends[0] != ends[1]


def test_gravity_turns(slave):
    """Hardly any grain touches another in the first hundredth of a second."""
    end = slave.begin(values={"gravity[1]": 9.81, "gravity[3]": 0.0}).steps(2)[-1]
    assert end["info.momentum[1]"] == pytest.approx(9.81 * 0.01 * end["info.mass"], rel=0.2)
    assert end["info.momentum[1]"] > 10 * abs(end["info.momentum[3]"])


def test_seed_moves_the_grains(instantiate):
    names = vector("info.center")
    centers = [instantiate().begin(values={"fill.bed.seed": seed}).get(names) for seed in (7, 7, 8)]
    assert centers[0] == centers[1] != centers[2]


def test_inputs_place_and_move_the_plate(slave):
    slave.begin(values=motion("plate", (0, 0, 0.05)))
    assert slave.get(["plate.position[3]"])["plate.position[3]"] == 0.05
    forces = []
    for n in range(6):  # no grain begins in the plate: it meets them on its way
        push = motion("plate", (0.005 * n, 0, 0.05), velocity=(1, 0, 0))
        assert slave.set(push) == OK
        assert slave.get(list(push)) == push
        forces.append(slave.steps(1, first=n)[0]["plate.force[1]"])
    assert min(forces) < -0.1


def test_parameters_are_fixed_once_running(slave):
    slave.begin()
    assert slave.set({"material.rock.density": 1000.0}) == ERROR
    assert "material.rock.density is a parameter" in slave.errors[-1]
    assert slave.set({"solver.substeps": 3}) == ERROR
    assert slave.get(["material.rock.density"]) == {"material.rock.density": 2500}


@pytest.mark.parametrize("values, word", [
    ({"plate.velocity[2]": NAN}, "plate.velocity[2] = nan"), ({"plate.position[1]": INFINITY}, "plate.position[1] = inf"),
    ({"plate.orientation[4]": -INFINITY}, "plate.orientation[4]"), ({"floor.force[3]": 1.0}, "floor.force[3]: is an output"),
    ({"info.particles": 3}, "info.particles: is an output"), ({"gravity[3]": NAN}, "gravity[3] = nan"),
    ({"material.rock.density": 0.0}, "material.rock.density = 0 is out of range; allowed: from 1 to 30000 kg/m3"),
    ({"solver.substeps": 0}, "solver.substeps = 0"), ({"solver.substeps": -5}, "solver.substeps = -5"),
    ({"fill.bed.seed": -1}, "fill.bed.seed = -1")])
def test_bad_values(slave, values, word):
    """Refused as a whole, also what stands before the bad value in the same call."""
    kind = slave.fmu.types[next(iter(values))]
    good = {"Real": {"plate.position[2]": 0.01, "gravity[2]": 0.5}, "Integer": {"solver.sweeps": 3}}[kind]
    assert slave.set({**good, **values}) == ERROR
    assert word in slave.errors[-1]
    slave.setup()
    slave.call("EnterInitializationMode")
    for name in (*good, *values):
        if slave.fmu.variables[name].start is not None:
            assert slave.get([name])[name] == float(slave.fmu.variables[name].start)


def test_bad_inputs_do_not_disturb_a_run(instantiate):
    calm, disturbed = instantiate().begin(), instantiate().begin()
    inputs = motion("plate", (0, 0, 0.1), velocity=(0, 0, -0.2))
    for n in range(20):
        assert calm.set(inputs) == OK and disturbed.set(inputs) == OK
        assert disturbed.set({**motion("plate", (1, 1, 1)), "plate.angularVelocity[3]": NAN}) == ERROR
        assert calm.steps(1, first=n) == disturbed.steps(1, first=n)


def test_quaternion_may_pass_through_zero(slave):
    """Importers that set value by value: a quaternion is a rotation only when it is complete."""
    slave.begin()
    for name, value in motion("plate", (0, 0, 0.3), orientation=(0, 2, 0, 0)).items():
        assert slave.set({name: value}) == OK
    assert slave.steps(1)
    assert slave.set({"plate.orientation[2]": 0.0}) == OK
    assert slave.step(0.005, 0.005) == ERROR and "plate" in slave.errors[-1] and "quaternion" in slave.errors[-1]
    assert slave.set({"plate.orientation[1]": 1.0}) == OK  # refused before anything moved: the run goes on
    assert slave.steps(1, first=1)


def test_wrong_references(slave):
    slave.begin()
    real, integer = slave.fmu.references(["info.mass"]), slave.fmu.references(["info.particles"])
    one, count = c_size_t(1), len(slave.fmu.variables)
    for function, references, values, word in (
            ("GetReal", (c_uint * 1)(count), c_double(), f"no value reference {count}"),
            ("SetReal", (c_uint * 1)(4294967295), c_double(), "no value reference 4294967295"),
            ("GetReal", integer, c_double(), "info.particles"), ("GetInteger", real, c_int(), "info.mass"),
            ("SetInteger", slave.fmu.references(["gravity[1]"]), c_int(), "gravity[1]"),
            ("GetBoolean", real, c_int(), "Boolean"), ("SetBoolean", real, c_int(), "Boolean"),
            ("GetString", real, None, "String"), ("SetString", real, None, "String"),
            ("GetReal", None, c_double(), "NULL"), ("GetReal", real, None, "NULL"), ("SetReal", None, None, "NULL")):
        assert slave.call(function, references, one, byref(values) if values is not None else None) == ERROR
        assert word in slave.errors[-1] and slave.errors[-1].startswith(f"fmi2{function}: ")
    assert slave.steps(1)


def test_a_start_that_cannot_succeed(slave):
    """More grains than the region takes: the message says so, and another number helps."""
    slave.setup()
    assert slave.set({"fill.bed.count": 10000000}) == OK
    slave.call("EnterInitializationMode")
    assert slave.call("ExitInitializationMode") == ERROR and "bed" in slave.errors[-1]
    assert slave.set({"fill.bed.count": 10}) == OK
    assert slave.call("ExitInitializationMode") == OK
    assert slave.get(["info.particles"]) == {"info.particles": 10}
