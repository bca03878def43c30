"""Another process, another importer: continues a run with FMPy from a serialised state. Each step is tried twice, first
with the inputs of the step before, and taken back. A job comes in as JSON, the outputs after each step go out as JSON,
whose numbers keep every bit."""

import json
import pathlib
import sys

from fmpy import read_model_description
from fmpy.fmi2 import FMU2Slave


def main():
    job = json.load(sys.stdin)
    description = read_model_description(job["folder"])
    references = {v.name: v.valueReference for v in description.modelVariables}
    slave = FMU2Slave(guid=description.guid, unzipDirectory=job["folder"],
                      modelIdentifier=description.coSimulation.modelIdentifier, instanceName="resumed")
    slave.instantiate()
    state = slave.deSerializeFMUstate(pathlib.Path(job["state"]).read_bytes())
    slave.setFMUstate(state)
    rows = []
    for time, h, inputs in job["steps"]:
        slave.doStep(time, h)
        slave.setFMUstate(state)
        slave.setReal([references[name] for name in inputs], list(inputs.values()))
        slave.doStep(time, h)
        rows.append(slave.getReal([references[name] for name in job["outputs"]]))
        slave.freeFMUstate(state)
        state = slave.getFMUstate()
    slave.freeFMUstate(state)
    slave.terminate()
    slave.freeInstance()
    json.dump(rows, sys.stdout)


main()
