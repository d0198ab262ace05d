"""`Buffer`: topic segments gather in short-term memory and are summed up together (LightMem 3.2)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, get_args

from memspan.arguments import as_choice, as_integer
from memspan.llm import Prompt
from memspan.llm.prompts import render
from memspan.recall.context.tokens import estimate_tokens

from .load import Load
from .merging import merge_same
from .numbering import scene_of, turn_lines
from .segment_entries import entries_of, owners, summed_by_number
from .stage import Tools
from .together import ask_in_parts, split_list, together
from .values import Statement, Window, Work

if TYPE_CHECKING:
    from .replies.summarise import SummariseReply

__all__ = ["Buffer", "Calls"]

Calls: TypeAlias = Literal["buffer", "topic"]
_CALLS: Final = get_args(Calls)

_Segments: TypeAlias = tuple[Window, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Buffer:
    """Topic segments wait until they have `tokens` tokens; then a model writes entries {topic, summary, turns} of
    them.

    Each window of the work is a segment; without windows, all turns are one. An entry becomes a statement with the
    segment's topic, whose sources are the turns that it sums up: the user's and the model's own words stay readable in
    the store. An empty segment is a good answer and noted; one that the reply leaves out is asked about once more, on
    its own, if it was not before. A reply that does not fit is asked for again in two halves, one long turn in pieces.
    """

    tokens: int = 512
    """th: the capacity, as `estimate_tokens` counts. .7 and 512 are the paper's settings for LoCoMo and LongMemEval
    with its smaller model (table 7)."""
    calls_by: Calls = "buffer"
    """`buffer`: one call for all that is in the buffer, which is what the paper counts: N r^x T / th calls (section 4,
    tables 1 and 2). `topic`: one call for each segment, the dearer reading of sum_i = f_sum(S_i) in 3.2; the capacity
    then decides nothing."""

    def __post_init__(self) -> None:
        as_integer(self.tokens, "tokens", 1, 1 << 20)
        as_choice(self.calls_by, "calls_by", _CALLS)

    @property
    def name(self) -> str:
        """`buffer`."""
        return "buffer"

    def calls(self, load: Load) -> int:
        """At most: N r^x T / th rounded up, as table 1 has it, or one for each segment."""
        if not load.turns:
            return 0
        return max(1, -(-load.tokens // self.tokens)) if self.calls_by == "buffer" else load.windows

    async def run(self, work: Work, tools: Tools) -> Work:
        """The work with the entries of its segments; full buffers are asked about side by side.

        Raises:
            LLMError: a buffer could not be summed up; the answers for the others are kept.
        """
        windows = [window for window in work.windows or (Window(turns=work.turns),) if window.turns]
        found = await together(
            self._summarise(str(number), segments, tools)
            for number, segments in enumerate(self._buffers(windows))
        )
        statements = [*work.statements, *(statement for some in found for statement in some)]
        return replace(work, statements=merge_same(statements, work.turns, tools))

    def _buffers(self, windows: Sequence[Window]) -> Iterator[_Segments]:
        """What is in the buffer each time that it is emptied, the last time because no more comes."""
        waiting: list[Window] = []
        held = 0
        for window in windows:
            waiting.append(window)
            held += sum(estimate_tokens(turn.text) for turn in window.turns)
            if held >= self.tokens or self.calls_by == "topic":
                yield tuple(waiting)
                waiting, held = [], 0
        if waiting:
            yield tuple(waiting)

    async def _summarise(self, key: str, segments: _Segments, tools: Tools) -> list[Statement]:
        found: list[Statement] = []
        missing: list[Window] = []
        for part, reply in await self._ask(key, segments, tools):
            summed = summed_by_number(reply, part)
            found += entries_of(part, summed, tools, stage=self.name)
            left = [segment for number, segment in enumerate(part, 1) if number not in summed]
            if left and len(part) == 1:  # the same question again would have the same answer
                _note_not_summed(part, tools)
            else:
                missing += left
        if missing:
            tools.note("asked again", key=key, segments=len(missing))
            replies = await together(
                self._ask(f"{key}.missing.{number}", (segment,), tools)
                for number, segment in enumerate(missing, 1)
            )
            for part, reply in (answered for several in replies for answered in several):
                summed = summed_by_number(reply, part)
                if not summed:
                    _note_not_summed(part, tools)
                found += entries_of(part, summed, tools, stage=self.name)
        return found

    async def _ask(
        self, key: str, segments: _Segments, tools: Tools
    ) -> list[tuple[_Segments, SummariseReply]]:
        from .replies.summarise import SummariseReply

        return await ask_in_parts(tools, key, segments, SummariseReply, _asked, _halves, _numbered)


def _note_not_summed(segments: _Segments, tools: Tools) -> None:
    tools.note("not summed up", turns=[turn.id for segment in segments for turn in segment.turns])


def _asked(segments: _Segments) -> Prompt:
    turns = [turn for segment in segments for turn in segment.turns]
    lines: list[dict[str, Any]] = [
        {"segment": owner, **line}
        for owner, line in zip(owners(segments), turn_lines(turns, turns), strict=True)
    ]
    return render("summarise", data={"scene": scene_of(turns), "turns": lines})


def _numbered(segments: _Segments) -> list[str]:
    turns = [turn for segment in segments for turn in segment.turns]
    return [f"{owner} {turn.id}" for owner, turn in zip(owners(segments), turns, strict=True)]


def _halves(segments: _Segments) -> tuple[_Segments, ...] | None:
    if len(segments) > 1:
        return split_list(segments)
    parts = replace(segments[0], history=()).halves()  # which is not shown
    return None if parts is None else tuple((part,) for part in parts)
