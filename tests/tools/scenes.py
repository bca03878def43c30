"""A small scene that runs in a fraction of a second, for the tests of the command."""

BASE = """\
<?xml version="1.0" encoding="UTF-8"?>
<!-- a small bed; äöü: columns count characters -->
<scene version="1" name="small" description="für Tests" gravity="0 0 -9.81">
  <experiment stop="0.1" step="0.01"/>
  <solver frame="0.005" substeps="5"/>
  <material id="rock" density="2500" youngs="1e7"/>
  <material id="steel" density="7850" youngs="2e11" poisson="0.3"/>
  <pair a="rock" b="rock" friction="0.5"/>
  <pair a="rock" b="steel" friction="0.4"
        rolling="0.1"/>
  <body id="floor" material="steel">
    <plane normal="0 0 1"/>
  </body>
  <body id="plate" material="steel" kind="driven" position="0 0 0.3">
    <box size="0.1 0.02 0.1"/>
  </body>
  <fill id="bed" material="rock" count="40" min="-0.05 -0.05 0" max="0.05 0.05 0.2">
    <size diameter="0.018" diameterMax="0.022"/>
  </fill>
  <port id="plate" body="plate"/>
  <port id="floor" body="floor" mode="wrench"/>
</scene>
"""


def mutate(old, new, base=BASE):
    assert base.count(old) == 1, f"{old!r} must be in the scene once, not {base.count(old)} times"
    return base.replace(old, new)


def position(text, marker):
    """line:column of the only place where marker stands, both from 1."""
    assert text.count(marker) == 1, f"{marker!r} must be in the scene once, not {text.count(marker)} times"
    before = text[: text.index(marker)]
    return f"{before.count(chr(10)) + 1}:{len(before) - (before.rfind(chr(10)) + 1) + 1}"
