"""Writes bucket.obj, the shell of an excavator's bucket as plates without thickness.

    python make_bucket.py [-o bucket.obj] [--width 1.0] [--scale 1.0] [--segments 32]

Frame: origin on the axis of the hinge pin between bucket and arm, half-way between the side plates. y along the pin,
z up, x forward to the cutting edge; in this pose the bucket stands level, its opening upwards, as it carries a load.
Turning it about y by a negative angle (right-hand rule) lifts the cutting edge, a positive one digs it in.

Side view, m, for scale 1:  A (0.09, -0.05) top of the back wall, close to the pin
                            back wall, bottom of radius 0.36, flat floor rising at 35 degrees
                            B (1.30, -0.05) front end of the side plates
                            T (1.38, 0.01) cutting edge, 0.1 m beyond B
The side plates fill the outline up to the straight line from A to B: the opening, 1.21 m long.
"""

import argparse
import math

FLOOR_ANGLE, FLOOR_LENGTH, BOTTOM_RADIUS, BACK_HEADING, BACK_LENGTH, LIP = math.radians(35), 0.75, 0.36, math.radians(100), 0.2, 0.1
FRONT = (1.30, -0.05)


def outline(segments):
    """Points (x, z) from A to B, about evenly spaced, with a point wherever straight and round parts meet."""
    heading = math.pi + FLOOR_ANGLE
    x, z = FRONT[0] + FLOOR_LENGTH * math.cos(heading), FRONT[1] + FLOOR_LENGTH * math.sin(heading)
    turn = heading - BACK_HEADING
    lengths = (FLOOR_LENGTH, BOTTOM_RADIUS * turn, BACK_LENGTH)
    counts = [max(1, round(segments * length / sum(lengths))) for length in lengths]
    centre = (x + BOTTOM_RADIUS * math.sin(heading), z - BOTTOM_RADIUS * math.cos(heading))

    points = [(FRONT[0] + (x - FRONT[0]) * i / counts[0], FRONT[1] + (z - FRONT[1]) * i / counts[0]) for i in range(counts[0])]
    for i in range(counts[1] + 1):
        angle = heading - turn * i / counts[1]
        points.append((centre[0] - BOTTOM_RADIUS * math.sin(angle), centre[1] + BOTTOM_RADIUS * math.cos(angle)))
    x, z = points[-1]
    for i in range(1, counts[2] + 1):
        step = BACK_LENGTH * i / counts[2]
        points.append((x + step * math.cos(BACK_HEADING), z + step * math.sin(BACK_HEADING)))
    return points[::-1]


class Mesh:
    """Vertices are shared where they coincide."""

    def __init__(self):
        self.vertices, self.triangles, self.known = [], [], {}

    def vertex(self, point):
        key = tuple(round(1e7 * c) for c in point)
        if key not in self.known:
            self.known[key] = len(self.vertices)
            self.vertices.append(point)
        return self.known[key]

    def grid(self, rows):
        """Two triangles for each cell between neighbouring rows of points."""
        for upper, lower in zip(rows, rows[1:]):
            for a, b, c, d in zip(upper, upper[1:], lower[1:], lower):
                corners = [self.vertex(p) for p in (a, b, c, d)]
                for triangle in (corners[:3], [corners[0], *corners[2:]]):
                    if len(set(triangle)) == 3:
                        self.triangles.append(triangle)


def make_bucket(width, segments):
    mesh = Mesh()
    line = outline(segments)
    across = max(2, round(segments * width / 2.4))
    ys = [width * (i / across - 0.5) for i in range(across + 1)]
    tip = (FRONT[0] + LIP * math.cos(FLOOR_ANGLE), FRONT[1] + LIP * math.sin(FLOOR_ANGLE))
    mesh.grid([[(x, y, z) for y in ys] for x, z in [*line, ((line[-1][0] + tip[0]) / 2, (line[-1][1] + tip[1]) / 2), tip]])
    a, b = line[0], line[-1]
    inward = max(2, segments // 5)
    for y in (ys[0], ys[-1]):
        rows = []
        for i, (x, z) in enumerate(line):
            share = i / (len(line) - 1)  # the point of the opening that this one is joined to
            ox, oz = a[0] + (b[0] - a[0]) * share, a[1] + (b[1] - a[1]) * share
            rows.append([(x + (ox - x) * k / inward, y, z + (oz - z) * k / inward) for k in range(inward + 1)])
        mesh.grid(rows if y > 0 else rows[::-1])
    return mesh


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", default="bucket.obj")
    parser.add_argument("--width", type=float, default=1.0, help="m, between the side plates at scale 1")
    parser.add_argument("--scale", type=float, default=1.0, help="of everything, width included")
    parser.add_argument("--segments", type=int, default=32, help="of the outline; sets how fine all plates are")
    options = parser.parse_args()
    mesh = make_bucket(options.width, options.segments)
    with open(options.output, "w", encoding="utf-8") as out:
        out.write("# excavator bucket, written by make_bucket.py; m; origin on the hinge pin's axis, y along it, z up\n")
        out.write("o bucket\n")
        for vertex in mesh.vertices:
            out.write("v {:.6g} {:.6g} {:.6g}\n".format(*(options.scale * c + 0.0 for c in vertex)))
        for triangle in mesh.triangles:
            out.write("f {} {} {}\n".format(*(i + 1 for i in triangle)))


if __name__ == "__main__":
    main()
