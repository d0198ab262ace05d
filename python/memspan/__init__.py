"""memspan: the retrieval engine under an agent's long-term memory.

`Memory` is a durable memory of conversations: text in, the right turns out. `Index` is the native index under it, for
those who have a memory system already.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

__version__ = "0.1.0"

# The first of all: it watches over the reading of the others.
from memspan.base.lazy_names import lazy_names
from memspan.starting import raise_at_ctrl_c

# isort: split
from memspan._core import simd_level
from memspan.base.pickling import refuse_pickling
from memspan.embed import CallableEmbedder, Embedder, HashEmbedder
from memspan.errors import (
    BadReplyError,
    CorruptSnapshotError,
    EmbedderAccessError,
    EmbedderError,
    EmbedderMismatchError,
    EmbeddingError,
    ForgottenError,
    FormatError,
    HeldError,
    InvalidArgumentError,
    JobError,
    LLMError,
    MemspanError,
    MissingExtraError,
    ModelAccessError,
    ModelNotFoundError,
    PlanChangedError,
    QuotaError,
    RerankerError,
    SnapshotVersionError,
    StoreError,
    TagCycleError,
    TimeError,
    TruncatedReplyError,
    UndoError,
    UnknownIdError,
    UnknownJobError,
    VaultError,
    VaultKeyError,
    WhereError,
)
from memspan.index import Hit, Hits, Index, TagInfo
from memspan.lifecycle.quotas import Quotas
from memspan.lifecycle.staleness import StalenessPolicy
from memspan.llm import Usage
from memspan.memory import Memory
from memspan.one_user.user_memory import UserMemory
from memspan.query import Query
from memspan.recall.answer import Answer, AnswerStream, AnswerTimings
from memspan.recall.context import Context, Source, TokenCounter, estimate_tokens
from memspan.recipes import Recipe
from memspan.records import KINDS, Record
from memspan.remember.forgetting.forget_plans import ForgetPlan
from memspan.remember.searching.recall import Moved, Recall, Recalls, Timings
from memspan.reports.audit_info import AuditEntry
from memspan.reports.compression_report import CompressionReport
from memspan.reports.consolidation import (
    AutoConsolidations,
    ConsolidationReport,
    Planned,
    SleepReport,
    TagSpan,
    UpkeepReport,
)
from memspan.reports.duplicates import Duplicate, Duplicates
from memspan.reports.evicted import Evicted
from memspan.reports.history import Belief, History
from memspan.reports.job_info import Job, JobEvent, ProcessReport, UsageEntry
from memspan.reports.procedure_info import Procedure, ProcedureReport, ProcedureStep
from memspan.reports.resource_info import RESOURCE_STATES, Resource, ResourceReport
from memspan.reports.run_info import Run, Undone
from memspan.reports.tag_info import TagReport
from memspan.rerank import Reranker

raise_at_ctrl_c()
refuse_pickling()

if TYPE_CHECKING:
    from memspan.embed import OnnxEmbedder, OpenAIEmbedder
    from memspan.encode.compression.scorers import Scorer
    from memspan.lifecycle.fidelity import Fidelity
    from memspan.lifecycle.merging.duplicates import Merging
    from memspan.lifecycle.procedures import Mining
    from memspan.lifecycle.sleep.log import SleepDecision
    from memspan.lifecycle.sleep.update import SleepUpdate
    from memspan.rerank import OnnxReranker
    from memspan.vault import Vault

__all__ = [
    "KINDS",
    "RESOURCE_STATES",
    "Answer",
    "AnswerStream",
    "AnswerTimings",
    "AuditEntry",
    "AutoConsolidations",
    "BadReplyError",
    "Belief",
    "CallableEmbedder",
    "CompressionReport",
    "ConsolidationReport",
    "Context",
    "CorruptSnapshotError",
    "Duplicate",
    "Duplicates",
    "Embedder",
    "EmbedderAccessError",
    "EmbedderError",
    "EmbedderMismatchError",
    "EmbeddingError",
    "Evicted",
    "Fidelity",
    "ForgetPlan",
    "ForgottenError",
    "FormatError",
    "HashEmbedder",
    "HeldError",
    "History",
    "Hit",
    "Hits",
    "Index",
    "InvalidArgumentError",
    "Job",
    "JobError",
    "JobEvent",
    "LLMError",
    "Memory",
    "MemspanError",
    "Merging",
    "Mining",
    "MissingExtraError",
    "ModelAccessError",
    "ModelNotFoundError",
    "Moved",
    "OnnxEmbedder",
    "OnnxReranker",
    "OpenAIEmbedder",
    "PlanChangedError",
    "Planned",
    "Procedure",
    "ProcedureReport",
    "ProcedureStep",
    "ProcessReport",
    "Query",
    "QuotaError",
    "Quotas",
    "Recall",
    "Recalls",
    "Recipe",
    "Record",
    "Reranker",
    "RerankerError",
    "Resource",
    "ResourceReport",
    "Run",
    "Scorer",
    "SleepDecision",
    "SleepReport",
    "SleepUpdate",
    "SnapshotVersionError",
    "Source",
    "StalenessPolicy",
    "StoreError",
    "TagCycleError",
    "TagInfo",
    "TagReport",
    "TagSpan",
    "TimeError",
    "Timings",
    "TokenCounter",
    "TruncatedReplyError",
    "UndoError",
    "Undone",
    "UnknownIdError",
    "UnknownJobError",
    "UpkeepReport",
    "Usage",
    "UsageEntry",
    "UserMemory",
    "Vault",
    "VaultError",
    "VaultKeyError",
    "WhereError",
    "estimate_tokens",
    "simd_level",
]

# Their dependencies are optional, or few need them, so that they are loaded when they are first named.
_LAZY = {
    "Fidelity": "memspan.lifecycle.fidelity",
    "Merging": "memspan.lifecycle.merging.duplicates",
    "Mining": "memspan.lifecycle.procedures",
    "OnnxEmbedder": "memspan.embed",
    "OnnxReranker": "memspan.rerank",
    "OpenAIEmbedder": "memspan.embed",
    "Scorer": "memspan.encode.compression.scorers",
    "SleepDecision": "memspan.lifecycle.sleep.log",
    "SleepUpdate": "memspan.lifecycle.sleep.update",
    "Vault": "memspan.vault",
}

if not TYPE_CHECKING:
    __getattr__ = lazy_names(__name__, _LAZY)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
