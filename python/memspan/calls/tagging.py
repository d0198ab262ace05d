"""The calls of `Memory` about tags and their hierarchy."""

from __future__ import annotations

from memspan.remember.asynchronous import in_thread
from memspan.remember.tagging.relating import relate, unrelate
from memspan.reports.tag_info import TagInfo, TagReport

from .base import Calls

__all__ = ["TaggingCalls"]


class TaggingCalls(Calls):
    """See `Memory`."""

    def relate(self, *, user: str, parent: str, child: str) -> bool:
        """Put a tag below another one; returns whether that is new. A relation that `tag` made becomes a given one.

        Raises:
            TagCycleError: `parent` lies below `child`; the message shows the path.
        """
        return relate(self._engine, user=user, parent=parent, child=child)

    def unrelate(self, *, user: str, parent: str, child: str) -> bool:
        """Take back `relate`; returns whether there was such a relation. `tag` may make it again."""
        return unrelate(self._engine, user=user, parent=parent, child=child)

    def tag(self, user: str | None = None, *, progress: bool = False) -> TagReport:
        """Make tags of what a user's records say, or every user's, without a language model: keyphrases and names
        that come back, at most five a record, and which of them is broader than which.

        Calling it again makes them anew; tags that a recipe made for turns give way to them. Tags and relations that a
        caller gave stay, and made relations give way to them. A record that is replaced later has no made tags until
        the next call; records of kind `vault` give and get none. Languages without capitals or the marks of English
        nouns get fewer and rougher tags. Seconds for 10,000 records, committed some hundreds at a time; the next call
        makes good one that was interrupted.

        Args:
            user: `None` for every user, each by their own texts only.
            progress: show a progress bar on standard error.

        Raises:
            EmbedderError: the embedder failed; users before this one are done.
        """
        from memspan.remember.tagging.tagging import tag

        return tag(self._engine, user, progress)

    def untag(self, user: str | None = None, *, progress: bool = False) -> TagReport:
        """Take back what `tag` made; tags and relations that a caller gave stay."""
        from memspan.remember.tagging.tagging import untag

        return untag(self._engine, user, progress)

    def tags(self, user: str) -> list[TagInfo]:
        """Every tag of a user, given or made, with its place in the hierarchy, sorted by name.

        They are those of what is believed now: a tag that only retired records carry is left out, unless it has a
        place in the hierarchy. Searches with `as_of` or `valid_at` know the names of then.
        """
        from memspan.remember.tagging.tagging import tags

        return tags(self._engine, user)

    arelate = in_thread(relate)
    aunrelate = in_thread(unrelate)
    atag = in_thread(tag)
    auntag = in_thread(untag)
    atags = in_thread(tags, reads=True)
