"""The shared object: what it needs and what it shows."""

import pathlib
import re
import subprocess

import fmpy


def read(tool, *arguments):
    return subprocess.run([tool, *map(str, arguments)], capture_output=True, text=True, check=True).stdout


def test_needs_only_the_c_library(small):
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", read("readelf", "-d", small.binary))
    allowed = {"libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "ld-linux-x86-64.so.2"}
    sanitizers = {name for name in needed if re.match(r"lib(a|ub)san|libgcc_s", name)}  # in sanitizer builds
    assert set(needed) - sanitizers <= allowed


def test_loads_with_an_old_c_library(small):
    """The newest version of any function that it takes from the C library: at most that of 2021."""
    versions = {tuple(map(int, v.split("."))) for v in re.findall(r"GLIBC_([0-9.]+)", read("objdump", "-T", small.binary))}
    newest = max(versions)
    print("glibc", ".".join(map(str, newest)))
    assert newest <= (2, 34)


def test_exports_exactly_the_api(small):
    exported = set(re.findall(r"\b[TDBR] (\S+)", read("nm", "-D", "--defined-only", small.binary)))
    header = (pathlib.Path(fmpy.__file__).parent / "c-code" / "fmi2Functions.h").read_text()
    api = set(re.findall(r"FMI2_Export \w+\s+(fmi2\w+);", header))
    assert len(api) == 44
    assert exported == api


def test_package_layout(small):
    files = {str(path.relative_to(small.folder)) for path in small.folder.rglob("*") if path.is_file()}
    assert {"modelDescription.xml", "binaries/linux64/small.so", "resources/scene.bin",
            "documentation/index.html"} <= files


def test_versions(small):
    from ctypes import c_char_p
    for function, text in (("fmi2GetVersion", b"2.0"), ("fmi2GetTypesPlatform", b"default")):
        getattr(small.library, function).restype = c_char_p
        assert getattr(small.library, function)() == text
