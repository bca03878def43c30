/**
 * Forces of the grains on moving bodies, as arrows from the bodies' origins, drawn over everything else.
 */
import * as THREE from "three";
import type { Head } from "../record/format";
import type { Recording } from "../record/recording";

interface Arrow {
  body: number;
  signals: number; // the first of three
  turned: boolean; // given in the body frame
  group: THREE.Group;
  shaft: THREE.Mesh;
  tip: THREE.Mesh;
}

const LONGEST = 0.3; // of the scene's size
const THICK = 0.0045; // radius of a shaft, likewise
const LEAST = 0.01; // of the largest force: below, no arrow

/** Bodies with a force among the signals: which signals, and whether in the body frame. One per body: the first. */
export function findForces(head: Head): { body: number; signals: number; turned: boolean }[] {
  const found = new Map<number, { body: number; signals: number; turned: boolean }>();
  head.signals.forEach(({ name, description }, index) => {
    const match = /\(on body (\w+)(, in the body frame)?\)/.exec(description);
    if (!match || !name.endsWith(".force[1]") || !head.signals[index + 2]?.name.endsWith(".force[3]")) return;
    const body = head.bodies.findIndex(({ id }) => id === match[1]);
    if (body < 0 || head.bodies[body].kind === "static" || found.has(body)) return;
    found.set(body, { body, signals: index, turned: match[2] !== undefined });
  });
  return [...found.values()];
}

export class Arrows {
  readonly group = new THREE.Group();
  readonly count: number;
  private readonly arrows: Arrow[];
  private readonly material = new THREE.MeshBasicMaterial({ depthTest: false, transparent: true, opacity: 0.9 });
  private longest = 1; // m
  private largest = 0; // N
  private measured = -1; // frames

  constructor(private readonly recording: Recording) {
    const shaft = new THREE.CylinderGeometry(1, 1, 1, 12).translate(0, 0.5, 0);
    const tip = new THREE.ConeGeometry(1, 1, 16).translate(0, 0.5, 0);
    this.arrows = findForces(recording.head).map((force) => {
      const arrow = {
        ...force,
        group: new THREE.Group(),
        shaft: new THREE.Mesh(shaft, this.material),
        tip: new THREE.Mesh(tip, this.material),
      };
      arrow.shaft.renderOrder = arrow.tip.renderOrder = 10;
      arrow.group.add(arrow.shaft, arrow.tip);
      this.group.add(arrow.group);
      return arrow;
    });
    this.count = this.arrows.length;
  }

  setColor(color: THREE.Color): void {
    this.material.color.copy(color);
  }

  /** m: of the scene, corner to corner. */
  setSize(size: number): void {
    this.longest = LONGEST * size;
    const thick = THICK * size;
    for (const { shaft, tip } of this.arrows) {
      shaft.scale.set(thick, 1, thick);
      tip.scale.set(3.2 * thick, 8 * thick, 3.2 * thick);
    }
  }

  private forceAt(arrow: Arrow, frame: number): THREE.Vector3 {
    const [x, y, z] = [0, 1, 2].map((k) => this.recording.signalAt(arrow.signals + k, frame));
    return new THREE.Vector3(x, y, z);
  }

  /** The largest force of the run gets the longest arrow; single peaks may be cut. */
  private measure(): void {
    const { frames } = this.recording;
    if (frames === this.measured) return;
    this.measured = frames;
    const sizes = this.arrows.flatMap((arrow) =>
      Array.from({ length: frames }, (_, frame) => this.forceAt(arrow, frame).length()),
    );
    sizes.sort((a, b) => a - b);
    this.largest = sizes[Math.floor(0.995 * (sizes.length - 1))] || 0;
  }

  /** Between two frames. Bodies have been placed already. */
  place(from: number, to: number, share: number, bodies: THREE.Object3D[]): void {
    this.measure();
    const up = new THREE.Vector3(0, 1, 0);
    for (const arrow of this.arrows) {
      const force = this.forceAt(arrow, from).lerp(this.forceAt(arrow, to), share);
      const body = bodies[arrow.body];
      if (arrow.turned) force.applyQuaternion(body.quaternion);
      const length = this.longest * Math.min(1.2, force.length() / this.largest);
      arrow.group.visible = length > LEAST * this.longest;
      if (!arrow.group.visible) continue;
      const head = Math.min(arrow.tip.scale.y, 0.6 * length);
      arrow.group.position.copy(body.position);
      arrow.group.quaternion.setFromUnitVectors(up, force.normalize());
      arrow.shaft.scale.y = length - head;
      arrow.tip.position.y = length - head;
    }
  }
}
