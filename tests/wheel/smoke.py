"""Use an installed memspan once, from end to end: `python smoke.py`. Needs nothing but the package."""

from __future__ import annotations

import json
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

import numpy as np

import memspan


def check_index(directory: Path) -> None:
    """Add, search, save and load an index."""
    camping, painting = np.eye(4, dtype="float32")[:2]
    index = memspan.Index(dim=4)
    index.add(user="ana", id="m1", at="2023-05-08T13:56:00Z", text="We went camping.", embedding=camping)
    index.add(user="ana", id="m2", at="2023-06-01T09:00:00Z", text="I paint.", embedding=painting)
    index.add(user="ben", id="m3", at="2023-06-02T09:00:00Z", text="Camping again.", embedding=camping)
    index.save(directory / "index")
    for each in (index, memspan.Index.load(directory / "index")):
        hits = each.search(user="ana", text="camping", embedding=camping, k=2)
        assert hits.ids == ["m1", "m2"], hits.ids
        assert hits[0].at.isoformat() == "2023-05-08T13:56:00+00:00", hits[0].at


def check_memory(directory: Path) -> None:
    """Add to a store on disk, open it again and search."""
    path = directory / "store.memspan"
    with memspan.Memory(path, embedder=memspan.HashEmbedder(dim=64)) as memory:
        memory.add("Melanie went camping in the mountains.", user="ana", at="2023-05-08T13:56:00Z")
        memory.add("The bakery opens at seven.", user="ana", at="2023-05-09T08:00:00Z")
    with memspan.Memory(path, embedder=memspan.HashEmbedder(dim=64)) as memory:
        recalls = memory.search("who went camping?", user="ana", k=1)
        assert [recall.text for recall in recalls] == ["Melanie went camping in the mountains."], recalls
        assert memory.search("who went camping?", user="ben") == []


def check_command_line(directory: Path) -> None:
    """Ask the installed command for help, and for the records of the store just made."""
    command = Path(sysconfig.get_path("scripts")) / "memspan"
    for arguments in (["--version"], ["--help"], ["search", "--help"]):
        subprocess.run([command, *arguments], check=True, stdout=subprocess.DEVNULL)
    store = str(directory / "store.memspan")
    stats = subprocess.run([command, "stats", "--store", store, "--json"], check=True, stdout=subprocess.PIPE)
    assert json.loads(stats.stdout), stats.stdout


def main() -> None:
    """Run every check in a temporary directory."""
    with tempfile.TemporaryDirectory() as directory:
        check_index(Path(directory))
        check_memory(Path(directory))
        check_command_line(Path(directory))
    print(f"memspan {memspan.__version__} works on Python {sys.version.split()[0]}: {memspan.__file__}")


if __name__ == "__main__":
    main()
