"""The reply of `procedures`."""

from __future__ import annotations

from .reply import Field, Flag, Items, Number, ReplyModel, SomeItems, Text

__all__ = ["ProceduresReply", "ToldProcedure", "ToldStep"]


class ToldStep(ReplyModel):
    """One step."""

    n: Number = Field(default=0, description="number of the line")
    does: Text = Field(default="", description="what is done there, in a few words")


class ToldProcedure(ReplyModel):
    """One task as a procedure."""

    name: Text = Field(default="", description='what is achieved, going on after "How to"')
    when: Text = Field(default="", description="in which situation it is of use")
    steps: Items[ToldStep] = Field(default_factory=list, description="the steps, in order")
    worked: Flag = Field(default=True, description="whether the task was completed")


class ProceduresReply(ReplyModel):
    """The tasks that were carried out; none is a good answer."""

    procedures: SomeItems[ToldProcedure]
