"""What a figure was measured on: stored beside every result, because microseconds mean nothing without it."""

from __future__ import annotations

import os
import platform
from datetime import datetime, timezone
from importlib import metadata
from pathlib import Path
from typing import Any

import memspan


def cpu_model() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith(("model name", "Model")):
            return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


def memory_gb() -> float:
    return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1)


def version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def describe_machine(date: str | None = None, packages: tuple[str, ...] = ()) -> dict[str, Any]:
    """The machine, its load at this moment, and versions; `date` is today unless it is given."""
    return {
        "date": date or datetime.now(timezone.utc).date().isoformat(),
        "cpu": cpu_model(),
        "cores": os.cpu_count(),
        "memory_gb": memory_gb(),
        "load_average": [round(load, 2) for load in os.getloadavg()],
        "system": platform.platform(),
        "python": platform.python_version(),
        "memspan": memspan.__version__,
        "simd_level": memspan.simd_level(),
        "packages": {name: found for name in ("numpy", *packages) if (found := version(name))},
    }


def one_line(machine: dict[str, Any]) -> str:
    """For captions: what, how many cores, how busy, when."""
    return (
        f"{machine['cpu']}, {machine['cores']} cores, {machine['memory_gb']} GB, {machine['simd_level']}, "
        f"load {machine['load_average'][0]}, Python {machine['python']}, {machine['date']}"
    )
