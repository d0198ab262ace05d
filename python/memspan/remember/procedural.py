"""Learn procedures for one user or all, and list them."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Sequence
from functools import partial

from memspan.base.worker_threads import in_worker
from memspan.errors import invalid
from memspan.lifecycle.direct_tools import DirectTools
from memspan.lifecycle.procedures.mining import apply, mine_procedures, propose
from memspan.lifecycle.procedures.patterns import Mining
from memspan.lifecycle.procedures.procedure import newest, procedure_of
from memspan.lifecycle.procedures.words import word
from memspan.llm import LLM, Usage
from memspan.llm.patience import Patience
from memspan.llm.protocol import Ready
from memspan.reports.procedure_info import Procedure, ProcedureReport
from memspan.store.transcripts import TranscriptTurn

from .endings.version_ids import original_of
from .engine import Engine
from .forgetting.unforgotten import unforgotten
from .input.fields import checked_name

__all__ = ["joined", "learn_procedures", "learn_with_model", "learners", "procedures"]

_logger = logging.getLogger("memspan")


def procedures(engine: Engine, user: str) -> list[Procedure]:
    """See `Memory.procedures`."""
    checked_name(user, "user")
    engine.require_open()
    with engine.store.reading() as reader:
        records = reader.transcripts.procedures(user)
    # What a record said before it was replaced is history.
    return [procedure_of(record) for record in newest(records) if original_of(record) is None]


def learn_procedures(
    engine: Engine, user: str | None, settings: Mining | None, dry_run: bool
) -> ProcedureReport:
    """See `Memory.learn_procedures`; without a model."""
    users = learners(engine, user, settings)
    return joined([mine_procedures(engine, name, settings, dry_run=dry_run) for name in users])


async def learn_with_model(
    engine: Engine, llm: LLM, user: str | None, settings: Mining | None, recipe: str
) -> ProcedureReport:
    """See `Memory.learn_procedures`; a model finds the words. What it costs is counted for that recipe."""
    users = await in_worker(learners, engine, user, settings)
    reports, patience = [], Patience()
    for name in users:
        proposals = await in_worker(propose, engine, name, settings)
        tools = DirectTools(llm, "procedures", patience=patience)
        try:
            worded = await word(proposals, tools, llm.model, partial(_unforgotten, engine, name))
        finally:
            if tools.spent:
                await in_worker(_count, engine, name, recipe, tools)
        if refused := Counter(note["event"] for note in tools.notes):
            _logger.debug("procedures: %s", refused)
        if failed := refused["no words"]:
            # Not the reasons: they may hold what somebody said.
            _logger.warning(
                "%d procedures are kept without a model's words, for it failed; it is asked after their next runs",
                failed,
            )
        reports.append((await in_worker(apply, engine, worded))._replace(usage=tools.usage))
    return joined(reports)


def _unforgotten(engine: Engine, user: str, turns: Sequence[TranscriptTurn]) -> Ready:
    return unforgotten(engine, user, dict.fromkeys(turn.id for turn in turns))


def learners(engine: Engine, user: str | None, settings: Mining | None) -> list[str]:
    """The users whose procedures are to be learnt, of checked arguments."""
    if settings is not None and not isinstance(settings, Mining):
        raise invalid("settings", settings, "a memspan.lifecycle.procedures.Mining, or None")
    engine.require_open()
    if user is not None:
        return [checked_name(user, "user")]
    with engine.store.reading() as reader:
        return reader.users()


def _count(engine: Engine, user: str, recipe: str, tools: DirectTools) -> None:
    with engine.store.writing() as writer:
        for model, usage in tools.spent.items():
            writer.jobs.add_usage(user, recipe, "procedures", model, usage)


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
        worded=sum(report.worded for report in reports),
        ids=tuple(id_ for report in reports for id_ in report.ids),
        seconds=sum(report.seconds for report in reports),
        usage=sum((report.usage for report in reports), Usage()),
    )
