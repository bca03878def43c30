"""Writes scene.xml and bucket.obj: a wheel loader of 9 t in front of a pile of gravel.

    python make_scene.py [--grain 0.09] [-o DIRECTORY]

The loader looks along x; z is up, the ground is at z = 0. The vehicle slides along x, the arm hangs on it by a hinge and a lift cylinder, the
bucket on the arm by a hinge and a tilt cylinder. Angles are counter-clockwise as seen with x to the right and z up. Eyes and pins are those
that operator.c has as defaults; the pose is the first of its cycle.
"""

import argparse
import math
import pathlib

HERE = pathlib.Path(__file__).resolve().parent

PIN, ARM = (0.0, 1.75), 2.3
LIFT = ((-0.1, 0.7), (1.25, -0.1))   # on the vehicle (x, z); on the arm (along, across)
TILT = ((0.7, 0.1), (0.09, 0.42))     # on the arm; on the bucket when it is level
ARM_ANGLE, BUCKET_ANGLE = -0.7, 0.0
WIDTH = 1.8                           # of the bucket
PILE = (5.2, 3.0, 3.4, 1.15)         # its middle, length and width of its bottom, height
SLOPE = math.radians(38)


def outline(segments=16):
    """The bucket's plate, (x, z) from its top to the cutting edge: top, round back, floor. The pin is the origin."""
    floor, radius, middle = -0.24, 0.42, (0.52, 0.18)
    points = [(0.30, 0.72)]
    for i in range(segments + 1):
        angle = math.radians(170 + 100 * i / segments)
        points.append((middle[0] + radius * math.cos(angle), middle[1] + radius * math.sin(angle)))
    points += [(0.52 + 0.78 * k / 5, floor) for k in range(1, 6)]
    return points


def bucket():
    """Vertices and triangles; plates without thickness."""
    line = outline()
    rows = [[(x, WIDTH * (k / 8 - 0.5), z) for k in range(9)] for x, z in line]
    vertices = [p for row in rows for p in row]
    triangles = []
    for i in range(len(rows) - 1):
        for k in range(8):
            a, b, c, d = 9 * i + k, 9 * i + k + 1, 9 * i + 9 + k + 1, 9 * i + 9 + k
            triangles += [(a, b, c), (a, c, d)]
    # side plates: the outline closed by the straight line from the top to a place behind the cutting edge
    front = (line[-1][0] - 0.12, line[-1][1])
    side = line[:-1] + [front]
    hub = (0.62, 0.12)
    for column in (0, 8):
        y = WIDTH * (column / 8 - 0.5)
        first = len(vertices)
        vertices += [(x, y, z) for x, z in side] + [(hub[0], y, hub[1])]
        for i in range(len(side)):
            triangles.append((first + i, first + (i + 1) % len(side), first + len(side)))
    return vertices, triangles


def at(origin, angle, along, across):
    c, s = math.cos(angle), math.sin(angle)
    return origin[0] + c * along - s * across, origin[1] + s * along + c * across


def scene(grain):
    end = at(PIN, ARM_ANGLE, ARM, 0.0)
    lift, tilt = at(PIN, ARM_ANGLE, *LIFT[1]), (at(PIN, ARM_ANGLE, *TILT[0]), at(end, BUCKET_ANGLE, *TILT[1]))
    wheels = "".join(f'\n    <cylinder radius="0.62" length="0.4" position="{x} {y} 0.66" rotation="1.57079633 0 0"/>'
                     for x in (0.55, -1.9) for y in (0.8, -0.8))

    def points(p):
        return f"{p[0]:.9g} 0 {p[1]:.9g}"

    return f"""<?xml version="1.0" encoding="UTF-8"?>
<!-- Written by make_scene.py: a wheel loader of 9 t drives into a pile of gravel. -->
<scene version="1" name="wheel_loader" gravity="0 0 -9.81"
       description="A wheel loader fills its bucket at a pile: driving speed and cylinder strokes in, traction and cylinder forces out">
  <experiment stop="8" step="0.005"/>
  <solver threads="1"/>
  <material id="gravel" library="gravel"/>
  <material id="steel" library="steel"/>
  <pair a="gravel" b="gravel" library="gravel-gravel"/>
  <pair a="gravel" b="steel" library="gravel-steel"/>
  <pair a="steel" b="steel" friction="0.3"/>

  <body id="ground" material="gravel"><plane normal="0 0 1"/></body>
  <region id="pile" shape="trench" position="{PILE[0]} 0 0" size="{PILE[1]} {PILE[2]} {PILE[3]}" angle="{math.pi - SLOPE:.9g}"/>
  <fill id="gravel_pile" material="gravel" region="pile" method="random" fraction="0.52">
    <size diameter="{0.85 * grain:.4g}" diameterMax="{1.15 * grain:.4g}"/>
  </fill>

  <body id="vehicle" material="steel" kind="dynamic" mass="6800" center="-0.9 0 0.9" inertia="2500 6500 6500">
    <box size="3 0.9 0.5" position="-0.9 0 0.9"/>
    <box size="1.3 1.6 0.8" position="-1.9 0 1.5"/>
    <box size="1.1 1.2 1.5" position="-0.75 0 1.9"/>
    <box size="0.3 0.72 0.9" position="0 0 1.45"/>{wheels}
  </body>
  <body id="arm" material="steel" kind="dynamic" position="{points(PIN)}" rotation="0 {-ARM_ANGLE:.9g} 0" mass="800"
        center="1.15 0 0" inertia="60 360 380">
    <box size="2.1 0.12 0.22" position="1.05 0.45 0"/>
    <box size="2.1 0.12 0.22" position="1.05 -0.45 0"/>
    <box size="0.15 0.9 0.15" position="1.55 0 0"/>
  </body>
  <body id="bucket" material="steel" kind="dynamic" position="{points(end)}" rotation="0 {-BUCKET_ANGLE:.9g} 0" mass="700"
        center="0.55 0 0" inertia="210 130 260">
    <mesh file="bucket.obj"/>
  </body>

  <joint id="way" kind="slider" b="vehicle" position="0 0 0" axis="1 0 0"/>
  <joint id="arm_pin" kind="hinge" a="vehicle" b="arm" position="{points(PIN)}" axis="0 -1 0"/>
  <joint id="bucket_pin" kind="hinge" a="arm" b="bucket" position="{points(end)}" axis="0 -1 0"/>
  <joint id="lift_rod" kind="distance" a="vehicle" b="arm" position="{points(LIFT[0])}" end="{points(lift)}"/>
  <joint id="tilt_rod" kind="distance" a="arm" b="bucket" position="{points(tilt[0])}" end="{points(tilt[1])}"/>
  <!-- wheels hold up to 0.65 of the weight; pressures of 25 MPa on 2 x 95 cm2 and 25 MPa on 80 cm2 -->
  <actuator id="drive" joint="way" mode="speed" maxForce="57000"/>
  <actuator id="lift" joint="lift_rod" maxForce="475000"/>
  <actuator id="tilt" joint="tilt_rod" maxForce="200000"/>

  <port id="bucket" body="bucket" mode="wrench"/>
  <region id="bowl" body="bucket" size="1.5 1.9 1.5" position="0.75 0 0.45"/>
  <regionSensor id="payload" region="bowl"/>
</scene>
"""


def write(folder, grain):
    (folder / "scene.xml").write_text(scene(grain))
    vertices, triangles = bucket()
    text = "# bucket of a wheel loader, written by make_scene.py; m; origin on the hinge pin, y along it\no bucket\n"
    text += "".join("v {:.6g} {:.6g} {:.6g}\n".format(*v) for v in vertices) + "".join("f {} {} {}\n".format(*(i + 1 for i in t)) for t in triangles)
    (folder / "bucket.obj").write_text(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--grain", type=float, default=0.09, help="mean diameter, m")
    parser.add_argument("-o", "--out", type=pathlib.Path, default=HERE)
    arguments = parser.parse_args()
    write(arguments.out, arguments.grain)


if __name__ == "__main__":
    main()
