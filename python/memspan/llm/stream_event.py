"""One event of an answer that comes in pieces, and what is known at the end."""

from __future__ import annotations

from typing import Any

from .completion import name_of, read_usage, text_of
from .usage import Usage

__all__ = ["StreamEnd", "read_event"]


class StreamEnd:
    """The last item of a stream: what is known when the text is complete."""

    def __init__(self, model: str) -> None:
        self.model = model
        self.finish = ""
        self.usage = Usage(calls=1, uncounted=1)


def read_event(chunk: Any, end: StreamEnd, seconds: float) -> tuple[str, bool]:
    """The text in an event, and whether the model said anything there, be it only what it thinks before it answers;
    what else the event says goes to `end`.

    Args:
        chunk: as OpenAI's client gives it.
        seconds: since the request.
    """
    event = chunk.model_dump(warnings=False) if hasattr(chunk, "model_dump") else {}
    end.model = name_of(event, end.model)
    if event.get("usage"):
        end.usage = read_usage(event["usage"], seconds)
    choices = event.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    if not isinstance(choice, dict):
        return "", False
    if choice.get("finish_reason"):
        end.finish = str(choice["finish_reason"])
    delta = choice.get("delta")
    if not isinstance(delta, dict):
        return "", False
    return text_of(delta.get("content")), any(said for name, said in delta.items() if name != "role")
