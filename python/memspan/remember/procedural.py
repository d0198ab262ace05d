"""Learn procedures for one user or all, and list them."""

from __future__ import annotations

from memspan.errors import invalid
from memspan.lifecycle.mining import mine_procedures
from memspan.lifecycle.procedures.patterns import Mining
from memspan.lifecycle.procedures.procedure import newest, procedure_of
from memspan.procedure_info import Procedure, ProcedureReport

from .engine import Engine
from .fields import checked_name

__all__ = ["joined", "learn_procedures", "procedures"]


def procedures(engine: Engine, user: str) -> list[Procedure]:
    """See `Memory.procedures`."""
    checked_name(user, "user")
    engine.require_open()
    with engine.store.reading() as reader:
        return [procedure_of(record) for record in newest(reader.transcripts.procedures(user))]


def learn_procedures(
    engine: Engine, user: str | None, settings: Mining | None, dry_run: bool
) -> ProcedureReport:
    """See `Memory.learn_procedures`; without a model."""
    if settings is not None and not isinstance(settings, Mining):
        raise invalid("settings", settings, "a memspan.lifecycle.procedures.Mining, or None")
    engine.require_open()
    if user is not None:
        checked_name(user, "user")
        users = [user]
    else:
        with engine.store.reading() as reader:
            users = reader.users()
    return joined([mine_procedures(engine, name, settings, dry_run=dry_run) for name in users])


def joined(reports: list[ProcedureReport]) -> ProcedureReport:
    """One report for several users."""
    return ProcedureReport(
        users=len(reports),
        sessions=sum(report.sessions for report in reports),
        actions=sum(report.actions for report in reports),
        found=sum(report.found for report in reports),
        new=sum(report.new for report in reports),
        changed=sum(report.changed for report in reports),
        merged=sum(report.merged for report in reports),
        ids=tuple(id_ for report in reports for id_ in report.ids),
        seconds=sum(report.seconds for report in reports),
    )
