"""What is known of encode jobs, of a round of processing, and of what models cost."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final, NamedTuple

from memspan.llm.usage import Usage

__all__ = ["JOB_STATES", "Job", "JobEvent", "ProcessReport", "UsageEntry"]

JOB_STATES: Final = ("pending", "running", "done", "parked")
"""A job waits, is worked on, is done, or was given up until `Memory.retry`."""


class Job(NamedTuple):
    """One encode job: turns of one session that become records by a recipe."""

    id: str
    user: str
    recipe: str
    session: str | None
    state: str
    """One of `JOB_STATES`."""
    turns: int
    records: int
    """Records made by it that are still there."""
    attempts: int
    """That failed since it last got on."""
    reason: str | None
    """Why the last attempt failed; `None` when none did since it last got on."""
    due: datetime | None
    """When it is tried again; `None` when nothing holds it back."""
    created: datetime
    updated: datetime


class JobEvent(NamedTuple):
    """One line of a job's log: something that a stage dropped or decided, or a change of the job's state."""

    at: datetime
    run: int
    """Which of the job's runs it belongs to, from 1."""
    stage: str | None
    """`None` for what happened to the job itself."""
    event: str
    details: Mapping[str, Any]


class ProcessReport(NamedTuple):
    """What a call of `Memory.process` did."""

    done: int
    """Jobs that were finished."""
    failed: int
    """Attempts that failed; the jobs were tried again or parked."""
    parked: int
    """Jobs that were given up until `Memory.retry`; also of other processes, which died while they worked on them."""
    waiting: int
    """Jobs that are neither done nor parked: left by `limit`, or held by another process."""
    records: int
    """Records that were made."""
    usage: Usage
    """What the models cost."""
    seconds: float


class UsageEntry(NamedTuple):
    """What models cost, summed over everything that shares these names; those that were not asked for are `None`."""

    user: str | None
    recipe: str | None
    stage: str | None
    model: str | None
    usage: Usage
