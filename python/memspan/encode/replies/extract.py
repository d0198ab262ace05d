"""The reply of `extract` and `complete`."""

from __future__ import annotations

from .reply import AliasChoices, Field, Numbers, ReplyModel, SomeItems, Text, Texts

__all__ = ["ExtractReply", "Extracted"]


class Extracted(ReplyModel):
    """One statement."""

    content: Text = Field(
        default="",
        description="the statement, understandable on its own",
        validation_alias=AliasChoices("content", "statement", "summary", "text", "fact"),
    )
    """Also under the other names that models give it: without its words a statement would be dropped."""
    turns: Numbers = Field(default_factory=list, description="numbers n of the turns that say it")
    entities: Texts = Field(default_factory=list, description="names of people, places and things in it")
    topic: Text = Field(default="", description="what it is about, in one to three words")
    timestamp: Text = Field(default="", description="ISO 8601 time of what happened; empty when unknown")
    salience: Text = Field(
        default="medium",
        description="how much it matters",
        json_schema_extra={"enum": ["low", "medium", "high"]},
    )


class ExtractReply(ReplyModel):
    """Everything worth remembering; may be empty."""

    statements: SomeItems[Extracted]
