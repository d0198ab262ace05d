"""What an evaluation ran on: figures travel, and without this nobody can tell whether two of them compare."""

from __future__ import annotations

import os
import platform
from importlib import metadata
from pathlib import Path
from typing import Any, Final

import memspan

__all__ = ["provenance"]

_PACKAGES: Final = ("numpy", "onnxruntime", "tokenizers")
_CPU_INFO: Final = Path("/proc/cpuinfo")


def provenance() -> dict[str, Any]:
    """Versions of software, and the machine, as JSON values."""
    return {
        "memspan": memspan.__version__,
        "python": platform.python_version(),
        "packages": {name: version for name in _PACKAGES if (version := _version(name)) is not None},
        "system": platform.platform(),
        "cpu": _cpu(),
        "cores": os.cpu_count(),
        "simd_level": memspan.simd_level(),
    }


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _cpu() -> str:
    """The processor's name; Linux tells it in a file only."""
    if _CPU_INFO.is_file():
        for line in _CPU_INFO.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
