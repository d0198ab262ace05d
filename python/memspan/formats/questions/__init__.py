"""Readers of the questions of the known data sets, with the evidence that their labels name.

Users and record ids are those of `read_turns`. Labels are dirty: what they name is looked up among the turns
that exist, and what names nothing is kept in `LabelledQuestion.missing`, so that it can be counted. A value of
another type than the layout has, however, is refused with its place.
"""

from .labelled import LabelledFile, LabelledQuestion
from .read import DATA_SETS, read_labelled

__all__ = ["DATA_SETS", "LabelledFile", "LabelledQuestion", "read_labelled"]
