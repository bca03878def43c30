"""Writes scene.xml and strokes.csv: a 50 t class excavator that digs in a trench, its cylinders driven by strokes; and
bucket.xml: the same trench and bucket alone, for a machine model of its own.

    python make_scene.py [--grain 0.14] [--count 0] [-o DIRECTORY]

The machine stands at the origin and looks along x; z is up, the ground is at z = 0. All angles below are in that plane,
counter-clockwise as seen with x to the right and z up, and in degrees. The linkage is the usual one: boom, stick, bucket,
and between stick and bucket a rocker and a link that the bucket cylinder pushes. bucket.obj is that of
resources/meshes/make_bucket.py --width 1.6 --scale 1.25.
"""

import argparse
import math
import pathlib

HERE = pathlib.Path(__file__).resolve().parent

# ---- the machine: lengths in m, masses in kg
FOOT = (0.5, 2.2)              # boom foot pin
BOOM, STICK = 6.9, 3.35        # between their pins
BOOM_CYLINDER = ((1.6, 1.5), (2.9, -0.35))   # on the upper structure (x, z); on the boom (along, across)
STICK_CYLINDER = ((3.6, 0.75), (-1.0, 0.25))  # on the boom; on the stick
BUCKET_CYLINDER = (0.55, 0.60)  # on the stick; its other end is the end of the rocker
ROCKER_PIVOT, ROCKER, LINK, EAR = (STICK - 0.55, 0.05), 0.62, 0.66, 0.50
EAR_ANGLE = 100.0              # from the cutting edge to the ear, about the bucket pin
BUCKET_SCALE = 1.25

# ---- the dig cycle: time s, boom angle, stick angle, angle of the cutting edge from the stick, swing
CYCLE = [
    (0.0, 31.0, -74.0, 16.0, 0.0),
    (1.0, 31.0, -74.0, 16.0, 0.0),
    (3.5, 14.5, -76.0, 10.0, 0.0),
    (6.5, 12.5, -96.0, -22.0, 0.0),
    (8.5, 17.0, -110.0, -62.0, 0.0),
    (10.5, 31.0, -106.0, -84.0, 0.0),
    (13.0, 33.0, -104.0, -84.0, 70.0),
    (15.0, 33.0, -84.0, 10.0, 78.0),
]


def unit(angle):
    return math.cos(math.radians(angle)), math.sin(math.radians(angle))


def at(origin, angle, along, across):
    """The point at (along, across) of a frame that stands at origin and is turned by angle."""
    c, s = unit(angle)
    return origin[0] + c * along - s * across, origin[1] + s * along + c * across


def distance(p, q):
    return math.hypot(p[0] - q[0], p[1] - q[1])


def meet(p, r, q, s):
    """Where circles of radius r about p and s about q meet, on the left of the way from p to q."""
    d = distance(p, q)
    a = (r * r - s * s + d * d) / (2 * d)
    h = math.sqrt(r * r - a * a)
    e = ((q[0] - p[0]) / d, (q[1] - p[1]) / d)
    return p[0] + a * e[0] - h * e[1], p[1] + a * e[1] + h * e[0]


def pins(boom, stick, edge):
    """All pins in the plane of the arm, for the angles of a line of CYCLE."""
    tip = at(FOOT, boom, BOOM, 0.0)
    bucket = at(tip, stick, STICK, 0.0)
    ear = at(bucket, stick + edge + EAR_ANGLE, EAR, 0.0)
    pivot = at(tip, stick, *ROCKER_PIVOT)
    end = meet(pivot, ROCKER, ear, LINK)
    return {
        "foot": FOOT, "tip": tip, "bucket": bucket, "ear": ear, "pivot": pivot, "end": end,
        "boom_a": BOOM_CYLINDER[0], "boom_b": at(FOOT, boom, *BOOM_CYLINDER[1]),
        "stick_a": at(FOOT, boom, *STICK_CYLINDER[0]), "stick_b": at(tip, stick, *STICK_CYLINDER[1]),
        "bucket_a": at(tip, stick, *BUCKET_CYLINDER), "bucket_b": end,
        "edge": at(bucket, stick + edge, 1.38 * BUCKET_SCALE, 0.0),
    }


def strokes(line):
    _, boom, stick, edge, swing = line
    p = pins(boom, stick, edge)
    return [distance(p[f"{name}_a"], p[f"{name}_b"]) for name in ("boom", "stick", "bucket")] + [math.radians(swing)]


def pose(time):
    """The line of CYCLE at a time: smooth between its lines, at rest on them only at both ends."""
    lines = CYCLE
    k = next((i for i in range(1, len(lines)) if time < lines[i][0]), len(lines) - 1)
    a, b = lines[k - 1], lines[k]
    width = b[0] - a[0]
    s = min(max((time - a[0]) / width, 0.0), 1.0)

    def slope(i, c):
        if i in (0, 1, len(lines) - 1):
            return 0.0
        left = (lines[i][c] - lines[i - 1][c]) / (lines[i][0] - lines[i - 1][0])
        right = (lines[i + 1][c] - lines[i][c]) / (lines[i + 1][0] - lines[i][0])
        return 0.0 if left * right <= 0.0 else 2.0 * left * right / (left + right)

    result = [time]
    for c in range(1, 5):
        m0, m1 = width * slope(k - 1, c), width * slope(k, c)
        result.append((2 * s**3 - 3 * s**2 + 1) * a[c] + (s**3 - 2 * s**2 + s) * m0
                      + (-2 * s**3 + 3 * s**2) * b[c] + (s**3 - s**2) * m1)
    return result


# ---- the scene

def bar(name, p, q, width, height, mass):
    """A body from p to q, its origin at p and its x axis along it, as a box."""
    length, angle = distance(p, q), math.atan2(q[1] - p[1], q[0] - p[0])
    moments = (mass * (width**2 + height**2) / 12, mass * (length**2 + height**2) / 12, mass * (length**2 + width**2) / 12)
    return f"""
  <body id="{name}" material="steel" kind="dynamic" position="{p[0]:.9g} 0 {p[1]:.9g}" rotation="0 {-angle:.9g} 0"
        mass="{mass}" center="{length / 2:.9g} 0 0" inertia="{moments[0]:.6g} {moments[1]:.6g} {moments[2]:.6g}">
    <box size="{length:.9g} {width} {height}" position="{length / 2:.9g} 0 0"/>
  </body>"""


def hinge(name, a, b, p):
    return f'\n  <joint id="{name}" kind="hinge" a="{a}" b="{b}" position="{p[0]:.9g} 0 {p[1]:.9g}" axis="0 -1 0"/>'


def cylinder(name, a, b, p, q, force):
    return f"""
  <joint id="{name}_rod" kind="distance" a="{a}" b="{b}" position="{p[0]:.9g} 0 {p[1]:.9g}" end="{q[0]:.9g} 0 {q[1]:.9g}"/>
  <actuator id="{name}" joint="{name}_rod" maxForce="{force}"/>"""


def surroundings(grain, count):
    """Materials, the trench and its grains."""
    small, large = 0.8 * grain, 1.2 * grain
    return f"""  <experiment stop="15" step="0.01"/>
  <material id="rock" density="2500" youngs="1e8"/>
  <material id="steel" density="7850" youngs="1e9"/>
  <pair a="rock" b="rock" friction="0.6" rolling="0.1"/>
  <pair a="rock" b="steel" friction="0.4" rolling="0.05"/>
  <pair a="steel" b="steel" friction="0.3"/>

  <!-- the trench: 6.5 m long, 2.6 m wide, 2 m deep -->
  <body id="trench" material="rock">
    <box size="8.5 4.6 0.5" position="6.25 0 -2.25"/>
    <box size="0.5 4.6 2" position="2.75 0 -1"/>
    <box size="1 4.6 2" position="10 0 -1"/>
    <box size="6.5 1 2" position="6.25 1.8 -1"/>
    <box size="6.5 1 2" position="6.25 -1.8 -1"/>
  </body>
  <fill id="soil" material="rock" min="3 -1.3 -2" max="9.5 1.3 0.8" count="{count}">
    <size diameter="{small:.4g}" diameterMax="{large:.4g}"/>
  </fill>
"""


def bucket(p, line, kind):
    """The bucket's place and shape; its mesh carries level with the edge along x."""
    turn = math.radians(line[2] + line[3]) - math.pi
    return f"""
  <body id="bucket" material="steel" {kind} position="{p["bucket"][0]:.9g} 0 {p["bucket"][1]:.9g}"
        rotation="0 {-turn:.9g} 0"{' mass="2300" center="-0.75 0 -0.45" inertia="1100 1000 1400"' if "dynamic" in kind else ""}>
    <mesh file="bucket.obj" rotation="0 0 3.14159265358979"/>
  </body>"""


SENSORS = """
  <region id="bowl" body="bucket" shape="box" size="1.9 1.7 1.3" position="-0.9 0 -0.35"/>
  <regionSensor id="payload" region="bowl"/>
</scene>
"""


def bucket_scene(grain, count):
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<!-- Written by make_scene.py: the bucket of an excavator in a trench; the machine is a model of its own. -->
<scene version="1" name="excavator_bucket" gravity="0 0 -9.81"
       description="The bucket of a 50 t class excavator in a trench: its motion in, wrench and impedance of the grains out">
{surroundings(grain, count)}{bucket(pins(*CYCLE[0][1:4]), CYCLE[0], 'kind="driven"')}

  <port id="bucket" body="bucket" impedance="true"/>{SENSORS}"""


def scene(grain, count):
    _, boom, stick, edge, _ = CYCLE[0]
    p = pins(boom, stick, edge)
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<!-- Written by make_scene.py: a 50 t class excavator digs in a trench. -->
<scene version="1" name="excavator" gravity="0 0 -9.81"
       description="A 50 t class excavator digs in a trench: cylinder strokes in, cylinder forces out">
{surroundings(grain, count)}
  <!-- the machine: 10 bodies, 8 joints, 3 cylinders, 1 swing motor -->
  <body id="left_track" material="steel"><box size="5 0.7 1" position="-0.4 1.4 0.5"/></body>
  <body id="right_track" material="steel"><box size="5 0.7 1" position="-0.4 -1.4 0.5"/></body>
  <body id="frame" material="steel"><box size="2.4 2.1 0.8" position="0 0 0.75"/></body>
  <body id="upper" material="steel" kind="dynamic" position="0 0 1.3" mass="17000" center="-0.8 0 0.7"
        inertia="14000 30000 32000">
    <box size="3.6 2.9 0.5" position="-0.9 0 0.3"/>
    <box size="1.6 1 1.7" position="0.3 0.95 1.3"/>
  </body>
  <body id="counterweight" material="steel" kind="dynamic" position="-3 0 2" mass="9000" inertia="8000 3000 8000">
    <box size="0.9 2.9 1.1"/>
  </body>{bar("boom", p["foot"], p["tip"], 0.5, 0.6, 4300)}{bar("stick", p["tip"], p["bucket"], 0.4, 0.45, 2200)}{bar("rocker", p["pivot"], p["end"], 0.3, 0.12, 250)}{bar("link", p["end"], p["ear"], 0.25, 0.12, 200)}{bucket(p, CYCLE[0], 'kind="dynamic"')}

  <joint id="swing" kind="hinge" a="frame" b="upper" position="0 0 1.3" axis="0 0 1"/>
  <joint id="ballast" kind="fixed" a="upper" b="counterweight" position="-2.5 0 2"/>{hinge("boom_foot", "upper", "boom", p["foot"])}{hinge("elbow", "boom", "stick", p["tip"])}{hinge("wrist", "stick", "bucket", p["bucket"])}{hinge("rocker_pivot", "stick", "rocker", p["pivot"])}{hinge("rocker_end", "rocker", "link", p["end"])}{hinge("ear", "link", "bucket", p["ear"])}
  <actuator id="swing_motor" joint="swing" maxForce="400000"/>{cylinder("boom_cylinder", "upper", "boom", p["boom_a"], p["boom_b"], 1.8e6)}{cylinder("stick_cylinder", "boom", "stick", p["stick_a"], p["stick_b"], 9e5)}{cylinder("bucket_cylinder", "stick", "rocker", p["bucket_a"], p["bucket_b"], 7e5)}

  <port id="bucket" body="bucket" mode="wrench"/>{SENSORS}"""


NAMES = ("boom_cylinder", "stick_cylinder", "bucket_cylinder", "swing_motor")


def table(step=0.01):
    lines = ["time," + ",".join(f"{n}.targetPosition,{n}.targetSpeed" for n in NAMES)]
    for i in range(int(round(CYCLE[-1][0] / step)) + 1):
        now, ahead = strokes(pose(i * step)), strokes(pose((i + 1) * step))
        lines.append(f"{i * step:.9g}," + ",".join(f"{a:.12g},{(b - a) / step:.12g}" for a, b in zip(now, ahead)))
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--grain", type=float, default=0.14, help="mean diameter, m")
    parser.add_argument("--count", type=int, default=0, help="grains; 0 fills the trench")
    parser.add_argument("-o", "--out", type=pathlib.Path, default=HERE)
    arguments = parser.parse_args()
    (arguments.out / "scene.xml").write_text(scene(arguments.grain, arguments.count))
    (arguments.out / "bucket.xml").write_text(bucket_scene(arguments.grain, arguments.count))
    (arguments.out / "strokes.csv").write_text(table())


if __name__ == "__main__":
    main()
