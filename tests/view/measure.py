"""How the page does with many grains: python tests/view/measure.py RECORD [--scree build/release/bin/scree]

Makes the page of a recording, opens it in Chromium with software rendering at 1280 × 720, and prints size, times, pictures per
second and memory. With --make it first records the plate of examples/plate_in_bed in a bed of 100 000 grains, 300 frames: half
an hour on one core.
"""

import argparse
import subprocess
import tempfile
import time
from pathlib import Path

from conftest import CHROMIUM, FLAGS
from playwright.sync_api import sync_playwright

ROOT = Path(__file__).resolve().parents[2]
LEGS = [(0.8, 0.0, 0.0), (1.6, 0.0, -1.45), (1.7, 0.0, 0.0), (2.7, 0.35, 0.0), (3.01, 0.0, 0.0)]  # until, vx, vz


def make_record(scree, record):
    scene = (ROOT / "examples/plate_in_bed/scene.xml").read_text()
    for old, new in (
        ("min=\"-0.18 -0.18 0\" max=\"0.18 0.18 0.56\"", "min=\"-0.5 -0.5 0\" max=\"0.5 0.5 1.5\""),
        ("0.18", "0.5"),
        ("count=\"5000\"", "count=\"100000\""),
        ("size=\"0.02 0.12 0.25\"", "size=\"0.06 0.36 0.7\""),
        ("position=\"-0.06 0 0.7\"", "position=\"-0.17 0 1.9\""),
    ):  # fmt: skip
        assert old in scene
        scene = scene.replace(old, new)
    with tempfile.TemporaryDirectory() as folder:
        inputs, x, z = ["time,plate.position[1],plate.position[3],plate.velocity[1],plate.velocity[3]"], -0.17, 1.9
        for n in range(601):
            vx, vz = next((vx, vz) for until, vx, vz in LEGS if 0.005 * n < until - 1e-9)
            inputs.append(f"{0.005 * n},{x},{z},{vx},{vz}")
            x, z = x + 0.005 * vx, z + 0.005 * vz
        Path(folder, "scene.xml").write_text(scene)
        Path(folder, "in.csv").write_text("\n".join(inputs) + "\n")
        subprocess.run([scree, "run", "scene.xml", "--input", "in.csv", "--record", record.resolve(), "--record-every", "0.01",
                        "-o", "out.csv"], cwd=folder, check=True)  # fmt: skip


def processes():
    """Memory (proportional set size, MB) of each kind of Chromium's processes."""
    sizes = {}
    for folder in Path("/proc").iterdir():
        try:
            command = (folder / "cmdline").read_text() if folder.name.isdigit() else ""
            if "chromium" not in command or "python" in command:
                continue
            kind = "page" if "--type=renderer" in command else "graphics" if "gpu-process" in command else "browser"
            rollup = (folder / "smaps_rollup").read_text()
            size = next(int(line.split()[1]) for line in rollup.splitlines() if line.startswith("Pss:"))
            sizes[kind] = sizes.get(kind, 0) + size / 1024
        except (OSError, StopIteration):
            continue
    return sizes


def measure(page):
    status = lambda: page.evaluate("screeView.status()")  # noqa: E731

    def rate(what, seconds=5):
        before, began = status(), time.monotonic()
        time.sleep(seconds)
        after, spent = status(), time.monotonic() - began
        print(f"{what}: {(after['pictures'] - before['pictures']) / spent:.0f} pictures/s, {after['ratio']:.2f} pixels per pixel, "
              f"{after['drawn']} of {after['grains']} grains drawn; memory "
              + ", ".join(f"{kind} {size:.0f} MB" for kind, size in processes().items()), flush=True)  # fmt: skip

    page.keyboard.press("Space")
    rate("playing")
    rate("playing on")
    page.evaluate("screeView.player.setSpeed(0.25)")
    rate("playing at a quarter of the speed")
    page.keyboard.press("Space")
    page.evaluate("window.spin = setInterval(() => screeView.stage.turn(0.02, 0), 16)")
    rate("turning")
    page.evaluate("clearInterval(spin)")
    for share in (0.5, 0.03, 0.97, 0.2):
        began = time.monotonic()
        page.evaluate(f"screeView.player.goToFrame(Math.floor({share} * screeView.status().frames))")
        page.wait_for_function("screeView.status().shown === screeView.status().frame")
        print(f"going to {100 * share:.0f} %: {time.monotonic() - began:.2f} s")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("record", type=Path)
    parser.add_argument("--scree", default=ROOT / "build/release/bin/scree", type=Path)
    parser.add_argument("--make", action="store_true", help="make the recording first")
    arguments = parser.parse_args()
    if arguments.make:
        make_record(arguments.scree.resolve(), arguments.record)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        path = Path(folder, "page.html")
        began = time.monotonic()
        subprocess.run([arguments.scree, "view", arguments.record, "-o", path], check=True)
        print(f"frames.bin {(arguments.record / 'frames.bin').stat().st_size / 1e6:.0f} MB, page {path.stat().st_size / 1e6:.0f} MB, "
              f"made in {time.monotonic() - began:.1f} s")  # fmt: skip
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = browser.new_page(viewport={"width": 1280, "height": 720})
        began = time.monotonic()
        page.goto(f"{path.as_uri()}#play=0", wait_until="commit")
        page.wait_for_function("window.screeView?.status().pictures > 1 && screeView.status().shown >= 0", timeout=120000)
        print(f"first picture after {time.monotonic() - began:.1f} s", end=", ")
        page.wait_for_function("screeView.status().complete", timeout=120000)
        print(f"all frames after {time.monotonic() - began:.1f} s; memory "
              + ", ".join(f"{kind} {size:.0f} MB" for kind, size in processes().items()))  # fmt: skip
        measure(page)
        browser.close()


if __name__ == "__main__":
    main()
