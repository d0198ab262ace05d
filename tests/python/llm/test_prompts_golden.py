"""Every prompt, filled with an example, looks as its golden file says.

`golden/<name>.json` holds `{"settings": {...}, "data": {...}}`, `golden/<name>.v<version>.txt` what comes out. A
changed prompt needs a new version and with it a new file: run this with `MEMSPAN_WRITE_GOLDEN=1`, which writes missing
files and never replaces one, read what was written, and delete the file of the old version.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from memspan.llm.prompts import prompt_names, render


@pytest.mark.parametrize("name", prompt_names())
def test_prompt_looks_like_its_golden_file(name: str, here: Path) -> None:
    example = json.loads((here / "golden" / f"{name}.json").read_text("utf-8"))

    prompt = render(name, settings=example["settings"], data=example["data"])

    text = f"--- system\n{prompt.system}\n--- user\n{prompt.user}\n"
    golden = here / "golden" / f"{name}.v{prompt.version}.txt"
    if not golden.exists() and os.environ.get("MEMSPAN_WRITE_GOLDEN"):
        golden.write_text(text, "utf-8")
    assert text == golden.read_text("utf-8")


def test_no_golden_file_is_left_of_an_older_version_or_a_removed_prompt(here: Path) -> None:
    examples = {path.stem for path in (here / "golden").glob("*.json")}
    texts = {path.name for path in (here / "golden").glob("*.txt") if not path.name.startswith("test-")}

    assert examples == set(prompt_names())
    assert texts == {f"{name}.v{_version(name, here)}.txt" for name in prompt_names()}


def _version(name: str, here: Path) -> int:
    example = json.loads((here / "golden" / f"{name}.json").read_text("utf-8"))
    return render(name, settings=example["settings"], data=example["data"]).version
