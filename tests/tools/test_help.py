"""Help, manual and completion come from the tables of the commands: all commands, all options, in every form."""

import re
import shutil
import subprocess

import pytest
from scenes import BASE


@pytest.fixture(scope="module")
def commands(scree):
    """Name → options, as the help has them."""
    names = re.findall(r"^  (\w+) ", scree("--help").stdout, re.M)
    names = [name for name in names if name != "scree"]
    assert {"check", "run", "view", "export", "report", "help"} <= set(names)
    return {name: re.findall(r"--([\w-]+)", scree(name, "--help").stdout.split("\nOptions\n")[1].split("\nExa")[0])
            for name in names}


def test_every_command_explains_itself(scree, commands):
    for name in commands:
        text = scree(name, "--help").stdout
        assert text.startswith(f"usage: scree {name}") and "\nExit codes\n  0  ok\n  1  " in text
        assert "\nExamples\n" in text and f"  scree {name}" in text.split("\nExamples\n")[1] or name == "completion"
        assert all(len(line) <= 100 for line in text.splitlines()), text
        assert scree("help", name).stdout == text


def test_manual(scree, commands):
    text = scree("help", "--man").stdout
    assert text.startswith(".TH SCREE 1")
    for name, options in commands.items():
        assert f"\n.SS scree {name}\n" in text
        for option in options:
            if option != "help":
                assert "\\-\\-" + option.replace("-", "\\-") in text
    if shutil.which("man"):
        page = subprocess.run(["man", "--warnings", "-l", "-"], input=text, capture_output=True, text=True,
                              env={"MANWIDTH": "100", "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"})
        assert page.returncode == 0 and page.stderr == "" and "scree run" in page.stdout


def complete(scree, tmp_path, line):
    """What bash offers at the end of the line."""
    words = line.split(" ")
    script = f"""
PATH={scree.program.parent}:$PATH; source <(scree completion bash)
COMP_WORDS=({" ".join(f"'{word}'" for word in words)}); COMP_CWORD={len(words) - 1}
_scree; printf '%s\\n' "${{COMPREPLY[@]}}" """
    result = subprocess.run(["bash", "-c", script], cwd=tmp_path, capture_output=True, text=True, timeout=30)
    assert result.stderr == ""
    return set(result.stdout.split())


def test_bash_completion(scree, commands, tmp_path):
    (tmp_path / "scene.xml").write_text(BASE, encoding="utf-8")
    (tmp_path / "in.csv").write_text("")
    (tmp_path / "record").mkdir()
    assert complete(scree, tmp_path, "scree ") == {*commands, "--help", "--version"}
    assert complete(scree, tmp_path, "scree ex") == {"export"}
    assert complete(scree, tmp_path, "scree run ") == {"scene.xml", "record"}
    assert complete(scree, tmp_path, "scree run scene.xml --input ") == {"in.csv", "record"}
    assert complete(scree, tmp_path, "scree view ") == {"record"}
    assert complete(scree, tmp_path, "scree run --until ") == set()
    assert complete(scree, tmp_path, "scree completion ") == {"bash", "zsh", "fish"}
    assert complete(scree, tmp_path, "scree help ve") == {"verify"}
    assert "drop" in complete(scree, tmp_path, "scree verify ")
    for name, options in commands.items():
        assert complete(scree, tmp_path, f"scree {name} --") == {"--" + option for option in options}


@pytest.mark.parametrize("shell, check", [("bash", ["-n"]), ("zsh", ["-n"]), ("fish", ["--no-execute"])])
def test_scripts_are_sound(scree, commands, tmp_path, shell, check):
    text = scree("completion", shell).stdout
    for name, options in commands.items():
        assert name in text and all(option in text for option in options)
    (tmp_path / "script").write_text(text, encoding="utf-8")
    if shutil.which(shell):
        result = subprocess.run([shell, *check, tmp_path / "script"], capture_output=True, text=True)
        assert result.returncode == 0 and result.stderr == ""


@pytest.mark.parametrize("arguments, words", [(["completion"], "which shell"), (["completion", "tcsh"], "bash, zsh, fish"),
                                              (["help", "fly"], "fly")])
def test_bad_requests(scree, arguments, words):
    result = scree(*arguments)
    assert result.returncode == 2 and words in result.stderr and result.stdout == ""
