"""What we believe and can justify: each choice with its reason. Nothing here was measured with a model."""

from memspan.encode.complete import Complete
from memspan.encode.extract import Extract
from memspan.encode.procedures import Procedures
from memspan.encode.verify import Verify
from memspan.encode.windows import Windows

from .reading import Reading
from .recipe import Recipe

RECIPE = Recipe(
    name="best",
    summary="turns as they are, and beside them statements: extracted, completed, verified where in doubt; procedures",
    # The turns themselves stay, searchable: what no statement holds can still be found, and every statement can be
    # checked against what was said. No stage takes anything away from them.
    write=(
        # A quarter of each window is shared, so that no exchange is cut in two; a step of 5 would cost four times the
        # tokens for the same turns.
        Windows(size=20, stride=15, history=5),
        # The prompt for facts of every kind, whoever mentions them; an empty list is a good answer to it.
        Extract(prompt="extract"),
        # One call at most for each job, and the only stage that finds what the first reading missed. How far a cosine
        # stands out is asked, not 0.6 itself, which belongs to one embedder; 0.6 is for jobs too small to tell.
        Complete(threshold=0.6, deviations=1.5, context=2),
        # Verification costs two calls and the whole dialogue for each batch: only statements in doubt are worth it,
        # those that do not stand out beside the turns that they are said to come from. By the same measure as above.
        Verify(threshold=0.8, batch=8, supported=1.5),
        # How things are done is not among the facts. Turns without tool calls cost nothing here.
        Procedures(),
        # Nothing is synthesised or summed up: the turns are there, and what a merged wording loses cannot be asked for.
        # Tags are not asked for here: `Memory.tag` makes them by rules, without a call.
    ),
    history=5,
    # The rules need no call and know the calendar; the model's plan is a call before every answer, which nobody has
    # shown to find more. The tokens are the budget, so that they say how many memories are read.
    read=Reading(plan="rules", tokens=600),
)
