"""The reply of `synthesise`."""

from __future__ import annotations

from .reply import Field, Numbers, ReplyModel, SomeItems, Text

__all__ = ["SynthesiseReply", "Unit"]


class Unit(ReplyModel):
    """Several statements in one."""

    content: Text = Field(
        default="", description="everything that the members say, understandable on its own"
    )
    members: Numbers = Field(default_factory=list, description="numbers n of the statements it is made of")
    topic: Text = Field(default="", description="what it is about, in one to three words")


class SynthesiseReply(ReplyModel):
    """Units of related statements; statements that stand alone are not mentioned."""

    units: SomeItems[Unit]
