"""Draws icon.png: a tool plate in a bed of grains. Run with the project's Python: .venv/bin/python resources/make_icon.py"""

from pathlib import Path
from random import Random

from PIL import Image, ImageDraw

SIZE, SCALE = 128, 8  # drawn large, then made smaller: smooth edges
GRAINS = ("#b98a52", "#c99a60", "#a87a45", "#d6ab74")


def surface(x):
    """Height of the bed: a heap in front of the plate (right of it), a hollow behind."""
    return 62 + (16 if x < 58 else -10) * max(0.0, 1 - abs(x - 58) / 44)


def place_grains(random):
    """Circles inside the bed that do not overlap, the large ones first."""
    grains = []
    for radius, tries in ((9, 4000), (7, 6000), (5.5, 8000), (4, 12000), (3, 12000)):
        for _ in range(tries):
            x, y = random.uniform(8 + radius, 120 - radius), random.uniform(48, 120 - radius)
            clear = all((x - a) ** 2 + (y - b) ** 2 > (radius + c + 0.7) ** 2 for a, b, c in grains)
            if clear and y - radius > surface(x) and abs(x - 58) - radius > (5.5 if y < 104 else 99):
                grains.append((x, y, radius))
            elif clear and y - radius > 106:
                grains.append((x, y, radius))
    return grains


def main():
    random = Random(3)
    image = Image.new("RGBA", (SIZE * SCALE,) * 2, (0, 0, 0, 0))
    draw = ImageDraw.Draw(image)

    def box(x0, y0, x1, y1):
        return [v * SCALE for v in (x0, y0, x1, y1)]

    draw.rounded_rectangle(box(2, 2, 126, 126), 18 * SCALE, fill="#eef2f5", outline="#5b6b7a", width=3 * SCALE)
    for x, y, r in place_grains(random):
        draw.ellipse(box(x - r, y - r, x + r, y + r), fill=random.choice(GRAINS), outline="#6f4f2a", width=SCALE)
    draw.rounded_rectangle(box(54, 14, 62, 104), 3 * SCALE, fill="#3d5a80", outline="#22344d", width=SCALE)
    draw.line([v * SCALE for v in (70, 30, 96, 30)], fill="#d1495b", width=5 * SCALE)
    draw.polygon([v * SCALE for v in (94, 21, 109, 30, 94, 39)], fill="#d1495b")
    image.resize((SIZE, SIZE), Image.Resampling.LANCZOS).save(Path(__file__).with_name("icon.png"), optimize=True)


if __name__ == "__main__":
    main()
