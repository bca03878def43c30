"""The page of `scree view` in a browser: it draws, plays, listens to keys and fingers, and asks for nothing."""

import subprocess

import numpy as np
import packer
import pytest
from recordings import Recording

SCENE = """\
<scene version="1" name="drop" description="A plate pushed into falling grains" gravity="0 0 -9.81">
  <experiment stop="0.6" step="0.01"/>
  <solver frame="0.01" substeps="4"/>
  <material id="rock" density="2500" youngs="1e7"/>
  <material id="steel" density="7850" youngs="2e11"/>
  <pair a="rock" b="rock" friction="0.5"/>
  <pair a="rock" b="steel" friction="0.4"/>
  <body id="box" material="steel">
    <plane normal="0 0 1"/>
    <plane position="-0.08 0 0" normal="1 0 0"/>
    <plane position="0.08 0 0" normal="-1 0 0"/>
    <plane position="0 -0.08 0" normal="0 1 0"/>
    <plane position="0 0.08 0" normal="0 -1 0"/>
  </body>
  <body id="plate" material="steel" kind="driven" position="0 0 0.3"><box size="0.02 0.08 0.1"/></body>
  <fill id="bed" material="rock" count="400" min="-0.08 -0.08 0" max="0.08 0.08 0.3">
    <size diameter="0.014" diameterMax="0.02"/>
  </fill>
  <port id="plate" body="plate"/>
</scene>
"""


@pytest.fixture(scope="module")
def made(scree, tmp_path_factory):
    """A run of 61 frames and its page."""
    folder = tmp_path_factory.mktemp("drop")
    (folder / "scene.xml").write_text(SCENE)
    (folder / "in.csv").write_text("time,plate.position[3],plate.velocity[3]\n0,0.3,-0.3\n0.6,0.12,-0.3\n")
    for command in (
        ["run", folder / "scene.xml", "--input", folder / "in.csv", "--record", folder / "r", "--record-every", "0", "-o", folder / "o.csv"],
        ["view", folder / "r", "-o", folder / "p.html"],
    ):  # fmt: skip
        result = scree(*command)
        assert result.returncode == 0, result.stderr
    return Recording(folder / "r"), folder / "p.html"


def colourful(picture):
    """How many pixels are grains or bodies: those are coloured, the rest of the picture is grey."""
    return int((picture.max(axis=2) - picture.min(axis=2) > 40).sum())


def differing(a, b):
    return float((np.abs(a - b).max(axis=2) > 24).mean())


def test_draws_and_scrubs(made, open_page):
    recording, path = made
    viewer = open_page(path)
    assert viewer.status()["frames"] == 61 and viewer.status()["grains"] == 400
    first = viewer.picture()
    assert colourful(first) > 0.02 * first[:, :, 0].size  # the scene fills the height of the picture
    slider = viewer.page.locator("#time")
    box = slider.bounding_box()
    viewer.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    viewer.settle()
    assert abs(viewer.status()["frame"] - 30) <= 1  # the thumb's width rounds
    middle = viewer.picture()
    assert differing(first, middle) > 0.01
    viewer.press("Home")
    assert differing(first, viewer.picture()) == 0


def test_both_ways_to_draw_agree(made, open_page):
    """Points for software, which leave out what is hidden, and discs for graphics cards, which leave that to the card."""
    _, path = made
    points, discs = (open_page(path, f"t=0.4{more}") for more in ("", "&draw=card"))
    assert points.status()["drawn"] < discs.status()["drawn"]
    for key in "1234":
        points.press(key)
        discs.press(key)
        a, b = points.picture(), discs.picture()
        assert colourful(a) == pytest.approx(colourful(b), rel=0.01)
        # They differ at the grains' rims, by how a point is rounded to pixels: 0.08 % were seen.
        assert differing(a, b) < 0.004


def test_shows_what_was_recorded(made, open_page):
    recording, path = made
    viewer = open_page(path)
    for frame, keys in ((0, []), (1, ["ArrowRight"]), (60, ["End"]), (50, ["Shift+ArrowLeft"]), (7, ["Home"] + 7 * ["ArrowRight"])):
        viewer.press(*keys)
        assert viewer.status()["frame"] == frame
        grains, expected = viewer.grains(), recording.frames[frame]
        assert len(grains["id"]) > 200  # the others are hidden among them
        place = np.searchsorted(expected["id"], grains["id"])
        # float32 of values below 1 m
        assert np.abs(grains["after"][:, :3] - expected["position"][place]).max() < 1e-7
        assert np.array_equal(grains["after"][:, 3], expected["radius"][place].astype(float))
        shown = viewer.page.locator(".value b").first.inner_text()
        assert shown == "0" or abs(float(shown.replace("−", "-")) / expected["signals"]["plate.force[1]"] - 1) < 0.01


def test_plays(made, open_page):
    _, path = made
    viewer = open_page(path, "play=0&speed=0.5")
    viewer.page.keyboard.press("Space")
    viewer.page.wait_for_function("screeView.status().playing && screeView.status().time > 0.05")
    viewer.page.keyboard.press("Space")
    viewer.settle()
    status = viewer.status()
    assert not status["playing"] and status["frame"] > 4
    assert status["time"] == pytest.approx(0.01 * status["frame"])  # it stops at a frame
    assert status["pictures"] > 4
    # To the end without repeating, then from the start again.
    viewer.press("l", "End")
    viewer.page.keyboard.press("Space")
    viewer.page.wait_for_function("screeView.status().playing && screeView.status().time < 0.5")


def test_begins_by_itself_unless_motion_is_unwelcome(made, open_page):
    _, path = made
    moving = open_page(path, "")
    assert moving.status()["playing"]
    still = open_page(path, "", reduced_motion="reduce")
    assert not still.status()["playing"]


def test_keys(made, open_page):
    _, path = made
    viewer = open_page(path)
    viewer.press("End")
    pictures = {}
    for key in "1234":
        viewer.press(key)
        pictures[viewer.status()["color"]] = viewer.picture()
    assert list(pictures) == ["speed", "force", "size", "material"]
    assert differing(pictures["force"], pictures["material"]) > 0.01
    camera = viewer.status()["camera"]
    for keys in (["d"], ["w"], ["+"], ["Shift+A"], ["v"]):
        viewer.press(*keys)
        assert viewer.status()["camera"] != camera, keys
        camera = viewer.status()["camera"]
    viewer.press("f")
    viewer.press(".", ".")
    assert viewer.status()["speed"] == 4
    viewer.press("p")
    assert not viewer.page.locator("#panel").is_visible()
    viewer.press("?")
    assert viewer.page.locator("#help").is_visible()
    viewer.page.keyboard.press("Escape")
    assert not viewer.page.locator("#help").is_visible()
    before = viewer.picture()
    viewer.press("g")  # the plate turns to glass
    assert differing(before, viewer.picture()) > 0.0005


def test_cut(made, open_page):
    """Takes away the grains on the camera's side, and what was hidden behind them is drawn."""
    recording, path = made
    viewer = open_page(path, "t=0.5")
    whole, before = viewer.grains(), viewer.picture()
    viewer.press("x")  # across x; the camera looks from +x
    viewer.page.wait_for_function("screeView.player.shown.frame.cut?.axis === 0")
    viewer.settle()
    cut = viewer.grains()
    assert cut["after"][:, 0].max() <= 0.001  # the middle of the box, rounded
    assert 0.3 * len(whole["id"]) < len(cut["id"]) < 0.7 * len(whole["id"])
    assert differing(before, viewer.picture()) > 0.02
    viewer.press("[", "[", "[")
    viewer.page.wait_for_function("screeView.player.shown.frame.cut?.at < -0.005")
    assert viewer.grains()["after"][:, 0].max() < -0.005
    viewer.press("x", "x", "x")
    viewer.page.wait_for_function("screeView.player.shown.frame.cut === null")
    viewer.settle()
    assert differing(before, viewer.picture()) == 0


def test_mouse_and_plot(made, open_page):
    _, path = made
    viewer = open_page(path)
    camera = viewer.status()["camera"]
    box = viewer.page.locator("#canvas").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    viewer.page.mouse.move(x, y)
    viewer.page.mouse.down()
    viewer.page.mouse.move(x + 60, y - 20, steps=4)
    viewer.page.mouse.up()
    viewer.settle()
    assert viewer.status()["camera"] != camera
    camera = viewer.status()["camera"]
    viewer.page.mouse.wheel(0, -200)
    viewer.settle()
    assert viewer.status()["camera"] != camera
    plot = viewer.page.locator(".u-over").first.bounding_box()
    viewer.page.mouse.click(plot["x"] + plot["width"] / 2, plot["y"] + plot["height"] / 2)
    viewer.settle()
    assert viewer.status()["frame"] == pytest.approx(30, abs=1)
    # Another signal is one click away, and takes a plot of its own when its unit is another.
    plots = viewer.page.locator(".plot").count()
    viewer.page.locator("#choose summary").click()
    viewer.page.locator("#choose-filter").fill("torque")
    viewer.page.locator("#choose-list label:visible input").first.check()
    assert viewer.page.locator(".plot").count() == plots + 1


def test_dark_and_phone(made, open_page):
    """As the system says, and by the switch; on a narrow screen the plots go below; a finger turns the camera."""
    _, path = made
    viewer = open_page(path, "play=0", color_scheme="dark", viewport={"width": 390, "height": 780}, has_touch=True, is_mobile=True)
    assert viewer.status()["theme"] == "dark"
    dark = viewer.picture()
    assert np.median(dark) < 60 and colourful(dark) > 0.01 * dark[:, :, 0].size
    stage, panel = (viewer.page.locator(name).bounding_box() for name in ("#stage", "#panel"))
    assert panel["y"] >= stage["y"] + stage["height"] - 1 and stage["width"] == 390
    assert viewer.page.evaluate("document.documentElement.scrollWidth") <= 390
    viewer.page.locator("#theme-toggle").tap()
    viewer.settle()
    assert viewer.status()["theme"] == "light" and np.median(viewer.picture()) > 180
    camera = viewer.status()["camera"]
    touch = viewer.context.new_cdp_session(viewer.page)
    for kind, x in (("touchStart", 200), ("touchMove", 230), ("touchMove", 260), ("touchEnd", None)):
        points = [{"x": x, "y": 250}] if x else []
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    viewer.settle()
    assert viewer.status()["camera"] != camera


def test_readable_without_mouse(made, open_page):
    """Tab reaches every control in the order of the page; each has a name; the state is told in words."""
    _, path = made
    viewer = open_page(path)
    viewer.press("End")
    assert "Frame 61 of 61" in viewer.page.locator("#summary").inner_text()
    assert "400 grains" in viewer.page.locator("#summary").inner_text()
    seen = []
    for _ in range(30):
        viewer.page.keyboard.press("Tab")
        name = viewer.page.evaluate(
            "(() => { const e = document.activeElement; return [e.id || e.textContent.trim(), "
            "(e.ariaLabel || e.labels?.[0]?.textContent || e.textContent || e.title || '').trim()] })()"
        )
        seen.append(name[0])
        assert name[1], name
        if name[0] == "loop":
            break
    order = ["panel-toggle", "theme-toggle", "help-toggle", "canvas", "color", "Home", "play", "time", "speed", "loop"]
    assert [seen.index(name) for name in order] == sorted(seen.index(name) for name in order)
    # A slider with the focus takes the arrows as frames, not as shares of its length.
    viewer.page.locator("#time").focus()
    viewer.press("Home", "ArrowRight", "ArrowRight")
    assert viewer.status()["frame"] == 2


def test_grains_that_come_and_go(scree, tmp_path, open_page):
    """Against a writer of our own in Python: over key frames, forwards, backwards and by leaps."""
    frames = packer.make_frames(70)
    packer.write_record(tmp_path / "r", frames)
    assert scree("view", tmp_path / "r", "-o", tmp_path / "p.html").returncode == 0
    viewer = open_page(tmp_path / "p.html")
    assert viewer.page.locator("#color option").all_inner_texts() == ["Speed, m/s", "Force, N", "Size", "Material", "Aggregate"]
    viewer.press("5")
    for frame in (0, 1, 69, 40, 39, 38, 21, 20, 19, 60):
        viewer.page.evaluate(f"screeView.player.goToFrame({frame})")
        viewer.settle()
        shown = viewer.grains()
        now, last = frames[frame], frames[shown["from"]]
        assert np.array_equal(shown["id"], now["id"])  # so loose that all can be seen
        assert np.allclose(shown["after"][:, :3], now["position"] * 1e-5, atol=1e-7)
        assert np.array_equal(shown["after"][:, 3].astype(np.float32), now["radius"])
        assert np.allclose(shown["speed"], np.linalg.norm(now["velocity"], axis=1) * 1e-3, rtol=1e-6)
        for _ in range(100):  # what colours the grains comes after them
            if np.array_equal(shown["value"], now["channels"][:, 1]):
                break
            viewer.page.wait_for_timeout(100)
            shown = viewer.grains()
        assert np.array_equal(shown["value"], now["channels"][:, 1])
        assert np.array_equal(shown["material"], now["material"])
        # What moves comes from where the same grain was; what is new stands where it came.
        common = np.isin(now["id"], last["id"])
        was = now["position"].copy()
        was[common] = last["position"][np.isin(last["id"], now["id"])]
        assert np.allclose(shown["before"][:, :3], was * 1e-5, atol=1e-7)


def test_colours(made, open_page):
    """The map rises evenly in lightness (CIE L*), so that its order needs no hue and no step stands out."""
    _, path = made
    viewer = open_page(path)
    ramp = viewer.page.locator(".ramp")
    box = ramp.bounding_box()
    shot = viewer.page.screenshot(clip={**box, "y": box["y"] + 4, "height": 2, "x": box["x"] + 6, "width": box["width"] - 12})
    import io

    from PIL import Image

    row = np.asarray(Image.open(io.BytesIO(shot)).convert("RGB"))[0] / 255
    linear = np.where(row <= 0.04045, row / 12.92, ((row + 0.055) / 1.055) ** 2.4)
    y = linear @ [0.2126, 0.7152, 0.0722]
    lightness = 116 * np.cbrt(y) - 16
    steps = np.diff(lightness[:: len(lightness) // 12])
    assert steps.min() > 0 and steps.max() < 2.2 * steps.min()  # OKLab's lightness is even, L* follows it roughly
    assert lightness[-1] - lightness[0] > 45


def test_types(root):
    """The compiler finds nothing to complain about in web/src."""
    result = subprocess.run(
        [root / ".venv/bin/node", "node_modules/typescript/bin/tsc", "--noEmit"],
        cwd=root / "web", capture_output=True, text=True,
    )  # fmt: skip
    assert result.returncode == 0, result.stdout + result.stderr
