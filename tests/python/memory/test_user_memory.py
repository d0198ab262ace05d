"""The bound handle and the asynchronous forms offer the same calls."""

from __future__ import annotations

import asyncio
import inspect
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memspan import errors
from memspan.memory import Memory
from memspan.one_user.user_memory import UserMemory
from memspan.records import Record
from memspan.times import from_micros

HANDLES = {"user", "vault", "acting"}
"""What only makes something to call."""

UNBOUND = {
    "user",
    "users",
    "load",
    "reembed",
    "verify",
    "close",
    "start_processing",
    "stop_processing",
    "set_quotas",
    "acting",
}


def public(cls: type) -> dict[str, Any]:
    members = {name: member for base in reversed(cls.__mro__[:-1]) for name, member in vars(base).items()}
    return {name: member for name, member in members.items() if not name.startswith("_") and callable(member)}


def parameters(function: Any) -> dict[str, inspect.Parameter]:
    return dict(inspect.signature(function, eval_str=False).parameters)


def asynchronous(cls: type) -> set[str]:
    return {name for name, member in public(cls).items() if inspect.iscoroutinefunction(member)}


@pytest.mark.parametrize("cls", [Memory, UserMemory])
def test_asynchronous_forms_have_the_same_signatures(cls: type) -> None:
    members, asyncs = public(cls), asynchronous(cls)
    assert {f"a{name}" for name in members if name not in asyncs and name not in HANDLES} == asyncs
    for name in asyncs:
        assert parameters(members[name]) == parameters(members[name[1:]])
        assert members[name].__name__ == name
        assert members[name].__doc__


def test_the_bound_handle_has_the_same_calls_without_the_user() -> None:
    wide, bound = public(Memory), public(UserMemory)
    synchronous = set(wide) - asynchronous(Memory)
    assert synchronous - UNBOUND == set(bound) - asynchronous(UserMemory)
    for name in synchronous - UNBOUND:
        wanted = {key: value for key, value in parameters(wide[name]).items() if key != "user"}
        assert parameters(bound[name]) == wanted, name


@pytest.mark.parametrize(
    "name",
    [
        *(
            "tag",
            "untag",
            "tags",
            "procedures",
            "learn_procedures",
            "latest",
            "evicted",
            "consolidate",
            "runs",
        ),
        *(
            "resources",
            "check_resources",
            "process",
            "jobs",
            "enqueue",
            "usage",
            "stats",
            "quotas",
            "compress",
        ),
    ],
)
def test_calls_about_a_whole_user_take_the_name_first(name: str) -> None:
    _, user, *_ = parameters(public(Memory)[name]).values()
    assert (user.name, user.kind) == ("user", inspect.Parameter.POSITIONAL_OR_KEYWORD)


def test_a_bound_handle_reaches_one_user_only(memory: Memory) -> None:
    ana, ben = memory.user("ana"), memory.user("ben")
    ana.add([{"id": "m1", "text": "secret of ana", "tags": ["t"]}])
    ben.add([{"id": "m1", "text": "text of ben"}])
    assert [found.text for found in ben.search("secret")] == ["text of ben"]
    assert [found.text for found in ana.latest()] == ["secret of ana"]
    assert ben.get(id="m1").text == "text of ben"  # type: ignore[union-attr]
    assert ana.relate(parent="top", child="t")
    assert ana.unrelate(parent="top", child="t")
    assert ana.stats()["records"] == 1
    output = io.StringIO()
    assert ana.export(output) == 1
    assert "ben" not in output.getvalue()
    with pytest.raises(errors.InvalidArgumentError, match=r"^records\[0\]\.user"):
        ben.add_records([Record(id="x", user="ana", text="x", at=from_micros(0))])
    assert ben.add_records([Record(id="x", user="ben", text="x", at=from_micros(0))]) == 1
    assert ben.forget() == 2
    assert memory.users() == ["ana"]
    assert ana.name in repr(ana)
    with pytest.raises(errors.InvalidArgumentError, match="^name"):
        memory.user("")


def test_one_script_through_both_worlds(open_memory: Callable[..., Memory], tmp_path: Path) -> None:
    """The same calls, waited for or not, have the same results."""
    file = tmp_path / "export.jsonl"
    record = Record(id="m3", user="ana", text="third", at=from_micros(3))
    script: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = [
        ("add", ([{"id": "m1", "text": "first"}, {"id": "m2", "text": "second"}],), {"user": "ana", "at": 0}),
        ("add_records", ([record],), {}),
        ("relate", (), {"user": "ana", "parent": "a", "child": "b"}),
        ("unrelate", (), {"user": "ana", "parent": "a", "child": "b"}),
        ("export", ("ana", file), {}),
        ("forget", (), {"user": "ana", "id": "m1"}),
        ("load", (file,), {}),
        ("users", (), {}),
        ("reembed", ("hash:16",), {}),
        ("verify", (), {}),
    ]
    waiting, plain = open_memory(tmp_path / "a.memspan"), open_memory(tmp_path / "b.memspan")

    async def run() -> list[Any]:
        results = [await getattr(waiting, f"a{name}")(*args, **options) for name, args, options in script]
        found = await waiting.asearch("second", user="ana")
        results.append([recall.id for recall in found])
        results.append((await waiting.aget(user="ana", id="m1")).text)
        results.append(len(await waiting.alatest(user="ana")))
        results.append((await waiting.astats("ana"))["records"])
        both = await asyncio.gather(*(waiting.user("ben").aadd(f"text {i}") for i in range(5)))
        assert len({id_ for (id_,) in both}) == 5
        await waiting.aclose()
        return results

    expected = [getattr(plain, name)(*args, **options) for name, args, options in script]
    expected.append([recall.id for recall in plain.search("second", user="ana")])
    expected += ["first", 3, 3]
    assert asyncio.run(run()) == expected
    with pytest.raises(errors.StoreError, match="closed"):
        waiting.users()
