"""What the tests of the page share: a browser without a screen and without a network."""

import io
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import sync_playwright

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools"))

CHROMIUM = "/usr/bin/chromium"
# Software rendering, as on any machine without a graphics card.
FLAGS = ["--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"]


@pytest.fixture(scope="session")
def browser():
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


class Viewer:
    """A page that is open, with what went wrong in it."""

    def __init__(self, browser, path, address="play=0", **context):
        self.context = browser.new_context(**{"viewport": {"width": 960, "height": 600}, **context})
        self.page = self.context.new_page()
        self.page.set_default_timeout(120_000)  # ms: a busy machine is no reason to fail
        self.problems, self.requests = [], []
        self.page.on("console", lambda m: self.problems.append(m.text) if m.type in ("error", "warning") else None)
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(f"{Path(path).as_uri()}#{address}")
        self.page.wait_for_function("window.screeView?.status().settled")
        self.settle()

    def status(self):
        return self.page.evaluate("screeView.status()")

    def settle(self):
        """Until what is asked for is what is shown, and drawn with all its pixels."""
        self.page.wait_for_function("(s => s.playing || (s.shown === s.frame && s.still))(screeView.status())")

    def press(self, *keys):
        for key in keys:
            self.page.keyboard.press(key)
        self.settle()

    def picture(self):
        """The canvas alone, as numbers 0 to 255: rows, columns, RGB."""
        cards = self.page.add_style_tag(content="#legend, #views { visibility: hidden }")
        data = self.page.locator("#canvas").screenshot()
        cards.evaluate("style => style.remove()")
        return np.asarray(Image.open(io.BytesIO(data)).convert("RGB")).astype(int)

    def grains(self):
        """What the page has of the frame that is shown: from, and per grain that can be seen, sorted by id: id, before
        (x, y, z, speed), after (x, y, z, radius), speed, value, material."""
        shown = self.page.evaluate(
            "(({from, before, after, look}) => ({from, before: [...before], after: [...after], look: [...look]}))"
            "(screeView.player.shown.frame)"
        )
        before, after, look = (np.array(shown[name]).reshape(-1, 4) for name in ("before", "after", "look"))
        order = np.argsort(look[:, 3])
        speed, value, material, number = look[order].T
        return {
            "from": shown["from"],
            "id": number.astype(int),
            "before": before[order],
            "after": after[order],
            "speed": speed,
            "value": value,
            "material": np.floor(material).astype(int),
        }

    def close(self):
        self.context.close()


@pytest.fixture
def open_page(browser):
    """open_page(path, address): a Viewer. At the end nothing may have gone wrong, and nothing been fetched."""
    viewers = []

    def open_one(path, address="play=0", **context):
        viewers.append(Viewer(browser, path, address, **context))
        return viewers[-1]

    yield open_one
    for viewer in viewers:
        viewer.close()
    for viewer in viewers:
        assert viewer.problems == []
        assert [url for url in viewer.requests if not url.startswith(("file:", "blob:", "data:"))] == []
