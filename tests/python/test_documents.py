"""Files and folders that the documents name are there."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = (".ci", "benches", "bindings", "cpp", "python", "tests")
FILE = re.compile(r"[\w.*/{},-]+\.(?:cpp|hpp|json|md|npz|py|pyi|toml|tsv)|[\w.*-]+(?:/[\w.*-]+)*/")


def names_of_files(document: str) -> Iterator[str]:
    """What stands in backticks and looks like a file or, with a slash at its end, a folder."""
    for name in re.findall(r"`([^`\n]+)`", (ROOT / document).read_text(encoding="utf-8")):
        if FILE.fullmatch(name) and name.split("/")[0] not in (".venv", "build", "dist"):
            opened = re.search(r"\{([^}]*)\}", name)
            for choice in opened[1].split(",") if opened else [""]:
                yield (name.replace(opened[0], choice) if opened else name).rstrip("/")


@pytest.fixture(scope="module")
def tree() -> list[str]:
    """Every file and folder, from the root."""
    found = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*")]
    return ["/" + str(path.relative_to(ROOT)) for path in (*found, *ROOT.iterdir())]


@pytest.mark.parametrize(
    "document", ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"]
)
def test_what_a_document_names_is_there(document: str, tree: list[str]) -> None:
    named = set(names_of_files(document))
    missing = [name for name in named if not any(fnmatch(path, f"*/{name}") for path in tree)]
    assert missing == []


@pytest.mark.parametrize("document", ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"])
def test_links_within_a_document_lead_to_its_headings(document: str) -> None:
    text = (ROOT / document).read_text(encoding="utf-8")
    headings = re.findall(r"^#+ (.*)$", re.sub(r"```.*?```", "", text, flags=re.DOTALL), re.MULTILINE)
    anchors = {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}
    linked = set(re.findall(r"\]\(#([^)]+)\)", text))
    assert linked
    assert linked <= anchors


def test_the_architecture_names_many_files() -> None:
    assert len(set(names_of_files("ARCHITECTURE.md"))) > 100


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not here")
def test_make_lists_the_targets_that_the_documents_name() -> None:
    command = ["make", "--no-print-directory", "-C", str(ROOT), "help"]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    targets = {line.split()[0] for line in listed.splitlines()}
    texts = [(ROOT / document).read_text(encoding="utf-8") for document in ("README.md", "CONTRIBUTING.md")]
    named = {name for text in texts for name in re.findall(r"`make ([a-z0-9-]+)", text)}
    assert len(named) > 10
    assert named <= targets
