"""Packs a machine model (machine/machine.h) that was built as a shared object into an FMI 2.0 co-simulation FMU.

    import machine_fmu
    library = machine_fmu.find("excavator", scree)      # as the build left it, beside the scree command
    machine_fmu.pack(library, "excavator_machine.fmu")

or `python machine_fmu.py LIBRARY -o FMU`. CMake builds a model with `add_machine(name sources...)`. The description is written from the table in
the library itself: variables, references, start values and GUID are said once. The same library gives the same bytes.
"""

import argparse
import ctypes
import pathlib
import re
import zipfile

from lxml import etree

DATE = (1980, 1, 1, 0, 0, 0)
CAUSALITY = ("parameter", "input", "output")
BASE = {  # symbol: exponents of SI units, factor
    "m": {"m": 1}, "kg": {"kg": 1}, "s": {"s": 1}, "rad": {"rad": 1}, "A": {"A": 1}, "K": {"K": 1}, "1": {},
    "N": {"kg": 1, "m": 1, "s": -2}, "Pa": {"kg": 1, "m": -1, "s": -2}, "J": {"kg": 1, "m": 2, "s": -2},
    "W": {"kg": 1, "m": 2, "s": -3}, "V": {"kg": 1, "m": 2, "s": -3, "A": -1}, "Ohm": {"kg": 1, "m": 2, "s": -3, "A": -2},
}


class Variable(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("causality", ctypes.c_int), ("unit", ctypes.c_char_p), ("rows", ctypes.c_int),
                ("columns", ctypes.c_int), ("at", ctypes.c_size_t), ("description", ctypes.c_char_p)]


class Model(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("description", ctypes.c_char_p), ("variables", ctypes.POINTER(Variable)),
                ("variable_count", ctypes.c_size_t), ("size", ctypes.c_size_t), ("defaults", ctypes.CFUNCTYPE(None, ctypes.c_void_p)),
                ("start", ctypes.c_void_p), ("step", ctypes.c_void_p), ("fastest", ctypes.c_double)]


def find(name, scree):
    """The library that the build of this scree command has left."""
    path = pathlib.Path(scree).resolve().parents[1] / "lib" / "machines" / f"{name}.so"
    if not path.exists():
        raise FileNotFoundError(f"{path} is not built: cmake --build --preset release")
    return path


def base_unit(unit):
    """Exponents of SI units: N.m, kg.m2, m3/s, N/(m/s) is not needed."""
    total = {}
    for sign, part in zip((1, -1), unit.split("/")):
        for factor in part.strip("()").split("."):
            symbol, power = re.fullmatch(r"([A-Za-z]+|1)(-?\d+)?", factor).groups()
            for key, exponent in BASE[symbol].items():
                total[key] = total.get(key, 0) + sign * exponent * int(power or 1)
    return {key: value for key, value in total.items() if value}


def expand(variable):
    """Names and references of the elements."""
    name, rows, columns = variable.name.decode(), variable.rows, variable.columns
    if columns:
        return [(f"{name}[{i + 1},{k + 1}]", variable.at + i * columns + k) for i in range(rows) for k in range(columns)]
    if rows > 1:
        return [(f"{name}[{i + 1}]", variable.at + i) for i in range(rows)]
    return [(name, variable.at)]


def describe(library, stop=None, step=None):
    """modelDescription.xml and the model identifier."""
    loaded = ctypes.CDLL(str(library))
    model = Model.in_dll(loaded, "machine")
    guid = ctypes.create_string_buffer(40)
    loaded.machine_guid(guid)
    starts = (ctypes.c_double * (model.size // 8 + 1))()
    model.defaults(starts)
    table = [model.variables[i] for i in range(model.variable_count)]
    name = model.name.decode()

    root = etree.Element("fmiModelDescription", fmiVersion="2.0", modelName=name, guid=guid.value.decode(),
                         description=model.description.decode(), generationTool="Scree examples", variableNamingConvention="structured",
                         numberOfEventIndicators="0")
    etree.SubElement(root, "CoSimulation", modelIdentifier=name, canHandleVariableCommunicationStepSize="true",
                     canGetAndSetFMUstate="true", canSerializeFMUstate="true", canBeInstantiatedOnlyOncePerProcess="false")
    units = etree.SubElement(root, "UnitDefinitions")
    for unit in sorted({v.unit.decode() for v in table}):
        powers = {key: str(value) for key, value in base_unit(unit).items()}
        etree.SubElement(etree.SubElement(units, "Unit", name=unit), "BaseUnit", **powers)
    etree.SubElement(etree.SubElement(root, "LogCategories"), "Category", name="logStatus")
    if stop is not None:
        experiment = etree.SubElement(root, "DefaultExperiment", startTime="0", stopTime=repr(float(stop)))
        if step is not None:
            experiment.set("stepSize", repr(float(step)))
    variables, outputs, seen = etree.SubElement(root, "ModelVariables"), [], set()
    for v in table:
        causality = CAUSALITY[v.causality]
        for element, reference in expand(v):
            if element in seen or reference >= model.size // 8:
                raise ValueError(f"{library}: variable {element} twice or outside of the model's struct")
            seen.add(element)
            scalar = etree.SubElement(variables, "ScalarVariable", name=element, valueReference=str(reference), causality=causality,
                                      variability="fixed" if causality == "parameter" else "continuous",
                                      description=v.description.decode())
            real = etree.SubElement(scalar, "Real", unit=v.unit.decode())
            if causality == "output":
                scalar.set("initial", "calculated")
                outputs.append(len(variables))
            else:
                real.set("start", repr(starts[reference]))
    structure = etree.SubElement(root, "ModelStructure")
    for kind in ("Outputs", "InitialUnknowns"):
        part = etree.SubElement(structure, kind)
        for index in outputs:
            unknown = etree.SubElement(part, "Unknown", index=str(index))
            if kind == "Outputs":
                unknown.set("dependencies", "")  # at a communication point they are those of the step made
    return etree.tostring(root, xml_declaration=True, encoding="UTF-8", pretty_print=True), name


def pack(library, path, stop=None, step=None, resources=()):
    """Writes the FMU and returns its path."""
    description, name = describe(library, stop, step)
    files = [("modelDescription.xml", description), (f"binaries/linux64/{name}.so", pathlib.Path(library).read_bytes())]
    files += [(f"resources/{pathlib.Path(r).name}", pathlib.Path(r).read_bytes()) for r in resources]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for file, content in files:
            archive.writestr(zipfile.ZipInfo(file, DATE), content, zipfile.ZIP_DEFLATED)
    return pathlib.Path(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("library", type=pathlib.Path)
    parser.add_argument("-o", "--out", type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    print(pack(arguments.library, arguments.out))


if __name__ == "__main__":
    main()
