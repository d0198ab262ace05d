"""What becomes of each memory with an update queue: a model proposes, and its reply is checked (LightMem 3.3)."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

from memspan.encode.clean import clean_text, same_words
from memspan.encode.kept_words import invented, lost
from memspan.encode.numbering import pick
from memspan.encode.stage import Tools
from memspan.encode.together import all_or_none
from memspan.encode.values import Statement
from memspan.errors import LLMError
from memspan.limits import MAX_STATEMENT_CHARS
from memspan.llm import Prompt
from memspan.llm.prompts import render
from memspan.llm.protocol import Ready
from memspan.records import Record

from .changes import Change, joined, settled
from .queues import UpdateQueue

if TYPE_CHECKING:
    from .reply import UpdateReply

__all__ = ["decide", "update_prompt"]

_LONGEST: Final = 2
"""A new text may be so many times as long as all that it is made of, but no longer than a statement may be, or than one
of these is."""
_COVERAGE: Final = 0.8
"""What share of the words of each memory a merged text has to hold, as for `Synthesise`."""


async def decide(
    queues: Sequence[UpdateQueue],
    tools: Tools,
    ready: Callable[[UpdateQueue], Ready | None] = lambda queue: None,
) -> list[Change]:
    """The changes that the model wants and that hold, ready to be applied together.

    One call for each queue, side by side: targets are independent of each other. A queue whose call fails is left as
    it is and noted (`no decision`), so that the next sleep asks again; what makes no sense in a reply is refused and
    noted. Merged texts must have the numbers, names and negations of what they replace and most of its words; no new
    text has a number from nowhere.

    Args:
        ready: says of a queue whether it may still be sent.
    """
    found = await all_or_none(_decided(queue, tools, ready(queue)) for queue in queues)

    def overtaken(change: Change) -> None:
        tools.note("overtaken", action=change.action, memory=change.ending[0].id)

    return joined(settled((change for change in found if change is not None), overtaken))


def update_prompt(queue: UpdateQueue) -> Prompt:
    """What the model is asked about a queue; memories are named by numbers."""
    later = [{"n": number, **_line(record)} for number, record in enumerate(queue.later, 1)]
    return render("update", data={"memory": _line(queue.target), "later": later})


async def _decided(queue: UpdateQueue, tools: Tools, ready: Ready | None) -> Change | None:
    from .reply import UpdateReply

    prompt = update_prompt(queue)
    # Another queue, or other wording, is another question.
    key = f"{queue.target.id}.{hashlib.sha256(prompt.user.encode()).hexdigest()[:16]}"
    try:
        reply = await tools.ask(key, prompt, UpdateReply, ready=ready)
    except LLMError as error:
        tools.note("no decision", memory=queue.target.id, reason=str(error))
        return None
    return _checked(queue, reply, tools)


def _checked(queue: UpdateQueue, reply: UpdateReply, tools: Tools) -> Change | None:
    action: str = reply.action.strip().lower()
    text = clean_text(reply.content)
    later, unknown = pick(queue.later, reply.later)

    def refused(reason: str, **details: Any) -> None:
        tools.note("refused", memory=queue.target.id, action=action, reason=reason, **details)

    def decided(rests_on: Sequence[Record]) -> None:
        tools.note("decided", memory=queue.target.id, action=action, later=[record.id for record in rests_on])

    if unknown:
        tools.note("unknown memories", memory=queue.target.id, numbers=unknown)
    if action == "keep":
        decided([])
        return None
    if action not in ("merge", "update", "retire"):
        refused("no such action")
        return None
    if not later:
        refused("rests on no later memory")
        return None
    if action == "retire":
        decided(later)
        return Change(action="retire", ending=(queue.target,), evidence=tuple(later))
    parts = [_statement(record) for record in (queue.target, *later)]
    lengths = [len(part.text) for part in parts]
    if not text or len(text) > min(_LONGEST * sum(lengths), max(MAX_STATEMENT_CHARS, *lengths)):
        refused("no text, or one that is too long")
        return None
    if added := invented([*parts, *_dates(queue.target, *later)], text):
        refused("numbers from nowhere", numbers=added)
        return None
    if action == "update":
        decided(later)
        # Models like to repeat the later memory, which would then stand there twice.
        there = same_words(text) in {same_words(record.text) for record in later}
        new = None if there else text
        return Change(action="update", ending=(queue.target,), evidence=tuple(later), text=new)
    if gone := lost(parts, text, _COVERAGE):
        refused("would lose something", missing=gone)
        return None
    decided(later)
    return Change(action="merge", ending=(queue.target, *later), text=text)


def _line(record: Record) -> dict[str, Any]:
    return {"at": record.at.date().isoformat(), "text": record.text}


def _statement(record: Record) -> Statement:
    return Statement(text=record.text, at=record.at, sources=record.sources, entities=record.entities)


def _dates(*records: Record) -> list[Statement]:
    """The dates that the model was shown, which it may write into a text."""
    return [
        Statement(text=record.at.strftime("%Y %m %d"), at=record.at, sources=record.sources)
        for record in records
    ]
