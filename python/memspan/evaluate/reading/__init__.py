"""How good answers are: word overlap in the several ways of the field, and judges.

`asking.Reading` says who answers and who judges; `evaluate(..., reading=Reading(llm=...))` asks. Every reply is kept
beside the store as it comes, under the model, its server and the whole prompt, so that an interrupted run goes on,
and other memories are another question.

**Who answers.** By default `Memory.ask`, what the product does: with the plan, depth and tokens of the recipe, and no
other options of the search than `rerank_ms`. With `reader="read"` one prompt, the same for every recipe, over the
contexts of `tokens` that `evaluate`'s own searches find: recipes then differ in their memories only. Its answers are
terser (few words instead of a sentence or two), so that word measures of the two do not compare.

**Which answers count.** Word measures are over questions that are answerable, were answered, and have a gold answer;
one that the reader refused gets 0. A question whose reader failed is in no average: it is counted, listed, and asked
again by the next run; the same holds for verdicts. Questions without an answer in the conversation count for `refused`
only: the share of which the reader said so; LongMemEval's strict judge looks at them as well. Micro averages count
every question the same, macro averages every category, as SimpleMem's average does. Figures belong to their reader,
judge, manner of judging, k and tokens, which stand beside them.

**How it is judged.** LoCoMo and REALTALK generously, as the papers judge LoCoMo; LongMemEval by its strict rules, BEAM
by the plain strict rule, which is not its authors' way; HaluMem in three kinds (`halumem`): right, made up, left out.
For HaluMem, and a recipe that makes memories, the judge also says of every point of the labels whether the memories of
its session cover it (memory integrity), and of every memory whether its session supports it (memory accuracy), see
`memories`. Its authors ask about points that replace earlier ones in a task of their own when the system finds what
they replace; here all points count for integrity. All prompts are in our own words with the criteria of the originals.

**What is made.** A recipe's update in sleep (`lightmem`) runs before the questions unless `consolidate=False`, and is
part of what making the memories took.
"""

from typing import TYPE_CHECKING

from memspan.base.lazy_names import lazy_names

from .bleu import bleu_1
from .locomo_f1 import NOT_MENTIONED, locomo_f1, stemmed_f1
from .set_f1 import exact_match, set_f1

if TYPE_CHECKING:
    from .asking import Reading
    from .report import AnswerReport

__all__ = [
    "NOT_MENTIONED",
    "AnswerReport",
    "Reading",
    "bleu_1",
    "exact_match",
    "locomo_f1",
    "set_f1",
    "stemmed_f1",
]

# Loaded when they are first named: they need what asks models.
_LAZY = {"AnswerReport": "memspan.evaluate.reading.report", "Reading": "memspan.evaluate.reading.asking"}

if not TYPE_CHECKING:
    __getattr__ = lazy_names(__name__, _LAZY)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
