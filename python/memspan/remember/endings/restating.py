"""Write stored records again with something else said about them: retired, expiring, pinned, held."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from memspan.records import Record
from memspan.remember.writing.change import Change
from memspan.remember.writing.indexing import write_records

__all__ = ["restate"]


def restate(change: Change, records: Sequence[Record]) -> None:
    """Put changed copies of stored records in their place.

    They say what they said, so that the tags which were made for them stay made, and no job begins anew.

    Args:
        records: as the writer of the change gives them, with embeddings and with all tags.
    """
    if not records:
        return
    ids: dict[str, list[str]] = defaultdict(list)
    for record in records:
        ids[record.user].append(record.id)
    made = {user: change.writer.made_tags(user, own) for user, own in ids.items()}
    write_records(change, records)
    for user, tags in made.items():
        if tags:
            change.writer.set_made_tags(user, tags)
