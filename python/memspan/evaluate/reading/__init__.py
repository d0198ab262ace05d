"""How good answers are: word overlap in the several ways of the field, and judges.

`asking.Reading` says who answers and who judges; `evaluate(..., tokens=600, reading=Reading(llm=...))` asks. Every
reply is kept beside the store as it comes, under the model, its server and the whole prompt, so that an interrupted
run goes on, and another context is another question. The reader's prompt is the same for every recipe.

**Which answers count.** Word measures are over questions that are answerable, were answered, and have a gold answer;
one that the reader refused gets 0. A question whose reader failed is in no average: it is counted, listed, and asked
again by the next run; the same holds for verdicts. Questions without an answer in the conversation count for `refused`
only: the share of which the reader said so; LongMemEval's strict judge looks at them as well. Micro averages count
every question the same, macro averages every category, as SimpleMem's average does. Figures belong to their reader,
judge, manner of judging, k and tokens, which stand beside them.

**What is asked.** Every recipe's memories are searched in the same way, by `evaluate`'s `ask` and options, and read in
the same words, so that recipes differ in their memories only: how a recipe itself plans a search and answers is not
part of it, nor is consolidation. LoCoMo and REALTALK are judged generously, as the papers judge LoCoMo, LongMemEval by
its strict rules; BEAM and HaluMem by the plain strict rule, which is not their authors' way.
"""

from .bleu import bleu_1
from .locomo_f1 import NOT_MENTIONED, locomo_f1, stemmed_f1
from .set_f1 import exact_match, set_f1

__all__ = ["NOT_MENTIONED", "bleu_1", "exact_match", "locomo_f1", "set_f1", "stemmed_f1"]
