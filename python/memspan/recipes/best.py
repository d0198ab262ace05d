"""What we believe and can justify: each choice with its reason. Nothing here was measured with a model."""

from memspan.encode.complete import Complete
from memspan.encode.extract import Extract
from memspan.encode.procedures import Procedures
from memspan.encode.verify import Verify
from memspan.encode.windows import Windows
from memspan.lifecycle.sleep.update import SleepUpdate

from .gathering import Gathering
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
        # No tags: as features of the learned ranking, counts of routed tags changed recall by less than half a point
        # on LoCoMo, REALTALK and BEAM, and with rank fusion they have to weigh a tenth of the other views not to cost
        # recall. For browsing, `Memory.tag` makes them by rules, without a call.
    ),
    history=5,
    # A window. Statements of a conversation that goes on come a little later; its turns are found at once.
    gather=Gathering(turns=20),
    # The rules need no call and know the calendar; the model's plan is a call before every answer, which nobody has
    # shown to find more. The tokens are the budget, so that they say how many memories are read.
    read=Reading(plan="rules", tokens=600),
    # What is said later changes what was said before, and a question about now must not be answered from both. Nothing
    # is lost by it: what ends stays readable, and a run can be undone. Only memories that are nearly alike are asked
    # about: with the default embedder 10 % of the turns of LoCoMo's conv-26 have a later one at .9, and 42 % at .85.
    sleep=SleepUpdate(least=0.9),
)
