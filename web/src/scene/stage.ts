/**
 * The picture: renderer, light, camera and what stands on the stage. Draws when something has changed, not otherwise.
 */
import * as THREE from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { SUN as TOWARDS_SUN } from "../record/exposure";
import type { Frame } from "../record/format";
import type { Recording } from "../record/recording";
import { Arrows } from "./arrows";
import { Bodies } from "./bodies";
import { Discs } from "./discs";
import type { Grains } from "./grains";
import { Planes } from "./planes";
import { Points } from "./points";
import { Quality } from "./quality";

const SUN = new THREE.Vector3(...TOWARDS_SUN).normalize();

export const VIEWS = ["home", "front", "side", "top"] as const;
export type ViewName = (typeof VIEWS)[number];

const DIRECTIONS: Record<ViewName, [number, number, number]> = {
  home: [0.55, -0.92, 0.52],
  front: [0, -1, 0.04],
  side: [1, 0, 0.04],
  top: [0, -0.02, 1],
};

export class Stage {
  readonly quality: Quality;
  readonly grains: Grains;
  readonly bodies: Bodies;
  readonly arrows: Arrows;
  readonly planes = new Planes();
  readonly rendererName: string;
  readonly up = new THREE.Vector3(0, 0, 1);
  bounds = new THREE.Box3();
  pictures = 0;
  onPicture: () => void = () => {};

  private readonly renderer: THREE.WebGLRenderer;
  private readonly scene = new THREE.Scene();
  private readonly camera = new THREE.PerspectiveCamera(32, 1, 0.01, 100);
  private readonly controls: OrbitControls;
  private readonly hemisphere = new THREE.HemisphereLight(0xffffff, 0x888888, 1.6);
  private dirty = true;
  private moving = 0; // until when (ms) the picture counts as moving
  private sharp = true; // the last picture was drawn with all there is
  private glide: { from: THREE.Vector3[]; to: THREE.Vector3[]; begin: number } | null = null;
  framed = false; // the whole scene is seen, and the user has not touched the camera since

  constructor(
    readonly canvas: HTMLCanvasElement,
    private readonly recording: Recording,
    asCard: boolean, // draw as on a graphics card even without one
  ) {
    const { head } = recording;
    const context = openContext(canvas);
    const about = context.getExtension("WEBGL_debug_renderer_info");
    this.rendererName = String(context.getParameter(about ? about.UNMASKED_RENDERER_WEBGL : context.RENDERER));
    this.quality = new Quality(this.rendererName);
    this.renderer = new THREE.WebGLRenderer({ canvas, context });
    this.renderer.setPixelRatio(this.quality.best);
    const gravity = new THREE.Vector3(...head.scene.gravity);
    if (gravity.length() > 0 && Math.abs(gravity.z) < 0.7 * gravity.length()) this.up.copy(gravity).negate().normalize();
    this.camera.up.copy(this.up);
    this.grains = this.quality.software && !asCard ? new Points() : new Discs();
    this.bodies = new Bodies(head);
    this.arrows = new Arrows(recording);
    const sun = new THREE.DirectionalLight(0xfff4e6, 1.9);
    sun.position.copy(SUN);
    this.hemisphere.position.copy(this.up);
    this.scene.add(this.planes.group, this.bodies.group, this.grains.object, this.arrows.group, sun, this.hemisphere);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = true;
    this.controls.dampingFactor = 0.14;
    this.controls.zoomToCursor = true;
    this.controls.addEventListener("change", () => this.touch(true));
    this.controls.addEventListener("start", () => {
      this.framed = false;
      this.glide = null;
    });
    new ResizeObserver(() => this.resize()).observe(canvas.parentElement!);
    this.resize();
  }

  /* ---- size and drawing */

  private resize(): void {
    const { clientWidth, clientHeight } = this.canvas.parentElement!;
    if (clientWidth === 0 || clientHeight === 0) return;
    this.renderer.setSize(clientWidth, clientHeight, false);
    this.camera.aspect = clientWidth / clientHeight;
    this.camera.updateProjectionMatrix();
    if (this.framed) this.look("home", false);
    this.touch();
    this.draw(false); // a resized canvas is empty until it is drawn
  }

  /** Something has changed. moving: more of it is to come. */
  touch(moving = false): void {
    this.dirty = true;
    if (moving) this.moving = performance.now() + 200 + 3000 / this.quality.rate;
  }

  /** Once per turn of the page. */
  tick(now: number): void {
    if (this.glide) this.stepGlide(now);
    this.controls.update();
    const inMotion = now < this.moving;
    if (!this.dirty && (inMotion || this.sharp)) return;
    if (inMotion && this.quality.note(now)) this.dirty = true;
    const ratio = inMotion ? this.quality.ratio : this.quality.best;
    if (ratio !== this.renderer.getPixelRatio()) this.renderer.setPixelRatio(ratio);
    this.sharp = !inMotion;
    this.draw(inMotion);
  }

  private draw(inMotion: boolean): void {
    this.dirty = false;
    this.camera.updateMatrixWorld();
    this.grains.prepare({
      camera: this.camera,
      sun: SUN,
      up: this.up,
      width: this.canvas.clientWidth,
      height: this.canvas.clientHeight,
      pixels: this.canvas.height,
      thorough: !inMotion,
    });
    this.renderer.render(this.scene, this.camera);
    this.pictures++;
    this.onPicture();
  }

  /** Nothing is left to draw. */
  get still(): boolean {
    return !this.dirty && this.sharp && !this.glide && performance.now() >= this.moving;
  }

  /* ---- what is shown */

  show(frame: Frame, share: number, moving: boolean): void {
    const { from, frame: to } = frame;
    if (frame !== this.grains.frame) this.planes.setGround(frame.ground);
    this.grains.show(frame);
    this.grains.setShare(share);
    this.bodies.place((body) => [this.recording.pose(body, from), this.recording.pose(body, to)], share);
    this.arrows.place(
      from,
      to,
      share,
      this.bodies.parts.map(({ group }) => group),
    );
    this.touch(moving);
  }

  setBackground(color: THREE.Color, sky: THREE.Color, ground: THREE.Color): void {
    this.scene.background = color;
    this.hemisphere.color.copy(sky);
    this.hemisphere.groundColor.copy(ground);
    this.grains.setGround(ground);
    this.touch();
  }

  /* ---- camera */

  /** Places the camera so that the bounds fill the picture, seen from a side. */
  look(view: ViewName, glide: boolean): void {
    const box = this.bounds.isEmpty() ? new THREE.Box3().setFromCenterAndSize(new THREE.Vector3(), new THREE.Vector3(1, 1, 1)) : this.bounds;
    const target = box.getCenter(new THREE.Vector3());
    const direction = new THREE.Vector3(...DIRECTIONS[view]).normalize();
    direction.applyQuaternion(new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 0, 1), this.up));
    const distance = this.distanceFor(box, target, direction);
    const size = box.getSize(new THREE.Vector3()).length();
    this.camera.near = 0.002 * size;
    this.camera.far = 60 * size;
    this.camera.updateProjectionMatrix();
    this.controls.minDistance = 0.02 * size;
    this.controls.maxDistance = 20 * size;
    this.framed = view === "home";
    const place = target.clone().addScaledVector(direction, distance);
    if (glide) {
      this.glide = { from: [this.camera.position.clone(), this.controls.target.clone()], to: [place, target], begin: performance.now() };
      this.touch(true);
    } else {
      this.camera.position.copy(place);
      this.controls.target.copy(target);
      this.controls.update();
    }
    this.touch();
  }

  /** How far away all corners of a box are inside the picture. */
  private distanceFor(box: THREE.Box3, target: THREE.Vector3, direction: THREE.Vector3): number {
    const right = this.up.clone().cross(direction).normalize();
    const over = direction.clone().cross(right);
    const high = Math.tan((this.camera.fov * Math.PI) / 360) * 0.9;
    const wide = high * this.camera.aspect;
    let distance = 0;
    for (let i = 0; i < 8; i++) {
      const corner = new THREE.Vector3(
        i & 1 ? box.max.x : box.min.x,
        i & 2 ? box.max.y : box.min.y,
        i & 4 ? box.max.z : box.min.z,
      ).sub(target);
      const towards = corner.dot(direction);
      distance = Math.max(
        distance,
        towards + Math.abs(corner.dot(right)) / wide,
        towards + Math.abs(corner.dot(over)) / high,
      );
    }
    return distance;
  }

  private stepGlide(now: number): void {
    const { from, to, begin } = this.glide!;
    const t = Math.min(1, (now - begin) / 450);
    const ease = t * t * (3 - 2 * t);
    this.camera.position.lerpVectors(from[0], to[0], ease);
    this.controls.target.lerpVectors(from[1], to[1], ease);
    this.touch(true);
    if (t === 1) this.glide = null;
  }

  /** Angles in rad. */
  turn(left: number, up: number): void {
    this.framed = false;
    this.controls.rotateLeft(left);
    this.controls.rotateUp(up);
    this.touch(true);
  }

  zoom(factor: number): void {
    this.framed = false;
    const offset = this.camera.position.clone().sub(this.controls.target);
    const distance = Math.min(this.controls.maxDistance, Math.max(this.controls.minDistance, offset.length() / factor));
    this.camera.position.copy(this.controls.target).add(offset.setLength(distance));
    this.touch(true);
  }

  /** Pixels. */
  pan(x: number, y: number): void {
    this.framed = false;
    this.controls.pan(x, y);
    this.touch(true);
  }

  /** On which side of the scene's middle the camera is, along an axis. */
  sideOf(axis: number): 1 | -1 {
    return this.camera.position.getComponent(axis) < this.controls.target.getComponent(axis) ? -1 : 1;
  }

  get cameraPlace(): number[] {
    return [...this.camera.position.toArray(), ...this.controls.target.toArray()];
  }
}

/** WebGL 2; smooth edges only where a graphics card gives them for nothing. */
function openContext(canvas: HTMLCanvasElement): WebGL2RenderingContext {
  const probe = document.createElement("canvas").getContext("webgl2");
  const about = probe?.getExtension("WEBGL_debug_renderer_info");
  const name = probe ? String(probe.getParameter(about ? about.UNMASKED_RENDERER_WEBGL : probe.RENDERER)) : "";
  probe?.getExtension("WEBGL_lose_context")?.loseContext();
  const software = new Quality(name).software;
  const context = canvas.getContext("webgl2", {
    alpha: false,
    antialias: !software,
    powerPreference: "high-performance",
  });
  if (!context) throw new Error("this browser gives no WebGL 2");
  return context;
}
