"""The record: one memory with everything that is known about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

__all__ = ["KINDS", "Record"]

KINDS: Final = ("episodic", "semantic", "procedural", "resource", "vault")
"""The kinds of record: what each means, how it gets in, and how it is searched.

- `episodic`: what happened or was said. It is what `Memory.add` makes of messages; recipes read these, and nothing
  else. Tool calls and their results are such turns, whose metadata tells `actions` and `outcomes`.
- `semantic`: what is known. A caller adds it with `kind="semantic"`, or the stages of a recipe make it of turns
  (`Extract`, `Complete`, `Synthesise`, `Buffer`; `sources` names the turns); sleep merges, rewrites and ends these.
- `procedural`: how to do something. A caller adds it, `Memory.learn_procedures` learns it from tool calls that come
  back, and the stage `Procedures` of a recipe tells the tasks of one session. Its text holds name, conditions and
  steps, and is searched as any text.
- `resource`: a pointer to a file or address, with what is known of it. `Memory.add_resource` adds it with its checksum,
  and looks after it (`check_resources`). Its description is searched, not what the target holds.
- `vault`: what is sensitive. `Memory.vault(user, key).put` encrypts a secret under a label, and only the label is
  embedded and searched; what a caller adds with `kind="vault"` is searched by its text. No recipe, tagging or learning
  reads the vault.

All but the vault are searched together, by one ranking over meaning and words. `kinds=` is a filter: only these come
back. A question about how something is done finds procedures among the first, see `Plan.record_kinds`; a plan by hand
may want other kinds so. The vault comes back only when `kinds` names it. Where there are quotas, each kind has its own,
so that much talk pushes out no knowledge.
"""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Record:
    """One memory of one user. Times are aware UTC datetimes."""

    id: str
    """Unique within the user."""
    user: str
    """Whose memory this is; nothing of it is reachable through another user's handle."""
    text: str
    at: datetime
    """When it happened."""
    kind: str = "episodic"
    """One of `KINDS`."""
    until: datetime | None = None
    """End of validity, exclusive; `None` while it holds."""
    recorded_at: datetime | None = None
    """When it was learnt; `as_of` queries use it."""
    session: str | None = None
    speaker: str | None = None
    tags: tuple[str, ...] = ()
    """Normalised tags: lower case, underscores for blanks, letters composed with their marks (NFC)."""
    entities: tuple[str, ...] = ()
    importance: float | None = None
    """0-1, or `None` when nobody judged it."""
    provenance: str | None = None
    """Where it came from, such as a file name or a tool."""
    fidelity: float = 1.0
    """1 for the original wording, less for summaries."""
    sources: tuple[str, ...] = ()
    """Ids of the records that this one was derived from."""
    retired_at: datetime | None = None
    """From when on it is no longer believed, because something replaced, corrected or ended it; `None` while it is.
    With `recorded_at` this is the second axis of time: `as_of` queries use it."""
    expires_at: datetime | None = None
    """From when on it is gone: no search finds it, and the next sleep erases it, unless it is pinned or held."""
    pinned: bool = False
    """Quotas never evict it, and sleep leaves it as it is; nor does sleep erase it when it has expired."""
    held: bool = False
    """A legal hold: as `pinned`, and it cannot be forgotten either."""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    """JSON-able values; `where` filters look here."""
    embedding: NDArray[np.float32] | None = field(default=None, repr=False)
    """Shape (dim,), float32, and no part of the `repr`; `None` when it was not loaded or not computed."""
