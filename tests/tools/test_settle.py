"""--settle of run and pack."""

import pytest
from scenes import BASE


@pytest.fixture
def scene(tmp_path):
    path = tmp_path / "scene.xml"
    path.write_text(BASE, encoding="utf-8")
    return path


@pytest.mark.parametrize("command", ["run", "pack"])
@pytest.mark.parametrize(
    "arguments, words",
    [
        (["--settle-limit", "5"], ["--settle-limit without --settle"]),
        (["--settle", "--settle-limit", "-1"], ['"-1"', "above 0"]),
        (["--settle", "--settle-limit", "soon"], ['"soon"', "in s"]),
    ],
)
def test_bad_limits(scree, scene, tmp_path, command, arguments, words):
    result = scree(command, scene, "-o", tmp_path / "out", *arguments)
    assert result.returncode == 2 and result.stderr.count("\n") == 1
    assert all(word in result.stderr for word in words)


@pytest.mark.parametrize("command", ["run", "pack"])
def test_not_at_rest(scree, scene, tmp_path, command):
    """A bed that is given no time: exit 1, one line that says how far it is, nothing written."""
    result = scree(command, scene, "-o", tmp_path / "out", "--settle", "--settle-limit", "0.05")
    assert result.returncode == 1 and "not at rest after 0.05 s" in result.stderr and result.stderr.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["scene.xml"]
