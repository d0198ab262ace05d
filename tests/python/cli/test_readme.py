"""The README's code runs as printed, without a model everywhere and with the default model where it is."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from memspan.embed.models import find_model
from memspan.embed.registry import DEFAULT_MODEL
from memspan.recipes import recipe, recipe_names

README = Path(__file__).parents[3] / "README.md"


def block(heading: str, language: str) -> str:
    """The first code block in that language under a heading."""
    section = README.read_text(encoding="utf-8").split(f"## {heading}\n", 1)[1].split("\n## ", 1)[0]
    found = re.search(rf"```{language}\n(.*?)```", section, re.DOTALL)
    assert found, heading
    return found[1]


EMBEDDERS = [
    "hash",
    pytest.param(
        DEFAULT_MODEL,
        marks=[
            pytest.mark.model,
            pytest.mark.skipif(
                find_model(DEFAULT_MODEL) is None, reason="the default model is not here: memspan models pull"
            ),
        ],
    ),
]


def python(code: str, folder: Path) -> str:
    command = [sys.executable, "-W", "error", "-c", code]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("embedder", EMBEDDERS)
def test_python(tmp_path, embedder):
    code = block("Ten lines of Python", "python")
    assert len(code.splitlines()) <= 12
    if embedder == "hash":
        opening = 'memspan.Memory("agent.memspan")'
        assert opening in code
        code = code.replace(opening, 'memspan.Memory("agent.memspan", embedder="hash")')
    first = python(code, tmp_path).splitlines()[0]
    assert first.startswith("2024-06-07")
    assert "24th of August" in first


def test_with_a_language_model(tmp_path, server, monkeypatch):
    """Against a server that answers by rules."""
    pytest.importorskip("openai")
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    opening = 'memspan.Memory("agent.memspan", '
    code = block("With a language model", "python")
    assert code.count(opening) == 1
    code = code.replace(opening, f'{opening}embedder="hash", ')
    code += (
        "assert memory.latest(user='ana', kinds=['semantic']), 'statements were made'\n"
        "assert {entry.stage for entry in memory.usage()} >= {'answer', 'extract'}, memory.usage()\n"
        "memory.close()\n"
    )
    assert "ferry" in python(code, tmp_path)


def test_what_stays_true(tmp_path):
    """On the memory of the ten lines, as somebody who reads on runs it; what the comments promise holds."""
    opening = 'memspan.Memory("agent.memspan")'
    lines = [block(heading, "python") for heading in ("Ten lines of Python", "A memory that stays true")]
    assert opening in lines[1]
    code = "\n".join(lines).replace(opening, f'{opening[:-1]}, embedder="hash")')
    found = 'memory.search("where does Ana live?", user="ana", valid_at="2024-05-01")'
    assert code.count(found) == 1
    code = code.replace(found, f"then = {found}")
    code += (
        "assert 'Ana lives in Bergen.' in [recall.text for recall in then]\n"
        "assert 'Ana lives in Rome.' not in [recall.text for recall in then]\n"
        "assert report.upkeep is not None\n"
        "assert memory.audit()[-1].details['records'] == 2\n"
        "memory.close()\n"
    )
    python(code, tmp_path)


@pytest.mark.parametrize("embedder", EMBEDDERS)
def test_shell(tmp_path, embedder):
    lines = block("Ten lines of shell", "sh").splitlines()
    assert len(lines) == 10
    environment = {**os.environ, "MEMSPAN_EMBEDDER": embedder}
    for line in lines:
        program, *arguments = shlex.split(line)
        assert program == "memspan"
        command = [sys.executable, "-m", "memspan", *arguments]
        done = subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120, check=False
        )
        assert done.returncode == 0, (line, done.stderr)
        assert done.stdout or done.stderr, line


def test_plain_record_is_readable(tmp_path, run_json):
    (tmp_path / "one.jsonl").write_text(block("Ten lines of shell", "json"), encoding="utf-8")
    assert run_json("ingest", "one.jsonl", "--store", "one.memspan")["users"] == {"demo": 1}


def test_every_linked_file_exists():
    links = re.findall(r"\]\((?!https?:)([^)#]+)\)", README.read_text(encoding="utf-8"))
    assert links
    assert [link for link in links if not (README.parent / link).exists()] == []


def test_the_recipes_are_those_that_there_are_with_their_sections():
    """Sections of a paper, as the recipe names them; appendices are for its file."""
    section = re.compile(r"(?<![\d.])\d\.\d(?:\.\d)?(?![\d.])")
    rows = re.findall(r"^\| `(\w+)` \| [^|]* \|([^|]*)\|$", README.read_text(encoding="utf-8"), re.MULTILINE)
    said = {name: section.findall(paper) for name, paper in rows}
    assert said == {name: section.findall(recipe(name).paper or "") for name in recipe_names()}
