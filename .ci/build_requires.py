"""Print the build requirements of pyproject.toml, one a line: a build without isolation needs them first."""

from __future__ import annotations

import sys
from pathlib import Path

if sys.version_info >= (3, 11):
    import tomllib
else:
    from pip._vendor import tomli as tomllib

PYPROJECT = Path(__file__).parent.parent / "pyproject.toml"


def main() -> None:
    """Write the requirements to standard output."""
    with PYPROJECT.open("rb") as file:
        requirements = tomllib.load(file)["build-system"]["requires"]
    print(*requirements, sep="\n")


if __name__ == "__main__":
    main()
