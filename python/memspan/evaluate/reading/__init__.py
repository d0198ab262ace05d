"""How good answers are: word overlap in the several ways of the field, and judges."""

from .bleu import bleu_1
from .locomo_f1 import NOT_MENTIONED, locomo_f1, stemmed_f1
from .set_f1 import exact_match, set_f1

__all__ = ["NOT_MENTIONED", "bleu_1", "exact_match", "locomo_f1", "set_f1", "stemmed_f1"]
