"""`Synthesise`: related statements of a session as one dense statement."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Final, NamedTuple

from memspan.arguments import as_integer, as_number
from memspan.llm import Prompt
from memspan.llm.prompts import render

from .clean import clean_text, same_words
from .kept_words import invented, lost
from .load import Load
from .merging import united_sources
from .numbering import pick, scene_of, turn_lines
from .stage import Tools
from .taken import too_long
from .together import ask_in_parts, in_batches, together
from .values import Statement, Turn, Work

if TYPE_CHECKING:
    from .replies.synthesise import Unit

__all__ = ["Synthesise"]

_SAME_TIME: Final = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Synthesise:
    """Merge related statements of the job into one each, before they are stored (SimpleMem 2.2).

    The model proposes units; what becomes of one is decided here. One with a number that no member has is dropped. One
    that says all that its members say (see `lost`), which happened at the same time, takes their place. Any other is an
    abstract, put before its members, which stay and are its `details`. Its sources are those of all members either
    way. Each statement goes into one unit at most. What does not fit is asked without the context, and then in halves.
    """

    most: int = 200
    """Statements in a call. The paper takes the whole session; only a longer one is read in several."""
    context: int = 5
    """Turns before the job's own that are shown, the conversational context of the paper."""

    coverage: float = 0.8
    """Share of the words of each member that a unit must have to take its place, besides all names, numbers and
    negations. The paper always replaces."""

    def __post_init__(self) -> None:
        as_number(self.coverage, "coverage", 0, 1)
        as_integer(self.most, "most", 2, 10_000)
        as_integer(self.context, "context", 0, 10_000)

    @property
    def name(self) -> str:
        """`synthesise`."""
        return "synthesise"

    def calls(self, load: Load) -> int:
        """One for a session, none for fewer than two statements."""
        return sum(1 for start in range(0, load.statements, self.most) if load.statements - start > 1)

    async def run(self, work: Work, tools: Tools) -> Work:
        """The work with units among its statements, each where its first member was.

        Raises:
            LLMError: the statements could not be read.
        """
        batches = in_batches(work.statements, self.most)
        done = await together(
            self._units(str(number), batch, work, tools) for number, batch in enumerate(batches)
        )
        return replace(work, statements=tuple(statement for some in done for statement in some))

    async def _units(
        self, key: str, batch: tuple[Statement, ...], work: Work, tools: Tools
    ) -> list[Statement]:
        from .replies.synthesise import SynthesiseReply

        if len(batch) < 2:
            return list(batch)

        def prompt(part: _Part) -> Prompt:
            data = {
                "scene": scene_of(work.turns),
                "context": turn_lines(part.context, ()),
                "statements": [_line(number, one) for number, one in enumerate(part.statements, 1)],
            }
            return render("synthesise", data=data)

        context = work.history[len(work.history) - min(self.context, len(work.history)) :]
        whole = _Part(0, batch, context)
        replies = await ask_in_parts(tools, key, whole, SynthesiseReply, prompt, _Part.smaller, _Part.texts)
        done: list[Statement] = []
        read = 0
        for part, reply in replies:
            done += batch[read : part.start]
            done += self._applied(part.statements, reply.units, work, tools)
            read = part.start + len(part.statements)
        return [*done, *batch[read:]]

    def _applied(
        self, statements: Sequence[Statement], units: Sequence[Unit], work: Work, tools: Tools
    ) -> list[Statement]:
        """The statements with the units that can be used, each before its first member or in place of its members."""
        free = set(range(1, len(statements) + 1))
        before: dict[int, Statement] = {}
        replaced: set[int] = set()
        for unit in units:
            _, unknown = pick(statements, unit.members)
            if unknown:
                tools.note("unknown statements", unit=clean_text(unit.content), numbers=unknown)
            numbers = sorted(free.intersection(unit.members))
            made = self._judged(unit, [statements[number - 1] for number in numbers], work, tools)
            if made is not None:
                free.difference_update(numbers)
                before[numbers[0]], dense = made
                replaced.update(numbers if dense else ())
        result = []
        for number, statement in enumerate(statements, 1):
            if number in before:
                result.append(before[number])
            if number not in replaced:
                result.append(statement)
        return result

    def _judged(
        self, unit: Unit, members: Sequence[Statement], work: Work, tools: Tools
    ) -> tuple[Statement, bool] | None:
        """The unit's statement, and whether it takes its members' place; `None` when it is dropped."""
        text = clean_text(unit.content)
        if not text or len(members) < 2:
            tools.note("dropped", reason="unit without two free members", unit=text)
            return None
        if too_long(text, tools):
            return None
        if added := invented(members, text):
            tools.note("dropped", reason="unit with other numbers", unit=text, numbers=added)
            return None
        missing = lost(members, text, self.coverage)
        dense = not missing and _belong_together(members)
        if not dense and same_words(text) in {same_words(member.text) for member in members}:
            tools.note("dropped", reason="unit that is one of its members", unit=text)
            return None
        tools.note(
            "synthesised" if dense else "abstracted",
            unit=text,
            members=[member.text for member in members],
            missing=missing,
        )
        return self._unit(unit, text, members, work, dense), dense

    def _unit(
        self, unit: Unit, text: str, members: Sequence[Statement], work: Work, dense: bool
    ) -> Statement:
        saliences = [member.salience for member in members if member.salience is not None]
        topics = [member.topic for member in members if member.topic]
        return Statement(
            text=text,
            at=max(member.at for member in members),
            sources=united_sources((member.sources for member in members), work.turns),
            topic=clean_text(unit.topic) or (topics[0] if topics else None),
            tags=tuple(dict.fromkeys(tag for member in members for tag in member.tags)),
            entities=tuple(dict.fromkeys(name for member in members for name in member.entities)),
            salience=max(saliences, default=None),
            stage=self.name,
            kind=members[0].kind if dense else "semantic",
            until=members[0].until if dense else None,
            details=_details(members, dense),
            metadata={key: value for member in members for key, value in member.metadata.items()},
        )


class _Part(NamedTuple):
    """Statements that are asked about at once."""

    start: int
    """Place of the first of them."""
    statements: tuple[Statement, ...]
    context: tuple[Turn, ...]

    def smaller(self) -> tuple[_Part, ...]:
        """What to ask in its place when it does not fit: without context, then about halves of which something can be
        made; statements for which that is nothing stay as they are."""
        if self.context:
            return (self._replace(context=()),)
        middle = len(self.statements) // 2
        first = self._replace(statements=self.statements[:middle])
        second = self._replace(start=self.start + middle, statements=self.statements[middle:])
        return tuple(part for part in (first, second) if len(part.statements) > 1)

    def texts(self) -> list[str]:
        """What tells which statements the numbers in a prompt stand for."""
        return [statement.text for statement in self.statements]


def _belong_together(members: Sequence[Statement]) -> bool:
    """Whether one record can say what the members say: of one kind, and of one time."""
    times = [member.at for member in members]
    alike = len({(member.kind, member.until) for member in members}) == 1
    return alike and max(times) - min(times) <= _SAME_TIME


def _details(members: Sequence[Statement], dense: bool) -> tuple[str, ...]:
    """Texts of the statements below a unit: those below its members, when it takes their place."""
    if not dense:
        return tuple(member.text for member in members)
    return tuple(dict.fromkeys(text for member in members for text in member.details))


def _line(number: int, statement: Statement) -> dict[str, object]:
    line: dict[str, object] = {"n": number, "statement": statement.text}
    if statement.topic:
        line["topic"] = statement.topic
    return line
