"""Whole runs: FMPy as importer, the command as reference, instances beside each other. All comparisons are of bits."""

import csv
import threading

import fmpy
import numpy as np
import pytest

from master import OK, PLATE, SMALL, Slave, motion


def read_csv(path):
    with open(path, newline="") as file:
        rows = list(csv.reader(file))
    return rows[0], np.array(rows[1:], dtype=float)


def write_inputs(path, stop):
    """A plate that goes down, turning and wobbling, as a machine model would say it: poses and twists at 100 Hz."""
    names = list(motion("plate", (0, 0, 0)))
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["time", *names])
        for t in np.arange(0, stop + 0.01, 0.01):
            angle, rate = 0.3 * np.sin(2 * t), 0.6 * np.cos(2 * t)
            values = motion("plate", (0.01 * np.sin(5 * t), 0, 0.3 - 0.5 * t), (0.05 * np.cos(5 * t), 0, -0.5),
                            (np.cos(angle / 2), 0, 0, np.sin(angle / 2)), (0, 0, rate))
            writer.writerow([repr(float(v)) for v in (t, *values.values())])


def signals_of(path):
    names, rows = read_csv(path)
    return np.array([tuple(row) for row in rows], dtype=[(name, float) for name in names])


def test_simulates(any_path):
    result = fmpy.simulate_fmu(str(any_path), stop_time=0.1, fmi_call_logger=None)
    assert len(result) > 10 and all(np.isfinite(result[name]).all() for name in result.dtype.names)


@pytest.mark.parametrize("scene, stop, settings", [
    (SMALL, 0.5, {}), (SMALL, 0.2, {"pair.rock.rock.friction": 0.1, "solver.substeps": 4, "gravity[2]": 1.25}),
    pytest.param(PLATE, 0.6, {}, marks=pytest.mark.long)])
def test_same_bits_as_the_command(command, small_path, plate_path, tmp_path, scene, stop, settings):
    write_inputs(tmp_path / "in.csv", stop)
    sets = [word for name, value in settings.items() for word in ("--set", f"{name}={value!r}")]
    command("run", scene, "--until", stop, "--step", 0.005, "--input", tmp_path / "in.csv", "--output",
            tmp_path / "out.csv", *sets)
    names, direct = read_csv(tmp_path / "out.csv")
    path = {SMALL: small_path, PLATE: plate_path}[scene]
    result = fmpy.simulate_fmu(str(path), stop_time=stop, output_interval=0.005, input=signals_of(tmp_path / "in.csv"),
                               start_values=settings, output=names[1:])
    assert len(direct) == len(result)
    for column, name in enumerate(names):
        assert np.array_equal(direct[:, column], result[name].astype(float)), name
    assert np.abs(result["plate.force[3]"]).max() > 0  # the plate has met the grains


def drive(slave, n):
    height = 0.3 - 0.004 * n
    assert slave.set(motion("plate", (0, 0, height), (0, 0, -0.8), (1, 0, 0, 0.1))) == OK
    return slave.steps(1, first=n)[0]


def run_alone(fmu, steps, **values):
    slave = Slave(fmu)
    slave.begin(values=values)
    rows = [drive(slave, n) for n in range(steps)]
    slave.free()
    return rows


def test_interleaved_instances(small, plate):
    kinds = [(small, {}), (small, {"solver.substeps": 4}), (plate, {"fill.bed.count": 500}), (small, {})]
    alone = [run_alone(fmu, 40, **values) for fmu, values in kinds]
    slaves = [Slave(fmu, name=f"s{k}").begin(values=values) for k, (fmu, values) in enumerate(kinds)]
    together = [[] for _ in kinds]
    for n in range(40):
        for slave, rows in zip(slaves, together):
            rows.append(drive(slave, n))
    for slave in slaves:
        slave.free()
    assert together == alone
    assert alone[0] == alone[3] != alone[1]


def test_instances_in_threads(small):
    """ctypes lets go of Python's lock during a call: the steps do run at the same time."""
    alone = run_alone(small, 40)
    results = [None] * 3

    def work(k):
        results[k] = run_alone(small, 40)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(len(results))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [alone] * len(results)


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_thread_counts(small, threads):
    assert run_alone(small, 30, **{"solver.threads": threads}) == run_alone(small, 30)


def test_reset_is_a_fresh_instance(small):
    slave = Slave(small)
    slave.begin(start=3.0, stop=9.0, values={"gravity[1]": 2.0, "solver.substeps": 3, "plate.position[3]": 0.2})
    assert slave.step(3.0, 0.02) == OK
    assert slave.call("Reset") == OK
    slave.begin()
    rows = [drive(slave, n) for n in range(30)]
    slave.free()
    assert rows == run_alone(small, 30)
