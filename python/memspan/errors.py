"""Every error that memspan raises on purpose.

MemspanError
├── InvalidArgumentError (also ValueError)   an argument of the wrong type, value, shape or size
│   ├── EmbeddingError                       wrong dimension, NaN, infinity or a zero vector
│   ├── TimeError                            a time that cannot be read or lies outside years 1-9999
│   ├── WhereError                           a malformed metadata filter
│   ├── FormatError                          a broken line or field in an input file
│   └── UnknownIdError                       an id that no record, run or job has
│       └── UnknownJobError (also JobError)  an id that no encode job has
├── TagCycleError (also ValueError)          a parent-child relation that would close a cycle
├── QuotaError                               a kind of record is full and nothing of it may be evicted
├── CorruptSnapshotError                     a snapshot file that cannot be believed
│   └── SnapshotVersionError                 another version of memspan wrote it
├── StoreError                               the database is damaged, locked, or of a newer schema
├── EmbedderMismatchError                    the store was filled by another embedder
├── EmbedderError                            an embedder failed, or its endpoint did
│   └── EmbedderAccessError                  it refuses the key, or nothing is left to pay it with
├── RerankerError                            a reranker failed, or answered something unusable
├── LLMError                                 a language model's server failed, or refused
│   ├── TruncatedReplyError                  its answer did not fit
│   ├── BadReplyError                        its answer could not be used, also after repair
│   ├── ForgottenError                       a memory was forgotten before it was sent to one
│   └── ModelAccessError                     it refuses the key, or nothing is left to pay it with
├── UndoError                                a run that cannot be undone, because memories changed since
├── JobError                                 an encode job that does not exist, or cannot do what was asked
├── HeldError                                a record under a legal hold would have been forgotten or ended
├── PlanChangedError                         what was agreed to be forgotten is not what it was
├── VaultError                               a secret is damaged, or is not what it says
│   └── VaultKeyError                        a secret is under another key
├── ModelNotFoundError                       a known model whose files are not on this machine
└── MissingExtraError (also ImportError)     an optional dependency is not installed

An error leaves the state as it was before the call.
"""

from __future__ import annotations

from typing import Any

import memspan

__all__ = [
    "BadReplyError",
    "CorruptSnapshotError",
    "EmbedderAccessError",
    "EmbedderError",
    "EmbedderMismatchError",
    "EmbeddingError",
    "ForgottenError",
    "FormatError",
    "HeldError",
    "InvalidArgumentError",
    "JobError",
    "LLMError",
    "MemspanError",
    "MissingExtraError",
    "ModelAccessError",
    "ModelNotFoundError",
    "PlanChangedError",
    "QuotaError",
    "RerankerError",
    "SnapshotVersionError",
    "StoreError",
    "TagCycleError",
    "TimeError",
    "TruncatedReplyError",
    "UndoError",
    "UnknownIdError",
    "UnknownJobError",
    "VaultError",
    "VaultKeyError",
    "WhereError",
]


class MemspanError(Exception):
    """Base class of every error that memspan raises on purpose."""


class InvalidArgumentError(MemspanError, ValueError):
    """An argument has the wrong type, value, shape or size; the message names it, what came and what is accepted."""


class EmbeddingError(InvalidArgumentError):
    """A vector has the wrong dimension, holds NaN or infinity, or is zero."""


class TimeError(InvalidArgumentError):
    """A time cannot be read or lies outside the years 1-9999."""


class WhereError(InvalidArgumentError):
    """A metadata filter (`where`) is malformed."""


class FormatError(InvalidArgumentError):
    """An input file holds something that cannot be read; the message names file, line or path inside it, and reason."""


class UnknownIdError(InvalidArgumentError):
    """No record of the user, no run, or no encode job, has an id that was given; the message names it."""


class TagCycleError(MemspanError, ValueError):
    """A relation between tags would close a cycle; the message shows the existing path."""


class CorruptSnapshotError(MemspanError):
    """A snapshot file is damaged, truncated or, as `SnapshotVersionError`, of another version."""


class SnapshotVersionError(CorruptSnapshotError):
    """A snapshot file is of another format version, or of another analyzer's; the message says which."""


class StoreError(MemspanError):
    """The database is damaged, locked by another process, or written by a newer version."""


class EmbedderMismatchError(MemspanError):
    """The store was filled by another embedder; `Memory.reembed` converts it."""


class EmbedderError(MemspanError):
    """An embedder failed or answered something unusable.

    Attributes:
        unanswered: its server could not be reached, or kept failing through all attempts: others would fare alike.
    """

    unanswered: bool = False


class EmbedderAccessError(EmbedderError):
    """An embedder's endpoint refuses the key, or the account has no credit; jobs are left to wait."""


class RerankerError(MemspanError):
    """A reranker failed or answered something unusable; searching without it still works."""


class LLMError(MemspanError):
    """A language model's server cannot be reached, refuses, or kept failing; what was stored is not affected.

    Attributes:
        usage: what the calls cost that ended in this error; None when none was answered.
        unanswered: the server could not be reached, or kept failing through all attempts: others would fare alike.
    """

    usage: memspan.Usage | None = None
    unanswered: bool = False


class TruncatedReplyError(LLMError):
    """A model's answer was cut off because it grew too long, or the prompt was too long; ask for less at a time.

    Attributes:
        too_long: it was the prompt, which the server refused.
    """

    too_long: bool = False


class BadReplyError(LLMError):
    """A model's answer could not be used, also after repair and a corrective retry; the message says what was wrong."""


class ForgottenError(LLMError):
    """A memory that was to be sent to a model was forgotten, or changed, after it was read; it was not sent."""


class ModelAccessError(LLMError):
    """A language model's server refuses the key, or the account has no credit; jobs are left to wait."""


class UndoError(MemspanError):
    """A run cannot be undone: it was undone already, or memories that it changed were changed again since."""


class JobError(MemspanError):
    """An encode job does not exist, or is not in a state in which it can do what was asked."""


class UnknownJobError(UnknownIdError, JobError):
    """No encode job, or none of the user, has an id that was given; the message names it."""


class QuotaError(MemspanError):
    """A kind has no room for a record: all that it may have are pinned or held. Nothing was added."""


class HeldError(MemspanError):
    """Records that are held cannot be forgotten, nor what they would be forgotten with, nor ended by hand or replaced
    without a trace; `Memory.release` ends a hold.

    Attributes:
        held: how many of the records are held.
        records: how many the call was about.
        to: what it was to do to them: `forget`, `retire`, `supersede` or `overwrite`.
    """

    def __init__(self, held: int, records: int, to: str = "forget") -> None:
        super().__init__(held, records, to)
        self.held = held
        self.records = records
        self.to = to

    def __str__(self) -> str:
        are = "is" if self.held == 1 else "are"
        done = "erased" if self.to == "forget" else "changed"
        held = f"{self.held:,} of the {self.records:,} records to {self.to} {are} held"
        return f"{held}; nothing was {done}. Release {'it' if self.held == 1 else 'them'} first"


class PlanChangedError(MemspanError):
    """What `forget(confirm=...)` would erase is not what was planned: a record changed, came or went; plan again."""


class VaultError(MemspanError):
    """A secret of the vault is damaged, or was moved to where it does not belong; it was not given out or changed."""


class VaultKeyError(VaultError):
    """The key does not open a secret, or would replace one that it does not open; nothing was given out or changed."""


class ModelNotFoundError(MemspanError):
    """A known model's files are not on this machine; the message says how to get them."""


class MissingExtraError(MemspanError, ImportError):
    """An optional dependency is missing; the message says which extra installs it."""


def shorten(value: Any, limit: int = 80) -> str:
    """The `repr` of `value`, cut to `limit` characters so that an error message stays readable."""
    try:
        text = repr(value[:limit] + "…" if isinstance(value, str) and len(value) > limit else value)
    except RecursionError:
        text = f"a deeply nested {type(value).__name__}"
    except ValueError:  # of an integer with thousands of digits
        text = f"a huge {type(value).__name__}"
    return text if len(text) <= limit else text[: limit - 1] + "…"


def invalid(
    argument: str, got: Any, accepted: str, error: type[InvalidArgumentError] = InvalidArgumentError
) -> InvalidArgumentError:
    """Build an `InvalidArgumentError` (or a subclass) whose message has the house form."""
    return error(f"{argument}: got {shorten(got)}; accepted: {accepted}")


def missing_extra(package: str, purpose: str, extra: str) -> MissingExtraError:
    """Build the error for an optional dependency that is not installed."""
    return MissingExtraError(f"{purpose} needs the package '{package}': pip install \"memspan[{extra}]\"")


def unusable_proxy() -> MissingExtraError:
    """Build the error for a proxy that httpx does not know, or not without one more package. It has a password, maybe,
    and is not quoted."""
    return MissingExtraError(
        "the environment (such as ALL_PROXY) names a proxy that cannot be used; accepted: http, https and, with the "
        "package 'socksio' (pip install \"httpx[socks]\"), socks5"
    )


def unread_certificates(error: OSError) -> str:
    """What to say where httpx does not get the certificates that it is to trust; the error names no file."""
    return (
        f"the certificates that the environment names (SSL_CERT_FILE, SSL_CERT_DIR) cannot be read: {error}"
    )
