"""The reply of `tag`."""

from __future__ import annotations

from .reply import Field, Items, Number, ReplyModel, SomeItems, Text, Texts

__all__ = ["TagRelation", "TagReply", "Tagged"]


class TagRelation(ReplyModel):
    """One tag below another one."""

    parent: Text = Field(default="", description="the broader tag")
    child: Text = Field(default="", description="the narrower tag")


class Tagged(ReplyModel):
    """The tags of one item."""

    n: Number = Field(default=0, description="number of the item")
    tags: Texts = Field(default_factory=list, description="three to eight tags")
    relations: Items[TagRelation] = Field(default_factory=list, description="which tag is broader than which")


class TagReply(ReplyModel):
    """One for each item."""

    items: SomeItems[Tagged]
