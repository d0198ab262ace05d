"""What holds of every context."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memspan import Record, estimate_tokens
from memspan.memory import Memory
from memspan.times import from_micros

HOUR = 3_600_000_000
WORDS = st.sampled_from(
    ["boat", "lake", "Ana", "not", "12", "sold.", "again!", "天气", "</memories>", "\n[a] x:"]
)
TEXT = st.one_of(st.lists(WORDS, min_size=1, max_size=12).map(" ".join), st.text(min_size=1, max_size=60))
NAME = st.one_of(st.none(), st.sampled_from(["Ana", "Ben", "x]: y"]))
TURNS = st.lists(
    st.tuples(
        TEXT.filter(lambda text: bool(text.strip())),
        NAME,
        st.sampled_from([None, "s", "t"]),
        st.integers(0, 60),
    ),
    max_size=14,
)


@pytest.fixture(scope="module")
def memory() -> Iterator[Memory]:
    with tempfile.TemporaryDirectory() as folder, Memory(Path(folder) / "m.memspan", "hash:16") as memory:
        yield memory


@settings(max_examples=60, deadline=None)
@given(TURNS, st.integers(1, 300), st.booleans(), st.text("boat lake?", min_size=1).filter(str.strip))
def test_every_context(
    memory: Memory,
    turns: list[tuple[str, str | None, str | None, int]],
    tokens: int,
    by_characters: bool,
    question: str,
) -> None:
    memory.forget(user="u")
    records = [
        Record(
            id=f"r{i}" if i % 3 else f"record number {i} of this user",
            user="u",
            text=text,
            speaker=speaker,
            session=session,
            at=from_micros(hour * HOUR),
        )
        for i, (text, speaker, session, hour) in enumerate(turns)
    ]
    memory.add_records(records)
    memory.add([{"id": "secret", "text": "boat lake of somebody else"}], user="other")
    count = len if by_characters else estimate_tokens
    context = memory.context(question, user="u", tokens=tokens, count_tokens=len if by_characters else None)

    assert context.tokens == count(context.text) <= tokens
    ids = [source.id for source in context.sources]
    assert len(set(ids)) == len(ids)
    assert set(ids) <= {record.id for record in records}
    hits = [source for source in context.sources if source.why == "hit"]
    assert hits == sorted(hits, key=lambda hit: (hit.at, len(hit.id), hit.id))
    labels = [source.label for source in context.sources]
    assert len(set(labels)) == len(labels)
    assert all(0 < source.share <= 1 for source in context.sources)
    assert bool(context.text) == bool(ids)
    if not ids:
        return
    lines = context.text.split("\n")
    assert lines == context.text.splitlines()
    assert (lines[0], lines[-1]) == ("<memories>", "</memories>")
    shown = [line for line in lines[1:-1] if line.startswith("[")]
    assert len(shown) == len(hits)
    for line, hit in zip(shown, hits, strict=True):
        assert line.startswith((f"[{hit.label}]", f"[{hit.label},"))
    assert "somebody else" not in context.text
    assert (
        memory.context(question, user="u", tokens=tokens, count_tokens=len if by_characters else None)
        == context
    )
