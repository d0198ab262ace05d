"""Install the wheel of a directory into an empty environment and use it: `python try_wheel.py dist`."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import venv
import zipfile
from pathlib import Path

SMOKE = Path(__file__).with_name("smoke.py")


def check_contents(wheel: Path) -> None:
    """The wheel holds the package, its type information and every licence, and nothing else."""
    names = zipfile.ZipFile(wheel).namelist()
    metadata = wheel.name.split("-cp")[0] + ".dist-info"
    assert {name.split("/")[0] for name in names} == {"memspan", metadata}, names
    strangers = [name for name in names if name.endswith((".pyc", ".a", ".hpp", ".cpp"))]
    assert not strangers, strangers
    for needed in ("memspan/py.typed", "memspan/_core.pyi", "memspan/_core."):
        assert any(name.startswith(needed) for name in names), needed
    for owner in ("", "third_party/hnswlib/", "third_party/boost/", "third_party/pybind11/"):
        assert f"{metadata}/licenses/{owner}LICENSE" in names, names


def main() -> None:
    """Check the contents of the one wheel in the directory given, then install and use it."""
    (wheel,) = Path(sys.argv[1]).resolve().glob("memspan-*.whl")
    check_contents(wheel)
    with tempfile.TemporaryDirectory() as directory:
        venv.create(directory, with_pip=True)
        python = Path(directory) / "bin" / "python"
        # With these, neither memspan nor a dependency can be compiled without being noticed.
        environment = {**os.environ, "CC": "/bin/false", "CXX": "/bin/false", "PATH": f"{directory}/bin"}
        environment.pop("PYTHONPATH", None)
        install = [str(python), "-m", "pip", "install", "--quiet", "--only-binary", ":all:", str(wheel)]
        subprocess.run(install, check=True, cwd=directory, env=environment)
        subprocess.run([python, "-W", "error", SMOKE], check=True, cwd=directory, env=environment)


if __name__ == "__main__":
    main()
