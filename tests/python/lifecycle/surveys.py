"""A survey of a user with so few records that it has one page."""

from __future__ import annotations

from datetime import datetime

from memspan import Memory, StalenessPolicy
from memspan.lifecycle.sleep.survey import StalenessSurvey, end_of_ages, survey_pages

__all__ = ["survey_of"]


def survey_of(memory: Memory, policy: StalenessPolicy, now: datetime | None = None) -> StalenessSurvey:
    (page,) = survey_pages(memory._engine, "ana", policy, now or end_of_ages(memory._engine, "ana"))
    return page
