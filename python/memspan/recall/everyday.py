"""Everyday words, mostly of English, that are a letter or two from a first name, and are no slips of it."""

from __future__ import annotations

from typing import Final

from .words import word_set

__all__ = ["is_everyday"]

# Of the 18,000 whole words that the default embedder knows, those that 500 first names come nearest to, without what
# is a name itself.
_EVERYDAY: Final = word_set(
    "albeit alert alias alien alike alley allied allies alter anger apron barker bells bills blade blame blaze books "
    "brain bridge broke brute bully canton cared career cargo carried carrier carries cartel cases cater cease charges "
    "charter chase chased chases cherry chose christmas clause clerk client cliffs condor cores coward crank crater "
    "crystals curly daily dairy dance dared darker death delta demise denim dense deter devil ditch doses drank early "
    "earnest either ether every fallen fancy fatty feather files filly flank flint floral forge france friday funny "
    "games gathering german giant glance glint gonna grade grand grants grape grave great grunt hairy harder hardy "
    "health hearth heats herald hobby hunger hunted hunters hurry jelly karma kidney kinda label leather leopard liver "
    "lobby loses macro mafia malice manly manual march maroon marsh marshal martini martyr marvel match mated mater "
    "mates merge meter mills minds mines mixes modes mommy names norms noses organ panda paper parcel parked party "
    "perch phase piles pillow pipes pitch poland polls ported poses poster potter prank rally rector risky romans "
    "roses rover rower rwanda sadly saline salsa salty sands savanna scots scout sector serene serve seven shade shake "
    "shale shame shape share shave sheath shine shone shown since slice slogan smiles sonic spawn stack start stellar "
    "steward stove sudan surge tailor tally tennis tiles toward track tract treat tremor trend tricky truce tucked "
    "verge victory villa violent viper waiter walker wanna warden water weather wholly wince witch woman "
    # Near to other names.
    "ferry berry merry marry sorry worry carry dirty thirty twenty penny money honey monkey turkey hockey jockey "
    "nanny bunny tunny hilly chilly belly jolly dolly folly rainy brandy candle cancel sample simple summer "
    "hammer dinner winner donor tenor manor minor major mayor color labor laser river fever never lever level "
    "model medal metal petal pedal total local vocal focal loyal royal moral coral final canal panel camel angle "
    "ankle apple maple table cable fable stable stale state stage store story study style still steel steam stick "
    "stock stone stool vegan began matter cover lines normal males marine alive singer finger demon rocks element "
    "moves shadows copper links angels bridges lover tigers trace margin vector candy brook silly valentine backs "
    "ashes cement linux petty salmon caring bubble bubbles marker paved dusty gamma brake humid bucks cooler "
    "gorge muddy minus winger colon reggae puppy handy rodeo brace berth martian ample barley smoke smoked smoky "
    "decks siren barren finely denies linger shadowy timer windy biscuits misty mania toxin canine necks along "
    "above alone about"
)
_ABROAD: Final = word_set(
    "krank trank unter munter stellt wilde milde matin mairie chaude famille perro carta marca manta barcos razon "
    "jamon llena hablo pausa limon parola dietro carro fianco bianco"
)
"""Some of German, French, Spanish and Italian, folded."""
_CAPITALISED: Final = word_set(
    "christmas france friday german march poland roman romans rwanda scots sudan "
    "kabine mieter bieter kamin stelle marke heide meter"
)
"""Those that have a capital anywhere in a sentence, as nouns of German do."""


def is_everyday(word: str, *, proper: bool) -> bool:
    """Whether a word in lower case is none of a name; `proper`: it has the capital of one ("what did Brain say")."""
    return word in _CAPITALISED or (not proper and (word in _EVERYDAY or word in _ABROAD))
