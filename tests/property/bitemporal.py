"""A plain-Python model of what a memory believes: a list of beliefs, looked through from end to end."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

FOREVER = 1 << 62


@dataclass(frozen=True)
class Belief:
    """Words about one thing, believed from `learnt` until `dropped`."""

    name: str
    text: str
    at: int
    until: int
    """As it was believed."""
    learnt: int
    dropped: int = FOREVER
    now_until: int = FOREVER
    """As is known since it was dropped."""
    by: str = ""

    @property
    def believed(self) -> bool:
        return self.dropped == FOREVER

    @property
    def end(self) -> int:
        return self.until if self.believed else self.now_until


Found = set[tuple[str, str, int, int]]
"""Text, at and until, and what it is about; the until is as it was known at the time asked about."""


@dataclass
class Beliefs:
    """The model. Times are microseconds; the caller's clock may go backwards."""

    all: list[Belief] = field(default_factory=list)

    def standing(self, name: str) -> Belief | None:
        """The last that was learnt about something, believed or not."""
        found = [belief for belief in self.all if belief.name == name]
        return max(found, key=lambda belief: belief.learnt, default=None)

    def believed(self) -> list[str]:
        return [belief.name for belief in self.all if belief.believed]

    def add(self, name: str, text: str, at: int, until: int, clock: int) -> None:
        last = self.standing(name)
        if last is None:
            self.all.append(Belief(name, text, at, until, clock))
        elif (last.text, last.at, last.until) != (text, at, until):
            moment = max(clock, last.learnt + 1)
            if last.believed:
                self._drop(last, last.at, moment, name)
            elif last.dropped > moment:
                self.all[self.all.index(last)] = replace(last, dropped=moment)
            self.all.append(Belief(name, text, at, until, moment))

    def retire(self, names: list[str], at: int | None, clock: int) -> int:
        doomed = [belief for name in names if (belief := self.standing(name)) and belief.believed]
        moment = max([clock, *(belief.learnt + 1 for belief in doomed)])
        for belief in doomed:
            self._drop(belief, moment if at is None else at, moment, "")
        return len(doomed)

    def supersede_by_text(self, name: str, new: str, text: str, at: int, clock: int) -> None:
        old = self.standing(name)
        assert old is not None
        moment = max(clock, old.learnt + 1)
        self._drop(old, at, moment, new)
        self.all.append(Belief(new, text, at, FOREVER, moment))

    def supersede_by(self, name: str, by: str, at: int | None, clock: int) -> None:
        old, new = self.standing(name), self.standing(by)
        assert old is not None
        assert new is not None
        moment = max(clock, old.learnt + 1, new.learnt + 1)
        self._drop(old, new.at if at is None else at, moment, by)

    def forget(self, name: str) -> None:
        """What it was that replaced others is not said any more, either."""
        self.all = [
            replace(belief, by="" if belief.by == name else belief.by)
            for belief in self.all
            if belief.name != name
        ]

    def _drop(self, belief: Belief, at: int, moment: int, by: str) -> None:
        end = max(min(at, belief.until), belief.at)
        self.all[self.all.index(belief)] = replace(belief, dropped=moment, now_until=end, by=by)

    # --- reading

    def find(self, as_of: int | None = None, valid_at: int | None = None) -> Found:
        found = self.all
        if as_of is None and valid_at is None:
            found = [belief for belief in found if belief.believed]
        if as_of is not None:
            found = [belief for belief in found if belief.learnt <= as_of]
            found = [
                replace(belief, dropped=FOREVER) if as_of < belief.dropped else belief for belief in found
            ]
            if valid_at is None:
                found = [belief for belief in found if belief.believed]
        if valid_at is not None:
            found = [belief for belief in found if belief.at <= valid_at < belief.end]
        return {(belief.name, belief.text, belief.at, belief.end) for belief in found}

    def history(self, name: str) -> list[tuple[str, int, int]]:
        """What was said about something, and when that was believed."""
        own = sorted((belief for belief in self.all if belief.name == name), key=lambda one: one.learnt)
        return [(belief.text, belief.learnt, belief.dropped) for belief in own]

    def replaced_by(self, name: str) -> set[str]:
        """Everything that took the place of something, directly or through others."""
        return self._reached(name, lambda belief: (belief.name, belief.by))

    def took_place_of(self, name: str) -> set[str]:
        """Everything that something took the place of, directly or through others."""
        return self._reached(name, lambda belief: (belief.by, belief.name))

    def _reached(self, name: str, ends: object) -> set[str]:
        edges = {ends(belief) for belief in self.all if belief.by}  # type: ignore[operator]
        reached = {name}
        while True:
            more = {end for start, end in edges if start in reached} - reached
            if not more:
                return reached - {name}
            reached |= more
