"""Random histories of adding, overwriting, retiring and superseding, through two handles that are opened again and
again, with a clock that also goes backwards: what is found at any two times is what a plain model says."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import patch

import pytest
from bitemporal import FOREVER, Beliefs, Found
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from hypothesis_profile import PROFILE

import memspan
from memspan.one_user.user_memory import UserMemory
from memspan.times import from_micros, to_micros

DAY = 86_400_000_000
START = 1_700_000_000_000_000
NAMES = ("tea", "home", "job", "cat")
WORDS = ("green", "black", "oolong", "chai")
times = st.integers(0, 8).map(lambda day: START + day * DAY)
ends = st.one_of(st.just(FOREVER), times)
handles = st.integers(0, 1)


class HistoryMachine(RuleBasedStateMachine):
    """Two handles of one store, and the model."""

    def __init__(self) -> None:
        super().__init__()
        self.directory = Path(tempfile.mkdtemp())
        self.clock = START + 100 * DAY
        self.moments = [self.clock]
        fake = SimpleNamespace(time_ns=lambda: self.clock * 1000)
        self.patch = patch("memspan.times.time", fake)
        self.patch.start()
        self.opened: dict[int, memspan.Memory] = {}
        self.memories: dict[int, UserMemory] = {}
        for place in (0, 1):
            self.open(place)
        self.model = Beliefs()

    def teardown(self) -> None:
        for opened in self.opened.values():
            opened.close()
        self.patch.stop()
        shutil.rmtree(self.directory)

    def open(self, place: int) -> None:
        if place in self.opened:
            self.opened[place].close()
        self.opened[place] = memspan.Memory(self.directory / "m", "hash:8")
        self.memories[place] = self.opened[place].user("ana")

    def noted(self) -> None:
        """Remember the times at which something changed."""
        self.moments += [
            time for belief in self.model.all for time in (belief.learnt, belief.dropped) if time != FOREVER
        ]
        self.moments = sorted(set(self.moments))

    # --- writing

    @rule(
        where=handles,
        name=st.sampled_from(NAMES),
        text=st.sampled_from(WORDS),
        at=times,
        end=ends,
    )
    def add(self, where: int, name: str, text: str, at: int, end: int) -> None:
        end = max(at, end)
        until = None if end == FOREVER else from_micros(end)
        self.memories[where].add({"id": name, "text": text, "at": from_micros(at), "until": until})
        self.model.add(name, text, at, end, self.clock)
        self.noted()

    @precondition(lambda self: self.model.all)
    @rule(where=handles, at=st.one_of(st.none(), times), choice=st.data())
    def retire(self, where: int, at: int | None, choice: st.DataObject) -> None:
        known = sorted({belief.name for belief in self.model.all})
        names = choice.draw(st.lists(st.sampled_from(known), max_size=2, unique=True))
        retired = self.memories[where].retire(ids=names, at=at)
        assert retired == self.model.retire(names, at, self.clock)
        self.noted()

    @precondition(lambda self: self.model.believed())
    @rule(where=handles, text=st.sampled_from(WORDS), at=times, choice=st.data())
    def supersede_by_text(self, where: int, text: str, at: int, choice: st.DataObject) -> None:
        name = choice.draw(st.sampled_from(sorted(self.model.believed())))
        new = self.memories[where].supersede(id=name, text=text, at=at)
        self.model.supersede_by_text(name, new, text, at, self.clock)
        self.noted()

    @precondition(lambda self: len(self.model.believed()) > 1)
    @rule(where=handles, at=st.one_of(st.none(), times), choice=st.data())
    def supersede_by_another(self, where: int, at: int | None, choice: st.DataObject) -> None:
        pair = st.lists(st.sampled_from(sorted(self.model.believed())), min_size=2, max_size=2, unique=True)
        name, by = choice.draw(pair)
        assert self.memories[where].supersede(id=name, by=by, at=at) == by
        self.model.supersede_by(name, by, at, self.clock)
        self.noted()

    @precondition(lambda self: self.model.all)
    @rule(where=handles, name=st.sampled_from(NAMES), sure=st.integers(0, 3))
    def forget(self, where: int, name: str, sure: int) -> None:
        if sure == 0:
            self.memories[where].forget(id=name)
            self.model.forget(name)

    # --- time and handles

    @rule(step=st.integers(1, 1000))
    def time_passes(self, step: int) -> None:
        self.clock += step

    @rule(step=st.integers(1, 50))
    def the_clock_is_set_back(self, step: int) -> None:
        self.clock -= step

    @rule(where=handles)
    def reopen(self, where: int) -> None:
        self.open(where)

    # --- reading

    @invariant()
    def what_is_believed_is_found(self) -> None:
        for memory in self.memories.values():
            expected = self.model.find()
            assert self.found(memory) == expected
            assert {one.record.text for one in memory.latest(k=100)} == {text for _, text, _, _ in expected}

    @rule(where=handles, choice=st.data(), valid=st.one_of(st.none(), times), between=st.integers(-1, 1))
    def travel(self, where: int, choice: st.DataObject, valid: int | None, between: int) -> None:
        as_of = choice.draw(st.one_of(st.none(), st.sampled_from(self.moments)))
        moment = None if as_of is None else as_of + between
        assert self.found(self.memories[where], as_of=moment, valid_at=valid) == self.model.find(
            moment, valid
        )

    @precondition(lambda self: self.model.all)
    @rule(where=handles, choice=st.data())
    def history(self, where: int, choice: st.DataObject) -> None:
        name = choice.draw(st.sampled_from(sorted({belief.name for belief in self.model.all})))
        history = self.memories[where].history(id=name)
        assert history is not None
        said = [
            (
                belief.record.text,
                to_micros(belief.since),
                FOREVER if belief.until is None else to_micros(belief.until),
            )
            for belief in history.versions
        ]
        assert said == self.model.history(name)
        assert {named(belief.record) for belief in history.before} == self.model.took_place_of(name)
        assert {named(belief.record) for belief in history.after} == self.model.replaced_by(name)
        for version in history.versions:
            again = self.memories[where].history(id=version.record.id)
            assert again is not None
            assert again.to_dict() == history.to_dict()

    def found(self, memory: UserMemory, **times: int | None) -> Found:
        """By meaning and words; every record that may be found is."""
        recalls = memory.search("green black tea", k=100, **times)
        assert len({recall.id for recall in recalls}) == len(recalls)
        return {
            (
                named(recall.record),
                recall.text,
                to_micros(recall.at),
                FOREVER if recall.record.until is None else to_micros(recall.record.until),
            )
            for recall in recalls
        }


def named(record: memspan.Record) -> str:
    """What a record or a version is about."""
    return record.id.partition("@")[0]


def test_what_was_believed_when() -> None:
    short = settings(PROFILE, max_examples=15, stateful_step_count=25)
    run_state_machine_as_test(HistoryMachine, settings=short)


@pytest.mark.slow
def test_what_was_believed_when_for_long() -> None:
    long = settings(PROFILE, max_examples=100, stateful_step_count=50, derandomize=False)
    run_state_machine_as_test(HistoryMachine, settings=long)
