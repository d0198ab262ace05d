// The Snowball English stemmer (Porter2), as of Snowball 3.1: https://snowballstem.org/algorithms/english/stemmer.html
#pragma once

#include <cstddef>

namespace memspan {

// Replaces the word by its stem and returns the stem's length, which never exceeds `size`. Requires bytes a-z only;
// what the algorithm does about apostrophes is the analyzer's business. O(size), no allocation, safe to call from any
// thread.
size_t stem_english(char* word, size_t size);

}  // namespace memspan
