"""SwiftMem: episodes stay as they are and get tags in a hierarchy (section 3.2.1 and appendix A.1)."""

from memspan.encode.tags.tag_by_model import TagByModel

from .gathering import Gathering
from .reading import Reading
from .recipe import Recipe

RECIPE = Recipe(
    name="swiftmem",
    summary="turns as they are, with a hierarchy of tags by a model",
    paper="SwiftMem (2026), sections 3.1.1 and 3.2.1",
    write=(
        # Existing tags are offered to the model, which the paper does not do: without that, tags do not converge.
        TagByModel(target="turns", episode=2, batch=1, fewest=3, most=8, vocabulary=100),
    ),
    gather=Gathering(turns=2),  # an episode
    # Queries go by the tags nearest to them (section 3.2.2), for whose number k the paper gives none. Here tags lift
    # records and do not shut any out, so that nothing is lost which has no such tag.
    read=Reading(route=5),
)
