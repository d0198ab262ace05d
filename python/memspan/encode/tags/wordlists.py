"""English words that say something about the grammar of their neighbours, or nothing about a topic.

Chosen by part of speech and by how common they are in conversations of any kind.
"""

from __future__ import annotations

from typing import Final

from memspan.recall.words import word_set

__all__ = [
    "CALENDAR",
    "COLOURS",
    "COPULAS",
    "DETERMINERS",
    "EMPTY_NOUNS",
    "EMPTY_WORDS",
    "NOUN_MARKERS",
    "VERB_MARKERS",
]

NOUN_MARKERS: Final = word_set(
    "a about an and another any at both during each every favorite favourite few first five for four from her his "
    "in into its last many more my near new next no of on or our own per several six some the their these this "
    "those three two via with your"
)
"""What follows up to the next function word is a noun phrase, and its last word a noun."""

VERB_MARKERS: Final = word_set(
    "always can can't could couldn't didn't doesn't don't gonna he he'll i i'd i'll i've let's may might must "
    "never not please she she'll should they they'd they'll they've to wanna we we'd we'll we've who will won't "
    "would wouldn't you you'd you'll you've"
)
"""What follows is a verb, or an adverb."""

COPULAS: Final = word_set(
    "absolutely am are be been being feel feeling feels felt he's how i'm is it's look looking looks pretty quite "
    "really seem seemed seems she's so sound sounds super that's there's they're too totally very was we're were "
    "what's you're"
)
"""What follows without a noun after it is an adjective or a participle."""

DETERMINERS: Final = word_set("a an another each every her his its my our some the these this those your")
"""What stands before one is no noun, but a verb or a preposition."""

COLOURS: Final = word_set(
    "black blue brown colorful colourful golden gray green grey orange pink purple red silver white yellow"
)
"""They may begin a phrase and not end it."""

CALENDAR: Final = word_set(
    "am apr april aug august dec december feb february fri friday jan january jul july jun june mar march may mon "
    "monday nov november oct october pm sat saturday sep sept september sun sunday thu thursday tue tuesday wed "
    "wednesday"
)
"""Times have a view of their own."""

EMPTY_NOUNS: Final = word_set(
    "ability absolutely actually advice afternoon ago ah amazing amount answer anyone anything appreciation area "
    "aw awesome aww basically beauty beginning best better bit break bunch bye care case catch challenge chance "
    "change chat check cheer choice comfort congrats congratulation cool couple courage course day days "
    "definitely detail difference downs dream effort end energy evening everyone everything example experience "
    "fact feel feeling fun future glad goal gonna good gotta great group guy haha hahaha half happiness happy "
    "heart hello help hey hi hm hmm honestly hope hour idea image impact inspiration interest issue journey joy "
    "kind kinda kindness lately later level life line list lmao lol look looking lot love luck man matter meaning "
    "memory middle mind minute moment month morning motivation name need nice night nope nothing number oh ok "
    "okay one opportunity option pair part passion past people person perspective photo photos pic pics picture "
    "pictures piece place plan please point positivity possibility power problem process progress proud purpose "
    "question reason recently rest result right second sense set share sharing side sight situation someone "
    "something soon sorry sort sorta sound spot start stay step strength stuff success support sure talk talking "
    "thank thanks thing thought thoughts time times tip today tomorrow ton tonight totally trouble type uh um ups "
    "value vibe video view wanna want way week weekend welcome while whole wish woman word work world worst wow "
    "yay yeah year yep yesterday yup"
)
"""Nouns in every conversation, with which no topic begins or ends."""

EMPTY_WORDS: Final = word_set(
    "able about above across add added adding admit adorable after again against agree ahead alive all allow "
    "allowed allows almost alone along already alright also although always amazed among another any anybody "
    "anymore anytime anyway anywhere apart apparently appreciate appreciated around ask asked asking attend "
    "attended attending away awhile back background bad barely be beautiful became because become becoming been "
    "before began begin behind being believe below besides between beyond big bigger blast blessed both bought "
    "brb bright bring bringing brings bro brought btw build building built busy but buy buying by call called calm "
    "calming came can cant carry cause certain chill choose chose classic classical clear clearly click close "
    "combine come comes coming complete completely connect connecting consider constantly continue could count "
    "cozy crazy create created creating creative curious currently cut cute damaged damn deal dealing dear decide "
    "decided deep delicious depend describe didnt different difficult directly discover discovered done dont dope "
    "down dozen drive driving drop dropped dude during each early easier easily easy eat eating eh eight either "
    "eleven else ended ending enjoy enjoyed enjoying enough enter epic especially etc even eventually ever every "
    "everyday everywhere exactly excellent excited exciting expect explain explore exploring express expressing "
    "extra extremely fabulous face facing fall fam fantastic far fascinating fast fave favorite favourite feels "
    "fell felt few fifth fill filled finally find finding fine finish finished first fit five focus folks follow "
    "forever forget form forward found four fourth free fresh from front full fully funny gain gang gather gave "
    "general generally get gets getting girl girls give given gives giving go god goes going gone gorgeous gosh "
    "got gotcha gotten grab gradually grateful greater greatest grew grow growing grown guess guys ha had hand "
    "handle hands handy hang hanging happen happened happening happens hard has hate have having healthy hear "
    "heard hearing heartwarming hectic hell helped helpful helping helps here hers herself high higher hilarious "
    "himself hit hold holding honest hopefully hoping how however huge huh hundred idk im imagine imho immediately "
    "imo important impressed impressive include including incredible incredibly inspire inspired inspires inspiring "
    "instead intense interested interesting into intriguing involved it its join joined just keen keep keeping "
    "keeps kept knew know knowing known knows large larger last late laugh laying lead learn learned learning "
    "least leave leaving left less let lets like liked likes listen listening literally little live lived lives "
    "living ll local long longer looked looks lose losing lost lots loud loved lovely loves low lower lucky made "
    "magical main mainly major make makes making manage managed many maybe mean meaningful means meant meantime "
    "meet meeting mention mentioned met might million miss missed missing more most mostly motivated move moved "
    "moving much must myself nah naturally near nearby nearly neat necessarily needed needs nervous never new "
    "next ngl nine nobody normal not notice noticed now nowhere nvm obviously of off offer offers often old older omg "
    "on once ones only onto ooh ooo open optimistic or order originally other others otherwise ourselves out outside "
    "over overall overwhelming own particular particularly passed passionate pay peaceful perfect perfectly "
    "perhaps personal personally phew physical pick picked planning plans play played playing pleasant pleased "
    "plenty pls plus plz popular posing positive possible post posted powerful precious prefer prepare pretty "
    "previously private probably proper properly provide public pull push put putting quick quickly quite raise "
    "rather reach react read reading ready real realize realized really recent recommend "
    "regularly relax relaxing remember "
    "remind reminded reminder reminds response return rewarding ride rock rough run running sad safe said same "
    "save saw say saying says scary see seeing seem seemed seems seen self sell send sent serious seriously serve "
    "setting seven several shaking shared short shot should show showed showing shows sick significant similar "
    "simple simply since single sit sitting six sleep slightly slow slowly small smaller smart smile smiling so "
    "solid some somebody somehow sometimes somewhere sounded sounds speak speaking special specifically speech "
    "spend spending spent spoke spread stand standing stands started starting starts stayed staying stick still "
    "stop stopped straight strange stressed stressful strong stronger struggle struggled struggling stuck study "
    "stunning such suddenly suggest super supported supporting supportive supposed surely surprised surrounded "
    "surrounding swear sweet take taken takes taking talked tasty tbh teach tell telling ten terrible than thankful "
    "thankfully that the their them themselves then therapeutic there these they think thinking third thirty this "
    "tho those though thoughtful thousand three thrilled through throw thx til till tired to together told tons too "
    "took top total touch touching tough toward towards treat tried tries true truly try trying turn turned turns "
    "twelve twenty two typical u ugh under understand understanding unfortunately unique until up upon ur us use "
    "used useful using usual usually various very vibrant visit visited visiting wait waiting walk walking wanted "
    "wanting wants warm was watch watched watching wear weird well went were what whatever when whenever where "
    "wherever whether whew which who whoa why wild will win winning wishing with within without woah won won't "
    "wonder wonderful wondering woohoo worked working works worried worry worth would write writing wrong y'all "
    "ya yea yes yess yet you young younger your yourself yummy"
)
"""Verbs, adjectives, adverbs and numerals in every conversation; a phrase holds none of them."""
