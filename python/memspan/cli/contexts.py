"""A context as `memspan search --context` shows it: the text alone, so that it can be piped into a prompt."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

from memspan.recall.context import Context

from .environment import Environment
from .printable import printable
from .tables import counted

__all__ = ["print_context"]


def print_context(
    env: Environment, store: Path, user: str, question: str, context: Context, *, as_json: bool
) -> None:
    """The text on standard output and its size on standard error, or everything as JSON."""
    if as_json:
        env.write_json(
            {
                "store": str(store),
                "user": user,
                "question": question,
                "text": context.text,
                "tokens": context.tokens,
                "sources": [asdict(source) for source in context.sources],
            }
        )
    elif context.text:
        env.write(printable(context.text) + "\n")
        env.note(f"about {context.tokens:,} tokens from {counted(len(context.sources), 'record')}")
    else:
        env.note(f"nothing found for user '{user}', or nothing fits")
