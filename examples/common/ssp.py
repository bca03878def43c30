"""SSP 1.0 packages of FMI 2.0 co-simulation FMUs: write, check, read back and run.

    import ssp
    ssp.write("dig.ssp", "dig",
              components={"machine": "machine.fmu", "grains": "bucket.fmu"},          # in the order they are stepped
              connections=ssp.wires("machine", "bucket.position", "grains", "bucket.position", 3)
                        + ssp.wires("grains", "bucket.Z", "machine", "bucket.Z", (6, 6))
                        + [("machine", "motor.speed", "grains", "belt.speed")],
              parameters={"machine": {"pump.pressure": 32e6}, "grains": {"solver.threads": 1}},
              outputs=[("machine", "pump.power")], stop=15.0, step=0.005)
    rows = ssp.simulate("dig.ssp", until=0.1)          # {"time": …, "machine.pump.power": …}

The package holds SystemStructure.ssd, resources/*.fmu and the parameters as resources/<name>.ssv, bound to the system with names
component.variable. Types and units of connectors come from the FMUs. `write` checks names, causality and units of every connection
and both files by the schemas of the standard, which FMPy ships.

SSP does not say how a master steps. `simulate` does it in the order of the components, each with the newest outputs of the others
(annotation org.scree.master; Gauss-Seidel). fmpy.ssp.simulate_ssp gives every input the value 0 in its first step, which is
no orientation, so a port that takes one refuses that step.
"""

import pathlib
import shutil
import tempfile
import zipfile

import numpy
from fmpy import extract, read_model_description
from fmpy.fmi2 import FMU2Slave
from fmpy.ssp import ssd as reader
from lxml import etree

SSD, SSC, SSV = (reader.ns[key] for key in ("ssd", "ssc", "ssv"))
DATE = (1980, 1, 1, 0, 0, 0)  # of the files in the package: the same content gives the same bytes
ANNOTATION = "org.scree.master"


def wires(start, start_name, end, end_name, shape=None):
    """The connections of a vector (3: [1]..[3]), a matrix ((6, 6): [1,1]..[6,6]) or, without a shape, of a scalar."""
    if shape is None:
        suffixes = [""]
    elif isinstance(shape, int):
        suffixes = [f"[{i + 1}]" for i in range(shape)]
    else:
        suffixes = [f"[{i + 1},{k + 1}]" for i in range(shape[0]) for k in range(shape[1])]
    return [(start, start_name + s, end, end_name + s) for s in suffixes]


def _unit_of(variable):
    return variable.unit or (variable.declaredType.unit if variable.declaredType is not None else None)


def _typed(parent, variable, space, **more):
    """Adds <Real unit=…/> and the like; in the file of values with the value."""
    kind = "Integer" if variable.type == "Enumeration" else variable.type
    element = etree.SubElement(parent, f"{{{space}}}{kind}", **more)
    if kind == "Real" and _unit_of(variable):
        element.set("unit", _unit_of(variable))
    return _unit_of(variable) if kind == "Real" else None


def _add_units(parent, space, names, descriptions):
    if not names:
        return
    known = {u.name: u.baseUnit for d in descriptions.values() for u in d.unitDefinitions}
    units = etree.SubElement(parent, f"{{{space}}}Units")
    for name in sorted(names):
        base = etree.SubElement(etree.SubElement(units, f"{{{SSC}}}Unit", name=name), f"{{{SSC}}}BaseUnit")
        for key in ("kg", "m", "s", "A", "K", "mol", "cd", "rad", "factor", "offset"):
            value = getattr(known.get(name), key, None)
            if value is not None and float(value) != (1.0 if key == "factor" else 0.0):
                base.set(key, str(value))


def _text(variable, value):
    if variable.type == "Boolean":
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    return repr(int(value) if variable.type in ("Integer", "Enumeration") and int(value) == value else value)


def write(path, name, components, connections, parameters=None, outputs=(), stop=None, step=None, description=None):
    """Writes the package and returns its path; ValueError names what does not fit."""
    path, parameters = pathlib.Path(path), parameters or {}
    descriptions = {c: read_model_description(str(f)) for c, f in components.items()}
    tables = {c: {v.name: v for v in d.modelVariables} for c, d in descriptions.items()}

    def variable(component, name, causality):
        if component not in tables:
            raise ValueError(f"{path.name}: no component {component!r}; there are {', '.join(tables)}")
        found = tables[component].get(name)
        if found is None:
            raise ValueError(f"{path.name}: {components[component]} ({component}) has no variable {name!r}")
        if found.causality != causality:
            raise ValueError(f"{path.name}: {component}.{name} is {found.causality}, must be {causality} here")
        return found

    used = {c: {} for c in components}
    fed = set()
    for start, a, end, b in connections:
        x, y = variable(start, a, "output"), variable(end, b, "input")
        if x.type != y.type or (_unit_of(x) or "1") != (_unit_of(y) or "1"):
            raise ValueError(f"{path.name}: {start}.{a} is {x.type} {_unit_of(x)}, {end}.{b} is {y.type} {_unit_of(y)}")
        if (end, b) in fed:
            raise ValueError(f"{path.name}: {end}.{b} is connected twice")
        fed.add((end, b))
        used[start][a], used[end][b] = x, y
    for component, a in outputs:
        used[component][a] = variable(component, a, "output")

    root = etree.Element(f"{{{SSD}}}SystemStructureDescription", nsmap={"ssd": SSD, "ssc": SSC}, version="1.0", name=name,
                         generationTool="Scree examples")
    if description:
        root.set("description", description)
    system = etree.SubElement(root, f"{{{SSD}}}System", name=name)
    units = set()
    if outputs:
        part = etree.SubElement(system, f"{{{SSD}}}Connectors")
        for component, a in outputs:
            units.add(_typed(etree.SubElement(part, f"{{{SSD}}}Connector", name=f"{component}.{a}", kind="output"),
                             used[component][a], SSC))
    values = _values(path, name, parameters, variable, descriptions)
    if values is not None:
        bindings = etree.SubElement(system, f"{{{SSD}}}ParameterBindings")
        etree.SubElement(bindings, f"{{{SSD}}}ParameterBinding", source=f"resources/{name}.ssv")
    elements = etree.SubElement(system, f"{{{SSD}}}Elements")
    for component, file in components.items():
        element = etree.SubElement(elements, f"{{{SSD}}}Component", name=component, type="application/x-fmu-sharedlibrary",
                                   source=f"resources/{pathlib.Path(file).name}", implementation="CoSimulation")
        part = etree.SubElement(element, f"{{{SSD}}}Connectors") if used[component] else None
        for a, found in used[component].items():
            units.add(_typed(etree.SubElement(part, f"{{{SSD}}}Connector", name=a, kind=found.causality), found, SSC))
    lines = etree.SubElement(system, f"{{{SSD}}}Connections") if connections or outputs else None
    for start, a, end, b in connections:
        etree.SubElement(lines, f"{{{SSD}}}Connection", startElement=start, startConnector=a, endElement=end, endConnector=b)
    for component, a in outputs:
        etree.SubElement(lines, f"{{{SSD}}}Connection", startElement=component, startConnector=a, endConnector=f"{component}.{a}")
    _add_units(root, SSD, units - {None}, descriptions)
    experiment = etree.SubElement(root, f"{{{SSD}}}DefaultExperiment", startTime="0")
    if stop is not None:
        experiment.set("stopTime", repr(float(stop)))
    if step is not None:
        notes = etree.SubElement(experiment, f"{{{SSD}}}Annotations")
        note = etree.SubElement(notes, f"{{{SSC}}}Annotation", type=ANNOTATION)
        etree.SubElement(note, "master", step=repr(float(step)), order=" ".join(components))
    reader.validate_tree(root, "SystemStructureDescription.xsd")

    files = [("SystemStructure.ssd", etree.tostring(root, xml_declaration=True, encoding="UTF-8", pretty_print=True))]
    if values is not None:
        files.append((f"resources/{name}.ssv", etree.tostring(values, xml_declaration=True, encoding="UTF-8", pretty_print=True)))
    for file in sorted(set(map(pathlib.Path, components.values()))):
        files.append((f"resources/{file.name}", file.read_bytes()))
    if len({f for f, _ in files}) != len(files):
        raise ValueError(f"{path.name}: two FMUs of one name")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for file, content in files:
            archive.writestr(zipfile.ZipInfo(file, DATE), content, zipfile.ZIP_DEFLATED)
    reader.read_ssd(str(path))
    return path


def _values(path, name, parameters, variable, descriptions):
    if not any(parameters.values()):
        return None
    root = etree.Element(f"{{{SSV}}}ParameterSet", nsmap={"ssv": SSV, "ssc": SSC}, version="1.0", name=name)
    part, units = etree.SubElement(root, f"{{{SSV}}}Parameters"), set()
    for component, values in parameters.items():
        for a, value in values.items():
            element = etree.SubElement(part, f"{{{SSV}}}Parameter", name=f"{component}.{a}")
            found = variable(component, a, "parameter")
            units.add(_typed(element, found, SSV, value=_text(found, value)))
    _add_units(root, SSV, units - {None}, descriptions)
    reader.validate_tree(root, "SystemStructureParameterValues.xsd")
    return root


class Instance:
    """An FMU instance whose values go by name."""

    def __init__(self, path, name="instance", folder=None):
        self.path, self.name = str(path), name
        self.folder = extract(self.path, unzipdir=folder)
        self.description = read_model_description(self.folder)
        self.variables = {v.name: v for v in self.description.modelVariables}
        self.slave = FMU2Slave(guid=self.description.guid, unzipDirectory=self.folder, instanceName=name,
                               modelIdentifier=self.description.coSimulation.modelIdentifier)
        self.slave.instantiate()
        self.groups = {}

    def _group(self, names):
        """References by type, and where the values stand in `names`."""
        names = tuple(names)
        if names not in self.groups:
            parts = {}
            for i, name in enumerate(names):
                found = self.variables[name]
                kind = "Integer" if found.type == "Enumeration" else found.type
                refs, places = parts.setdefault(kind, ([], []))
                refs.append(found.valueReference)
                places.append(i)
            self.groups[names] = parts
        return self.groups[names]

    def get(self, names):
        result = [None] * len(names)
        for kind, (refs, places) in self._group(names).items():
            for i, value in zip(places, getattr(self.slave, "get" + kind)(refs)):
                result[i] = value
        return result

    def set(self, names, values):
        for kind, (refs, places) in self._group(names).items():
            convert = {"Real": float, "Integer": int, "Boolean": bool, "String": str}[kind]
            getattr(self.slave, "set" + kind)(refs, [convert(values[i]) for i in places])

    def start(self, time=0.0):
        self.slave.setupExperiment(startTime=time)
        self.slave.enterInitializationMode()

    def started(self):
        self.slave.exitInitializationMode()

    def step(self, time, h):
        self.slave.doStep(currentCommunicationPoint=time, communicationStepSize=h)

    def close(self):
        self.slave.terminate()
        self.slave.freeInstance()
        shutil.rmtree(self.folder, ignore_errors=True)


def _parse(variable, text):
    return text == "true" if variable.type == "Boolean" else text


def simulate(path, until=None, step=None, watch=None):
    """Runs a package; returns arrays by name: time and the outputs of the system, or those that `watch` lists as (component, variable)."""
    description = reader.read_ssd(str(path))
    with zipfile.ZipFile(path) as archive:
        tree = etree.fromstring(archive.read("SystemStructure.ssd"))
    experiment = tree.find(f"{{{SSD}}}DefaultExperiment")
    note = tree.find(f".//{{{SSC}}}Annotation[@type='{ANNOTATION}']/master")
    until = float(experiment.get("stopTime", 1.0)) if until is None else until
    step = (float(note.get("step")) if note is not None else until / 100) if step is None else step
    system = description.system
    if watch is None:
        watch = [(c.startElement, c.startConnector) for c in system.connections if c.endElement is None]
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        with zipfile.ZipFile(path) as archive:
            archive.extractall(folder)
        instances = {c.name: Instance(folder / c.source, c.name) for c in system.elements}
        for binding in system.parameterBindings:
            for values in binding.parameterValues:
                for parameter in values.parameters:
                    component, name = parameter.name.split(".", 1)
                    variable = instances[component].variables[name]
                    instances[component].set([name], [_parse(variable, parameter.value)])
        feeds = {}
        for c in system.connections:
            if c.endElement is not None:
                feeds.setdefault(c.endElement, []).append((c.startElement, c.startConnector, c.endConnector))

        def exchange(name):
            for source in {start for start, _, _ in feeds.get(name, ())}:
                pairs = [(a, b) for start, a, b in feeds[name] if start == source]
                instances[name].set([b for _, b in pairs], instances[source].get([a for a, _ in pairs]))

        for instance in instances.values():
            instance.start()
        for name in instances:
            exchange(name)
        for instance in instances.values():
            instance.started()
        rows = []
        for n in range(round(until / step)):
            for name, instance in instances.items():
                exchange(name)
                instance.step(n * step, step)
            rows.append([(n + 1) * step] + [instances[c].get([a])[0] for c, a in watch])
        for instance in instances.values():
            instance.close()
    columns = numpy.array(rows, dtype=float).reshape(len(rows), 1 + len(watch))
    return dict(zip(["time"] + [f"{c}.{a}" for c, a in watch], columns.T))
