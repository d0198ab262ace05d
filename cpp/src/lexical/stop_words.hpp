// English words that say nothing about what a text is about.
#pragma once

#include <cstdint>
#include <string_view>

namespace memspan {

enum class EnglishWord : uint8_t {
  content,
  stop,      // dropped
  negation,  // a negated auxiliary, whole or without its apostrophe: cannot, dont
};

// Classifies a word of a-z. O(length), safe to call from any thread.
EnglishWord classify_english(std::string_view word);

}  // namespace memspan
