"""Sets that others change meanwhile."""

from __future__ import annotations

from collections.abc import Iterator
from weakref import WeakSet

from memspan.base.weak_sets import all_of


class Thing:
    pass


class Changing(WeakSet[Thing]):
    """Another thread adds something while somebody goes through it for the first time."""

    went = 0

    def __iter__(self) -> Iterator[Thing]:
        Changing.went += 1
        for thing in super().__iter__():
            if Changing.went == 1:
                added.append(Thing())
                self.add(added[0])
            yield thing


added: list[Thing] = []


def test_all_are_found_while_others_come() -> None:
    things = {Thing() for _ in range(5)}
    assert set(all_of(Changing(things))) == things | set(added)
    assert (Changing.went, len(added)) == (2, 1)
