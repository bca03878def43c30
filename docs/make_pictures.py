"""Pictures of pages of `scree view`, as in docs/view.md, with Chromium.

    .venv/bin/python docs/make_pictures.py PAGE.html NAME:WIDTHxHEIGHT:ADDRESS … [--out docs/images]

Each NAME.png is the page in a window of that size, with ADDRESS after the #, such as t=2.2&theme=dark.
"""

import argparse
import pathlib
import sys

from PIL import Image
from playwright.sync_api import sync_playwright

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tests/view"))
from conftest import CHROMIUM, FLAGS  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("page", type=pathlib.Path)
    parser.add_argument("pictures", nargs="+")
    parser.add_argument("--out", type=pathlib.Path, default="docs/images")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        for picture in arguments.pictures:
            name, size, address = picture.split(":")
            width, height = map(int, size.split("x"))
            page = browser.new_page(viewport={"width": width, "height": height})
            page.goto(f"{arguments.page.resolve().as_uri()}#{address}", timeout=120000)
            page.wait_for_function(
                "(s => s && s.complete && s.settled && s.still && s.shown === s.frame)(window.screeView?.status())", timeout=120000
            )
            path = arguments.out / f"{name}.png"
            page.screenshot(path=path)
            page.close()
            Image.open(path).convert("RGB").save(path, optimize=True)
            print(path, path.stat().st_size)


if __name__ == "__main__":
    main()
