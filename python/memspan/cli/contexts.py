"""A context as `memspan search --context` shows it: the text alone, so that it can be piped into a prompt."""

from __future__ import annotations

from dataclasses import asdict

from memspan.recall.context import Context

from .environment import Environment
from .printable import printable

__all__ = ["print_context"]


def print_context(env: Environment, question: str, user: str, context: Context, *, as_json: bool) -> None:
    """The text on standard output and its size on standard error, or everything as JSON."""
    if as_json:
        env.write_json(
            {
                "question": question,
                "user": user,
                "text": context.text,
                "tokens": context.tokens,
                "sources": [asdict(source) for source in context.sources],
            }
        )
    elif context.text:
        env.write(printable(context.text) + "\n")
        env.note(f"about {context.tokens:,} tokens from {len(context.sources):,} records")
    else:
        env.note(f"nothing found for user '{user}', or nothing fits")
