"""How well a memory finds again what it was told, measured on data sets whose questions name their evidence.

    evaluation = evaluate("locomo", "locomo10.json")
    evaluation.groups()[0].scores["recall@10"].mean

**What is searched.** One user a conversation, ingested as `memspan ingest` does it; every question is one
`Memory.search(question, k=max(ks))` with default settings.

**Unit.** The turn, which is one record; for HaluMem, whose evidence is text only, the session. E is a question's
evidence, of which what does not exist is dropped, and r(e) the rank, from 1, at which e came back: for a
session, the rank of its first turn. So k counts turns in both.

- recall@k: the share of E with r(e) <= k
- all@k: 1 if all of E has r(e) <= k, else 0
- hit@k: 1 if any of E has r(e) <= k, else 0
- MRR: 1 / the smallest r(e); 0 when none is among the max(ks) that were asked for
- nDCG@k: sum of 1 / log2(1 + r(e)) over e with r(e) <= k, divided by the sum of 1 / log2(1 + i) for i from 1 to
  min(|E|, k)

**Which questions count.** Those that are answerable and have evidence that exists. Questions without an answer
(LoCoMo's adversarial ones, abstention, HaluMem's Memory Boundary) are asked and listed, and never scored.
Every figure is a micro average: each question counts the same, whatever its category or conversation; a
category's figure stands beside its number of questions. The intervals are 95 % percentile bootstrap intervals
over questions (1,000 resamples, fixed seed). Questions about one conversation are not independent, so that
the intervals are a lower bound for what another conversation may do.

**Two ways of searching** are compared on the same questions with `compare`, whose intervals are those of the
differences.

**Sessions.** `session hit@k` is the share of questions for which any of the first k turns comes from a session
with evidence. It is there to compare with figures that others publish: plain BM25 over whole sessions of LoCoMo
reaches 90 % at 5, so that it says little.

**Contexts.** With `tokens=N` each question also gets the context that `Memory.context(question, tokens=N)` makes of
what was found. C is the set of records at least half of whose text stands in it, whole, shortened, or in the words of
a record that says the same (for sessions: those with such a record).

- context recall: the share of E in C; context all: 1 if all of E is in C, else 0
- named: the share of E of which anything stands in the context
- tokens: of the context's text, by `memspan.estimate_tokens`

**Recipes.** With `recipe=NAME` and a model, memories are made of the turns before they are asked about, in a store
that is kept by recipe, parameters, model and versions of prompts. What is scored stays the turn: a record that was made
brings its `sources`, all at its own rank, and one whose sources are only known as its window brings none
(`metadata["sources"] == "window"`). r(e) is the rank of the first record that brings e, itself or made; k still counts
records. For nDCG a record gains 1 however many it brings. A context holds the turns that its records bring. So these
figures say whether the right turns were made into what comes back, and not that the words of a made memory still
hold the answer: that is for a reader to say. They do not compare with `verbatim` at the same k, since a made record
may bring several turns; a context of the same number of tokens is the fair measure.

**A reader.** With `reading=Reading(llm=...)` (in `memspan.evaluate.reading.asking`) a model answers each question, by
default as `Memory.ask` does; see `memspan.evaluate.reading`.

LongMemEval's own metrics are in `memspan.evaluate.longmemeval`.
"""

from memspan.formats.questions import DATA_SETS, LabelledQuestion

from .answers import Answered
from .comparison import Change, compare
from .contexts import Held
from .evaluation import Evaluated, Evaluation
from .intervals import Estimate
from .run import Ask, ask_memory, evaluate
from .scores import Group

__all__ = [
    "DATA_SETS",
    "Answered",
    "Ask",
    "Change",
    "Estimate",
    "Evaluated",
    "Evaluation",
    "Group",
    "Held",
    "LabelledQuestion",
    "ask_memory",
    "compare",
    "evaluate",
]
