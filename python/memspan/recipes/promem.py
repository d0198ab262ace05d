"""ProMem: extract, complete what was passed over, verify by questions (sections 3.2 to 3.4, and 4.1 for numbers)."""

from memspan.encode.complete import Complete
from memspan.encode.extract import Extract
from memspan.encode.verify import Verify
from memspan.encode.windows import Windows

from .gathering import Gathering
from .reading import Reading
from .recipe import Recipe

RECIPE = Recipe(
    name="promem",
    summary="personal facts, completed by a second reading and verified by questions",
    paper="ProMem (2026), sections 3.2-3.4",
    write=(
        # The paper reads a whole dialogue at once; one of more than 100 turns is cut here, so that any job fits.
        Windows(size=100, stride=100, history=5),
        Extract(prompt="extract_personal"),
        # The paper's 0.6 belongs to its embedder: with memspan's own, unrelated texts are more similar than that, and
        # nothing would be completed. So what counts is how far a similarity stands out; 0.6 is for jobs too small to
        # tell. And two turns before each uncovered one are shown, without which answers cannot be understood.
        Complete(threshold=0.6, deviations=1.5, context=2),
        # Similar statements are not merged by the threshold, only equal ones: see `Verify`.
        Verify(threshold=0.8, batch=1),
    ),
    gather=Gathering(turns=100),  # a window: the paper reads a dialogue when it is over
    history=5,  # the paper has whole dialogues and needs none; jobs may begin in the middle of one
    # The 20 nearest with their times, whatever is asked; the tokens are room for these.
    read=Reading(least=20, most=20, tokens=1500),
)
