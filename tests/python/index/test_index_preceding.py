"""`Index.preceding` against a plain oracle."""

from __future__ import annotations

import random
from typing import Any

import pytest

import memspan
from memspan.errors import InvalidArgumentError


def test_against_an_oracle(tmp_path: Any) -> None:
    chosen = random.Random(5)
    index = memspan.Index(1)
    records: dict[str, tuple[int, str | None]] = {}
    for number in range(400):
        id_ = f"r{chosen.randrange(250)}"
        records[id_] = (chosen.randrange(40), chosen.choice([None, "s", "t", "u"]))
        at, session = records[id_]
        index.add(user="ana", id=id_, at=at, session=session, kind=chosen.choice(["episodic", "vault"]))
        index.add(user="ben", id=id_, at=number, session="s")
        if number % 7 == 0:
            gone = chosen.choice(sorted(records))
            index.remove(user="ana", ids=[gone])
            del records[gone]

    def before(id_: str) -> str | None:
        if id_ not in records or records[id_][1] is None:
            return None
        at, session = records[id_]
        earlier = [(a, other) for other, (a, s) in records.items() if s == session and (a, other) < (at, id_)]
        return max(earlier)[1] if earlier else None

    asked = [f"r{number}" for number in range(260)] * 2
    wanted = [before(id_) for id_ in asked]
    assert index.preceding(user="ana", ids=asked) == wanted
    index.save(tmp_path / "index")
    assert memspan.Index.load(tmp_path / "index").preceding(user="ana", ids=asked) == wanted
    assert index.preceding(user="nobody", ids=["r1"]) == [None]
    assert index.preceding(user="ana", ids=[]) == []


@pytest.mark.parametrize("bad", [None, 7, "r1", [7], ["\ud800"]])
def test_bad_ids_are_refused(bad: Any) -> None:
    with pytest.raises(InvalidArgumentError, match="^ids"):
        memspan.Index(1).preceding(user="ana", ids=bad)
