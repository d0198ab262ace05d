"""The replies of `verify`: a question for each statement, and what the dialogue answers."""

from __future__ import annotations

from .reply import Field, Flag, Number, Numbers, ReplyModel, SomeItems, Text

__all__ = ["Evidence", "EvidenceReply", "Question", "QuestionReply"]


class Question(ReplyModel):
    """What would have to be answered by the dialogue if the statement held."""

    n: Number = Field(default=0, description="number of the statement")
    question: Text = Field(default="", description="one question")


class QuestionReply(ReplyModel):
    """One for each statement."""

    questions: SomeItems[Question]


class Evidence(ReplyModel):
    """What the dialogue says about one question."""

    n: Number = Field(default=0, description="number of the question")
    found: Flag = Field(default=False, description="whether the dialogue answers it")
    statement: Text = Field(
        default="",
        description="the answer as a statement, understandable on its own; empty when there is none",
    )
    turns: Numbers = Field(default_factory=list, description="numbers n of the turns that answer it")
    timestamp: Text = Field(default="", description="ISO 8601 time of what happened; empty when unknown")
    reason: Text = Field(default="", description="in a few words, why it is not answered")


class EvidenceReply(ReplyModel):
    """One for each question."""

    answers: SomeItems[Evidence]
