// The one form in which a tag's name is stored, compared and asked for.
#pragma once

#include <string>
#include <string_view>

namespace memspan {

// The canonical form of a tag's name: full case folding, composed (NFC), without what nobody sees (soft hyphens, marks of
// direction, variation selectors, joiners), and one underscore for every run of blanks between other characters. Blanks:
// white space, underscores, control characters, bad bytes, zero width spaces, and hyphens with blanks on both sides.
// Joiners stay where they show: between emoji, and after a sign that takes an Indic letter's vowel away. Accents and all
// other characters stay. Idempotent. May be empty; the caller checks. O(n log n), O(n) if it is ASCII.
std::string normalize_tag(std::string_view name);

}  // namespace memspan
