"""`memspan tags` and `memspan ingest --tags`."""

from __future__ import annotations

import pytest
from rich.console import Console

from memspan.cli.commands.tags import tree_of
from memspan.reports.tag_info import TagInfo

DAG = [
    TagInfo("camping", 5, ("nature", "trip"), ("camping_gear",), 1),
    TagInfo("camping_gear", 1, ("camping",), (), 2),
    TagInfo("lone", 4, (), (), 0),
    TagInfo("nature", 9, (), ("camping",), 0),
    TagInfo("trip", 7, (), ("camping",), 0),
]


def drawn(tags: list[TagInfo], depth: int = 100) -> list[str]:
    console = Console(width=100, record=True, file=None, highlight=False)
    with console.capture() as capture:
        console.print(tree_of("ana", tags, depth))
    return [line.rstrip() for line in capture.get().splitlines()]


def test_the_tree() -> None:
    assert drawn(DAG) == [
        "ana",
        "├── nature 9",
        "│   └── camping 5",
        "│       └── camping_gear 1",
        "├── trip 7",
        "│   └── camping 5 ↑",
        "└── on their own: lone 4",
    ]
    assert drawn(DAG, 0) == [
        "ana",
        "├── nature 9 … 1 below",
        "├── trip 7 … 1 below",
        "└── on their own: lone 4",
    ]
    assert drawn(DAG, 1)[2] == "│   └── camping 5 … 1 below"


def test_names_cannot_drive_the_terminal() -> None:
    assert "\x1b" not in "".join(
        drawn([TagInfo("a\x1b[31mb", 1, (), (), 0), TagInfo("[red]x", 1, (), ("a\x1b[31mb",), 0)])
    )
    assert any("[red]x" in line for line in drawn([TagInfo("[red]x", 1, (), (), 0)]))


def test_many_lone_tags_are_cut() -> None:
    lines = " ".join(drawn([TagInfo(f"t{i:03}", 1, (), (), 0) for i in range(70)]))
    assert "and 10 more" in lines


def test_of_a_store(run, run_json, filled) -> None:
    assert "has no tags; `--make` makes some" in run("tags", "--store", filled, "--user", "demo").stderr
    document = run_json("tags", "--store", filled, "--user", "demo", "--make")
    assert document["made"]["changed"] > 50
    assert document["tags"][0].keys() == {"name", "records", "parents", "children", "specificity"}
    again = run_json("tags", "--store", filled, "--user", "demo")
    assert again["made"] is None
    assert again["tags"] == document["tags"]
    lines = run("tags", "--store", filled, "--user", "demo", "--depth", "0").stdout.splitlines()
    assert lines[0] == "demo"
    assert len(lines) > 3
    assert run("verify", "--store", filled).stderr == "no problems\n"


def test_of_nobody(run, filled) -> None:
    assert "knows no user 'nobody'" in run("tags", "--store", filled, "--user", "nobody", "--make").stderr


@pytest.mark.parametrize("flag", [[], ["--tags"]])
def test_ingest_may_make_them(run, run_json, tmp_path, write_lines, flag) -> None:
    store = tmp_path / "s.memspan"
    lines = [
        {"user": "ana", "id": str(i), "text": "The tram to the harbour", "at": "2024-01-01"} for i in range(3)
    ]
    run("ingest", write_lines(*lines), "--store", store, *flag)
    assert bool(run_json("tags", "--store", store, "--user", "ana")["tags"]) == bool(flag)
