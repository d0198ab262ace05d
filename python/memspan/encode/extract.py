"""`Extract`: statements from windows of turns."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from memspan.arguments import as_choice
from memspan.llm import Prompt
from memspan.llm.prompts import render

from .grounding import grounded
from .load import Load
from .merging import merge_same
from .numbering import scene_of, turn_lines
from .stage import Tools
from .together import ask_in_parts, together
from .values import Statement, Window, Work

__all__ = ["Extract"]

_PROMPTS: Final = ("extract", "extract_personal")


@dataclass(frozen=True, slots=True, kw_only=True)
class Extract:
    """Ask a model for the statements that are worth remembering, window by window.

    One pass does what the papers ask of it (SimpleMem 2.1 and A.1, ProMem 3.2): leave out what informs of nothing, so
    that an empty list is a good answer; name who and what is meant; make times absolute; one fact a statement. What
    comes back is checked: see `grounded` for sources, `check_time` for times. What does not fit is asked again in two
    halves, with less of what comes before them, and one long turn in pieces. Without windows, all turns of the job are
    one.
    """

    prompt: str = "extract"
    """`extract` keeps whatever informs (SimpleMem); `extract_personal` what tells about the people (ProMem)."""

    def __post_init__(self) -> None:
        as_choice(self.prompt, "prompt", _PROMPTS)

    @property
    def name(self) -> str:
        """`extract`."""
        return "extract"

    def calls(self, load: Load) -> int:
        """One for each window."""
        return load.windows if load.turns else 0

    async def run(self, work: Work, tools: Tools) -> Work:
        """The work with the statements of its windows, the same ones once; windows are asked about side by side.

        Raises:
            LLMError: a window could not be read; the answers for the others are kept.
        """
        windows = work.windows or (Window(turns=work.turns, history=work.history),)
        found = await together(
            self._read(str(number), window, tools) for number, window in enumerate(windows) if window.turns
        )
        statements = [*work.statements, *(statement for some in found for statement in some)]
        return replace(work, statements=merge_same(statements, work.turns, tools))

    async def _read(self, key: str, window: Window, tools: Tools) -> list[Statement]:
        from .replies.extract import ExtractReply

        replies = await ask_in_parts(tools, key, window, ExtractReply, self._asked, Window.halves, _ids)
        return [
            statement
            for part, reply in replies
            for statement in grounded(
                reply.statements,
                part.turns,
                (*part.history, *part.turns),
                tools,
                stage=self.name,
                topic=part.topic,
            )
        ]

    def _asked(self, window: Window) -> Prompt:
        shown = (*window.history, *window.turns)
        data = {"scene": scene_of(window.turns, window.topic), "turns": turn_lines(shown, window.turns)}
        return render(self.prompt, data=data)


def _ids(window: Window) -> list[str]:
    return [turn.id for turn in window.turns]
