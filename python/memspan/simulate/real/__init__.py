"""The paper's questions, asked of real conversations: what may go before evidence is no longer found?"""

from __future__ import annotations

from .outcome import RealOutcome
from .study import REAL_EXPERIMENTS, RealStudy, real_study

__all__ = ["REAL_EXPERIMENTS", "RealOutcome", "RealStudy", "real_study"]
